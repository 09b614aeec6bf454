package reclaim

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"
)

// Config is what to reclaim and how; the environment variables begin with
// RECLAIM_. Durations are Go durations such as 90s or 168h.
type Config struct {
	Namespaces        List          `desc:"comma list of namespaces; if set, pods are listed per namespace and a Role is enough"`
	ExcludeNamespaces List          `split_words:"true" desc:"comma list of namespaces to leave alone"`
	LabelSelector     Selector      `split_words:"true" desc:"only pods that match, in Kubernetes syntax"`
	Phases            Phases        `default:"Succeeded,Failed" desc:"Succeeded, Failed or both"`
	OwnerKinds        List          `split_words:"true" default:"Job.batch,ReplicaSet.apps,StatefulSet.apps,DaemonSet.apps,ReplicationController,None" desc:"controllers whose pods are in scope; None: no controller, *: any"`
	ArchiveAfter      time.Duration `split_words:"true" default:"30s" desc:"archive a pod this long after it finished"`
	DeleteAfter       time.Duration `split_words:"true" default:"1h" desc:"delete an archived pod this long after it finished; 0s: at once"`
	MaxPods           int           `split_words:"true" default:"0" desc:"most pods deleted in one run; 0: no limit"`
	Deadline          time.Duration `default:"0" desc:"stop starting pods after this long; 0: never"`
	Concurrency       int           `default:"32" desc:"pods in flight"`
	Shards            int           `default:"1" desc:"runs side by side, each with its share of the pods; JOB_COMPLETION_INDEX, as an Indexed Job sets it, says which one this is"`
	LogIdleTimeout    time.Duration `split_words:"true" default:"60s" desc:"give up on a log request that sends nothing for this long"`
	LogGrace          time.Duration `split_words:"true" default:"24h" desc:"how long missing logs keep a pod, counted from its finish; then two runs must have missed them, unless it is 0"`
	LogsRequired      bool          `split_words:"true" default:"true" desc:"false: the grace also ends for kubelets of Ready nodes that cannot be reached"`
	LogMaxBytes       ByteSize      `split_words:"true" default:"0" desc:"most bytes kept of one log, its head, such as 10Mi; 0: all"`
	DryRun            bool          `split_words:"true" default:"false" desc:"only read, and say what would happen"`
	PushgatewayURL    string        `split_words:"true" desc:"Prometheus Pushgateway that gets the run's metrics, with name and password if it needs them"`
	SummaryFile       string        `split_words:"true" default:"/dev/termination-log" desc:"gets the summary if it exists; the default is what kubectl describe pod shows"`
	// ShardIndex is which of Shards this run is, from 0; see SetShardIndex.
	ShardIndex int `ignored:"true"`
}

// List is a comma list; items are trimmed, empty ones dropped.
type List []string

// UnmarshalText refuses a list without items: it would not mean what an empty
// variable means.
func (l *List) UnmarshalText(text []byte) error {
	*l = nil
	for item := range strings.SplitSeq(string(text), ",") {
		if item = strings.TrimSpace(item); item != "" {
			*l = append(*l, item)
		}
	}
	if len(*l) == 0 {
		return errors.New("the list has no items")
	}
	return nil
}

// has tells whether item is in the list.
func (l List) has(item string) bool {
	for _, i := range l {
		if i == item {
			return true
		}
	}
	return false
}

// Selector is a label selector, checked when it is read.
type Selector string

// UnmarshalText refuses what is not a label selector.
func (s *Selector) UnmarshalText(text []byte) error {
	*s = Selector(text)
	_, err := labels.Parse(string(text))
	return err
}

// Phases is a list of terminal pod phases.
type Phases List

// UnmarshalText refuses phases in which containers may still run.
func (p *Phases) UnmarshalText(text []byte) error {
	var list List
	if err := list.UnmarshalText(text); err != nil {
		return err
	}
	for _, phase := range list {
		if phase != "Succeeded" && phase != "Failed" {
			return fmt.Errorf("phase %q: want Succeeded or Failed", phase)
		}
	}
	*p = Phases(list)
	return nil
}

// isHTTP tells whether text is the address of an HTTP server, to which a path can
// be added.
func isHTTP(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.RawQuery == "" && u.Fragment == ""
}

// Validate reports every problem at once, each naming its variable.
func (c Config) Validate() error {
	var problems []error
	positive := func(name string, ok bool, want string) {
		if !ok {
			problems = append(problems, fmt.Errorf("RECLAIM_%s: want %s", name, want))
		}
	}
	positive("ARCHIVE_AFTER", c.ArchiveAfter >= 0, "no negative duration")
	positive("DELETE_AFTER", c.DeleteAfter >= 0, "no negative duration")
	positive("DEADLINE", c.Deadline >= 0, "no negative duration")
	positive("MAX_PODS", c.MaxPods >= 0, "no negative number")
	positive("CONCURRENCY", c.Concurrency >= 1 && c.Concurrency <= 1024, "a number from 1 to 1024")
	positive("SHARDS", c.Shards >= 1 && c.Shards <= 1024, "a number from 1 to 1024")
	positive("LOG_IDLE_TIMEOUT", c.LogIdleTimeout > 0, "a duration above 0")
	positive("LOG_GRACE", c.LogGrace >= 0, "no negative duration")
	positive("LOG_MAX_BYTES", c.LogMaxBytes >= 0, "no negative number")
	positive("PUSHGATEWAY_URL", c.PushgatewayURL == "" || isHTTP(c.PushgatewayURL), "a URL such as http://pushgateway:9091")
	for _, ns := range c.Namespaces {
		positive("NAMESPACES", !c.ExcludeNamespaces.has(ns), "no namespace that RECLAIM_EXCLUDE_NAMESPACES has too: "+ns)
	}
	return errors.Join(problems...)
}
