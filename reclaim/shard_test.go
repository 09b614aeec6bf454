package reclaim

import (
	"crypto/rand"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

// Every pod is in exactly one shard, and the shards are of about one size.
func TestShard(t *testing.T) {
	for _, shards := range []int{1, 2, 3, 10, 1024} {
		counts := make([]int, shards)
		for range 20 * shards {
			counts[shard(types.UID(rand.Text()), shards)]++
		}
		for i, n := range counts {
			if n > 60 {
				t.Errorf("shard %d of %d has %d pods, want about 20", i, shards, n)
			}
		}
	}
	// 32-bit FNV-1a as others compute it: a pod must not change its shard
	// between versions
	for uid, want := range map[types.UID]uint32{"": 0x811c9dc5, "a": 0xe40c292c, "foobar": 0xbf9cf968} {
		if got := shard(uid, 7); got != int(want%7) {
			t.Errorf("%q is in shard %d, want %d", uid, got, want%7)
		}
	}
}

func TestSetShardIndex(t *testing.T) {
	for _, tt := range []struct {
		shards int
		value  string
		index  int
		names  string
	}{
		{1, "", 0, ""}, {1, "0", 0, ""}, {3, "0", 0, ""}, {3, "2", 2, ""},
		{3, "", 0, "RECLAIM_SHARDS"}, {3, "3", 0, ShardIndexVariable}, {1, "1", 0, ShardIndexVariable},
		{3, "-1", 0, ShardIndexVariable}, {3, "x", 0, ShardIndexVariable}, {3, "1.0", 0, ShardIndexVariable},
	} {
		c := Config{Shards: tt.shards}
		err := c.SetShardIndex(tt.value)
		if c.ShardIndex != tt.index || (err == nil) != (tt.names == "") || err != nil && !strings.HasPrefix(err.Error(), tt.names+":") {
			t.Errorf("%d shards, index %q: %d, %v; want %d and an error about %q", tt.shards, tt.value, c.ShardIndex, err, tt.index, tt.names)
		}
	}
}
