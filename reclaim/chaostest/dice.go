package chaostest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"
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

// between is a duration of at least from and less than to.
func (d dice) between(from, to time.Duration) time.Duration {
	return from + time.Duration(d.Int64N(int64(to-from)))
}

// pick gives one of several; what is repeated comes more often.
func pick[T any](d dice, of ...T) T { return of[d.IntN(len(of))] }
