// Package dice makes random choices that follow from a seed, for tests: what
// happens to one thing is decided by its name, not by the order of things.
package dice

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"
)

// Dice are the random choices about one thing.
type Dice struct{ *rand.Rand }

// Roll gives the dice of the thing that parts name.
func Roll(parts ...any) Dice {
	h := fnv.New64a()
	fmt.Fprintln(h, parts...)
	return Dice{rand.New(rand.NewPCG(h.Sum64(), 0))}
}

// Chance is true with probability p.
func (d Dice) Chance(p float64) bool { return d.Float64() < p }

// Between is a duration of at least from and less than to.
func (d Dice) Between(from, to time.Duration) time.Duration {
	return from + time.Duration(d.Int64N(int64(to-from)))
}

// Pick gives one of several; what is repeated comes more often.
func Pick[T any](d Dice, of ...T) T { return of[d.IntN(len(of))] }
