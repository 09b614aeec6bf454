package chaostest

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/dice"
)

// Config is what a series is.
type Config struct {
	Seed    uint64
	Faults  int
	Program string
	// Testbed runs the testbed's program, to kill, freeze and mend its parts.
	Testbed func(args ...string) error
	// Stop ends the series after the round that has found something.
	Stop bool
	// Only is the one kind of fault that there is, if it is set; the weather is
	// good then.
	Only string
	// FakePods and NodePods are how many pods a round begins with.
	FakePods, NodePods int
}

// Series is one series of faults.
type Series struct {
	t       testing.TB
	cfg     Config
	name    string // of the cluster in every key
	journal *journal
	history *history
	node    *nodeLogs
	bucket  *bucket
	cluster *cluster
	logs    map[string][]byte // of the fake node, as served

	api, store             *url.URL
	apiClient, storeClient *http.Client
	namespaces             []string
	nodeNamespace          string
	round, runs, calmRuns  int

	mu         sync.Mutex
	faults     map[string]int
	violations map[string]int // by what is found
	quota      int            // of faults until the end of the round
	findings   []string
	figures    figures
	theirs     map[string]string // what others' deletes came to, by UID
	damaged    map[string]bool   // keys of bundles that the proxy has kept half of
	records    map[string]bool   // read before
	made       map[string]bool   // namespace/pod, of those that can be made anew
}

const (
	// perRound is how many faults come before all is judged.
	perRound = 40
	// perRun is how many of them a run meets at most, so that a round has several
	// runs; those that are aimed come beside.
	perRun = 10
	// mostRuns is after how many runs that is done in any case: when all pods have
	// gone little is left that can go wrong.
	mostRuns = 15
)

// New prepares a series on the testbed of the environment.
func New(t testing.TB, cfg Config) *Series {
	t.Helper()
	s := &Series{
		t: t, cfg: cfg, name: fmt.Sprintf("chaos-%d-%d", cfg.Seed, time.Now().UnixNano()), journal: newJournal(),
		faults: map[string]int{}, violations: map[string]int{}, theirs: map[string]string{}, damaged: map[string]bool{}, records: map[string]bool{}, made: map[string]bool{},
	}
	kubeconfig := os.Getenv("KUBECONFIG")
	var err error
	if s.cluster, err = openCluster(kubeconfig); err != nil {
		t.Fatal(err)
	}
	if s.apiClient, s.api, err = asAdministrator(kubeconfig); err != nil {
		t.Fatal(err)
	}
	if s.store, err = url.Parse(os.Getenv("AWS_ENDPOINT_URL_S3")); err != nil {
		t.Fatal(err)
	}
	s.storeClient = &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64}}
	s.bucket = openBucket(os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("TESTBED_BUCKET"))
	s.readFakeLogs()
	s.makeNamespaces()
	s.node = newNodeLogs(os.Getenv("TESTBED_POD_LOGS_DIR"))
	s.history = watchHistory(t, etcdURL(t), func(namespace string) bool { return slices.Contains(s.namespaces, namespace) }, s.seen)
	return s
}

// asAdministrator is a client that passes requests on with the testbed's rights.
func asAdministrator(kubeconfig string) (*http.Client, *url.URL, error) {
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, nil, fmt.Errorf("read kubeconfig: %w", err)
	}
	cfg.DisableCompression = true
	transport, err := rest.TransportFor(cfg)
	if err != nil {
		return nil, nil, fmt.Errorf("make a transport: %w", err)
	}
	to, err := url.Parse(cfg.Host)
	return &http.Client{Transport: transport}, to, err
}

// Run lets rounds follow each other until all faults are spent.
func (s *Series) Run() {
	for s.total() < s.cfg.Faults && !s.t.Failed() && !(s.cfg.Stop && len(s.Findings()) > 0) {
		s.round++
		s.mu.Lock()
		s.quota = min(s.cfg.Faults, s.totalLocked()+perRound)
		s.mu.Unlock()
		s.doRound()
	}
}

// doRound makes pods, lets everything go wrong for some runs, then nothing for
// one, and judges.
func (s *Series) doRound() {
	begun := time.Now()
	s.makePods()
	for n := 0; n < mostRuns && !s.spent(); n++ {
		s.disturbed()
	}
	s.mend()
	s.node.release(s)
	s.calm()
	s.judge()
	s.clear()
	s.t.Logf("round %d, %v: %d faults, %d runs, %d pods, %d deleted, %d bundles, %d violations", s.round, time.Since(begun).Round(time.Second), s.total(), s.runs, s.figures.pods, s.figures.deleted, s.figures.bundles, len(s.Findings()))
}

