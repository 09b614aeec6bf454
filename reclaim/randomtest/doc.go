// Package randomtest makes random worlds for the property test of a run: pods
// of all kinds, a kubelet that knows what every container really wrote, faults
// of both servers, and other people who change pods between any two requests.
// It knows the program only by its requests, and judges it by what it did.
//
// Everything follows from one seed: what a request of a pod meets is decided by
// the seed, the pod, the run and how often the pod has sent that request, not
// by the order in which the requests of different pods arrive.
package randomtest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
)

// dice are the random choices about one thing.
type dice struct{ *rand.Rand }

// roll gives the dice of the thing that parts name.
func roll(parts ...any) dice {
	h := fnv.New64a()
	fmt.Fprintln(h, parts...)
	return dice{rand.New(rand.NewPCG(h.Sum64(), 0))}
}

// chance is true with probability p.
func (d dice) chance(p float64) bool { return d.Float64() < p }

// pick gives one of several; what is repeated comes more often.
func pick[T any](d dice, of ...T) T { return of[d.IntN(len(of))] }
