package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/kelseyhightower/envconfig"
	"go.uber.org/zap/zapcore"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim"
)

// config is the whole configuration; each part's prefix names its owner.
type config struct {
	Reclaim reclaim.Config
	Archive archive.Config
	Log     logConfig
}

// parts are the configuration's structs by prefix.
func (c *config) parts() []part {
	return []part{{"RECLAIM", &c.Reclaim}, {"ARCHIVE", &c.Archive}, {"LOG", &c.Log}}
}

type part struct {
	prefix string
	spec   any
}

// logConfig is how the program logs.
type logConfig struct {
	Level  zapcore.Level `default:"info" desc:"debug, info, warn or error"`
	Format logFormat     `default:"json" desc:"json, or console for people"`
}

type logFormat string

func (f *logFormat) UnmarshalText(text []byte) error {
	if *f = logFormat(text); *f != "json" && *f != "console" {
		return errors.New("want json or console")
	}
	return nil
}

// load reads the environment. Every problem is reported at once.
func load() (config, error) {
	trimEnvironment()
	var c config
	problems := unknownVariables(&c, ours)
	for _, p := range c.parts() {
		problems = append(problems, process(p)...)
	}
	problems = append(problems, c.Reclaim.SetShardIndex(os.Getenv(reclaim.ShardIndexVariable)), c.Reclaim.Validate(), c.Archive.Validate())
	return c, errors.Join(problems...)
}

// loadArchive reads what the verbs need: the variables of the archive, and no
// others, so that they work beside a run's.
func loadArchive() (archive.Config, error) {
	trimEnvironment()
	var c config
	problems := unknownVariables(&c, func(name string) bool { return strings.HasPrefix(name, "ARCHIVE_") })
	problems = append(problems, process(part{"ARCHIVE", &c.Archive})...)
	return c.Archive, errors.Join(append(problems, c.Archive.ValidateReading())...)
}

// process reads one struct. envconfig stops at the first value that does not
// parse; that one is set aside, and the rest is read again.
func process(p part) []error {
	var problems []error
	for {
		err := envconfig.Process(p.prefix, p.spec)
		var bad *envconfig.ParseError
		if !errors.As(err, &bad) {
			return append(problems, err)
		}
		problems = append(problems, fmt.Errorf("%s: %q: %w", bad.KeyName, bad.Value, bad.Err))
		os.Unsetenv(bad.KeyName)
	}
}

// trimEnvironment drops white space around values, which a Secret made with
// echo brings, and variables that are then empty, which count as not set.
func trimEnvironment() {
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, "AWS_") && !ours(name) {
			continue
		}
		value = strings.TrimSpace(value)
		if value == "" {
			os.Unsetenv(name)
			continue
		}
		os.Setenv(name, value)
	}
}

// ours tells whether a variable is for this program. LOG_ is too common a
// prefix to claim.
func ours(name string) bool {
	return strings.HasPrefix(name, "RECLAIM_") || strings.HasPrefix(name, "ARCHIVE_") ||
		name == "LOG_LEVEL" || name == "LOG_FORMAT"
}

// serviceLink matches what Kubernetes injects for a Service that is named like
// one of our prefixes.
var serviceLink = regexp.MustCompile(`^(RECLAIM|ARCHIVE)(_[A-Z0-9_]+)?_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$`)

// unknownVariables lists those of our names that mean nothing: a typo must not
// pass for the default. Values are never shown, they may be secrets.
func unknownVariables(c *config, ours func(string) bool) []error {
	known := variables(c)
	var problems []error
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if ours(name) && !slices.Contains(known, name) && !serviceLink.MatchString(name) {
			problems = append(problems, fmt.Errorf("%s: unknown variable; -help lists those that there are", name))
		}
	}
	return problems
}

// variables are the names of all variables.
func variables(c *config) []string {
	var names strings.Builder
	for _, p := range c.parts() {
		if err := envconfig.Usagef(p.prefix, p.spec, &names, "{{range .}}{{usage_key .}}\n{{end}}"); err != nil {
			panic(err) // the structs are constants
		}
	}
	return strings.Fields(names.String())
}

// usage prints the table of variables.
func usage(w io.Writer) error {
	fmt.Fprint(w, `pod-reclaimer archives terminated pods to S3-compatible storage and deletes them.

usage: pod-reclaimer           one run
       pod-reclaimer VERB ...  read the archive and look after it; see pod-reclaimer help

Environment variables; credentials, region, endpoint, CA and proxy of the store
are the AWS SDK's own (AWS_ACCESS_KEY_ID, AWS_REGION, AWS_ENDPOINT_URL_S3, ...);
the cluster is the one this runs in, else that of KUBECONFIG. Defaults are in
brackets.

`)
	return writeTable(w, "{{usage_key .}}\t{{usage_description .}}{{with usage_default .}} [{{.}}]{{end}}\n")
}

// writeTable writes a row for each variable.
func writeTable(w io.Writer, row string) error {
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	var c config
	for _, p := range c.parts() {
		if err := envconfig.Usagef(p.prefix, p.spec, table, "{{range .}}"+row+"{{end}}"); err != nil {
			return fmt.Errorf("print variables: %w", err)
		}
	}
	return table.Flush()
}
