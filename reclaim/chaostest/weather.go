package chaostest

import (
	"fmt"
	"time"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/dice"
)

// weather is what goes wrong in one run, apart from single requests.
type weather struct {
	faults float64 // how likely a request meets one
	// how likely a log's answer is cut short, a pod replaced before its delete,
	// and a put not done or half done
	cutLogs, replaced, lies float64
	meddling                float64       // how likely somebody changes a pod before a request for it
	step                    time.Duration // of the clocks that the servers show
	spool                   string        // how the spool is mounted: "", "full", "read-only"
	blow                    string        // to the program: "", "kill", "terminate", "freeze"
	after                   int64         // how many requests begun or ended the blow comes
	frozen                  time.Duration
	part                    string // of the testbed, that is killed or frozen; "" is none
	frozeIt                 bool
	at, away                time.Duration // when, and for how long
	young                   bool          // no pod is old enough to go
	env                     []string
}

// parts are the servers that are killed and frozen. The API server takes longest
// to come back.
var parts = []string{"kube-apiserver", "etcd", "etcd", "store", "store", "store", "kubelet", "kubelet", "kubelet", "containerd", "containerd", "kwok", "kwok"}

func (s *Series) newWeather(d dice.Dice) weather {
	if s.cfg.Only != "" {
		return weather{env: []string{"RECLAIM_DELETE_AFTER=0s"}}
	}
	w := weather{
		faults:   dice.Pick(d, 0, 0.01, 0.02, 0.02, 0.05, 0.1),
		cutLogs:  dice.Pick(d, 0.01, 0.02, 0.05),
		replaced: dice.Pick(d, 0.02, 0.05, 0.1),
		lies:     dice.Pick(d, 0.02, 0.05, 0.1),
		meddling: dice.Pick(d, 0, 0, 0.01, 0.03),
		frozen:   d.Between(200*time.Millisecond, 3*time.Second),
		after:    1 + d.Int64N(300),
		at:       d.Between(0, time.Second),
		away:     d.Between(100*time.Millisecond, 4*time.Second),
		frozeIt:  d.Chance(0.5),
		young:    d.Chance(0.25),
	}
	if d.Chance(0.08) {
		w.step = dice.Pick(d, -time.Hour, time.Hour, -3*time.Minute, 3*time.Minute, 20*time.Second)
	}
	if d.Chance(0.12) {
		w.spool = dice.Pick(d, "full", "full", "read-only")
	}
	if d.Chance(0.55) {
		w.blow = dice.Pick(d, "kill", "kill", "kill", "terminate", "freeze")
	}
	if d.Chance(0.6) {
		w.part = dice.Pick(d, parts...)
	}
	w.env = []string{
		fmt.Sprintf("RECLAIM_CONCURRENCY=%d", dice.Pick(d, 1, 4, 16)),
		"ARCHIVE_VERIFY=" + dice.Pick(d, "etag", "etag", "read"),
		"RECLAIM_MAX_PODS=" + dice.Pick(d, "0", "0", "0", "10"),
		"RECLAIM_DEADLINE=" + dice.Pick(d, "0", "0", "0", "5s"),
		"RECLAIM_DELETE_AFTER=0s",
	}
	if w.young {
		w.env[len(w.env)-1] = "RECLAIM_DELETE_AFTER=24h"
	}
	return w
}