// disturbed is one run, or two at once, in bad weather.
func (s *Series) disturbed() {
	d := dice.Roll(s.cfg.Seed, s.round, "run", s.runs)
	n := 1
	if s.cfg.Only == "" && d.Chance(0.2) {
		n = 2
		s.count("two runs at once")
	}
	var all sync.WaitGroup
	storm := s.newWeather(d)
	all.Go(func() { s.strikePart(storm) })
	var runs []*run
	for i := range n {
		w := s.newWeather(dice.Roll(s.cfg.Seed, s.round, "weather", s.runs, i))
		w.part = ""
		runs = append(runs, s.newRun(w, false))
	}
	for _, r := range runs {
		all.Go(func() {
			if err := r.do(); err != nil {
				s.t.Errorf("run %d: %v", r.number, err)
			}
		})
	}
	if s.cfg.Only == "" {
		all.Go(func() { s.meddleMeanwhile(d) })
	}
	all.Wait()
	for _, r := range runs {
		s.judgeRun(r)
	}
	if s.t.Failed() {
		s.mu.Lock()
		s.quota = 0
		s.mu.Unlock()
	}
}

// calm is one run that nothing disturbs.
func (s *Series) calm() {
	r := s.newRun(weather{env: []string{"RECLAIM_DELETE_AFTER=0s"}}, true)
	if err := r.do(); err != nil {
		s.t.Errorf("run %d: %v", r.number, err)
	}
	s.calmRuns++
	s.judgeRun(r)
	lines := strings.Split(strings.TrimSpace(r.output.String()), "\n")
	s.journal.note("the undisturbed run: %s", lines[len(lines)-1])
}

func (s *Series) newRun(w weather, calm bool) *run {
	s.runs++
	return &run{
		series: s, number: s.runs, calm: calm, weather: w, asked: map[string]int{},
		dir: filepath.Join(s.t.TempDir(), fmt.Sprint("run-", s.runs)),
	}
}

// count counts a fault.
func (s *Series) count(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[kind]++
}

func (s *Series) totalLocked() int {
	n := 0
	for _, count := range s.faults {
		n += count
	}
	return n
}

func (s *Series) total() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.totalLocked()
}

// spent tells whether the round has had all its faults.
func (s *Series) spent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.totalLocked() >= s.quota
}

// found notes a violation, with the journal of its pod.
func (s *Series) found(l *life, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if l != nil {
		what = fmt.Sprintf("%s/%s (%s, states %s): %s", l.namespace, l.pod, l.uid, strings.Join(l.order, " "), what)
	}
	s.mu.Lock()
	s.findings = append(s.findings, what)
	kind, _, _ := strings.Cut(format, "\n")
	s.violations[kind]++
	n := len(s.findings)
	s.mu.Unlock()
	if l != nil && n <= 5 {
		what += "\n" + s.journal.of(l.namespace, l.pod)
	}
	if n > 20 {
		return
	}
	s.t.Logf("violation %d, after %d faults: %s", n, s.total(), what)
}

// Findings are the violations.
func (s *Series) Findings() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.findings)
}

// Faults is how many there were.
func (s *Series) Faults() int { return s.total() }

// Command is what lets the same faults come again.
func (s *Series) Command() string {
	return fmt.Sprintf("scripts/chaos %d %d", s.cfg.Faults, s.cfg.Seed)
}

// Figures says what the series was.
func (s *Series) Figures() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%d faults in %d rounds, %d runs (%d of them undisturbed, %d killed)\n", s.totalLocked(), s.round, s.runs, s.calmRuns, s.figures.killed)
	for _, kind := range slices.Sorted(maps.Keys(s.faults)) {
		fmt.Fprintf(&b, "%8d  %s\n", s.faults[kind], kind)
	}
	s.figures.print(&b)
	fmt.Fprintf(&b, "%8d  violations\n", len(s.findings))
	for _, what := range slices.Sorted(maps.Keys(s.violations)) {
		fmt.Fprintf(&b, "%8d    %s\n", s.violations[what], what)
	}
	return b.String()
}
