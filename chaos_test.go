package main

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/chaostest"
)

// Whatever is killed, frozen, cut or changed: no pod is deleted whose evidence is
// not safe, no log claims more than was captured, and once nothing is wrong any
// more, every pod that should go goes.
//
// CHAOS_FAULTS is how many faults there are, CHAOS_SEED decides what they are,
// and CHAOS_MUTANT lets a program from which one safety step was removed run
// instead, which must be found. scripts/chaos sets them.
func TestChaosOnRealNode(t *testing.T) {
	newNodeBed(t) // or skips
	mendAtEnd(t)
	mutant := os.Getenv("CHAOS_MUTANT")
	s := chaostest.New(t, chaostest.Config{
		Seed: number(t, "CHAOS_SEED", rand.Uint64N(1_000_000)), Faults: int(number(t, "CHAOS_FAULTS", 40)),
		Program: buildForChaos(t, mutant), Testbed: testbed, FakePods: 90, NodePods: 6, Stop: mutant != "",
	})
	s.Run()
	t.Logf("%s\n%s", s.Command(), s.Figures())
	found := s.Findings()
	switch {
	case mutant == "" && len(found) > 0:
		t.Errorf("%d violations; again: %s", len(found), s.Command())
	case mutant != "" && len(found) == 0:
		t.Errorf("the mutant %s was not found within %d faults", mutant, s.Faults())
	case mutant != "":
		t.Logf("the mutant %s was found within %d faults: %s", mutant, s.Faults(), found[0])
	}
}

// The judge of the crash test finds a program that verifies nothing, on a store
// that says yes and keeps nothing.
func TestChaosFindsMutantOnRealNode(t *testing.T) {
	newNodeBed(t) // or skips
	s := chaostest.New(t, chaostest.Config{
		Seed: rand.Uint64N(1_000_000), Faults: 5, Only: chaostest.Phantom,
		Program: buildForChaos(t, "verify"), Testbed: testbed, FakePods: 30, Stop: true,
	})
	s.Run()
	if len(s.Findings()) == 0 {
		t.Errorf("nothing was found; %s\n%s", s.Command(), s.Figures())
	}
}
