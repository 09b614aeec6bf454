package reclaim

import (
	"fmt"
	"hash/fnv"
	"strconv"

	"k8s.io/apimachinery/pkg/types"
)

// ShardIndexVariable is what an Indexed Job sets in its pods: which of its
// completions this one is, from 0 (pkg/controller/job,
// https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode).
const ShardIndexVariable = "JOB_COMPLETION_INDEX"

// shard tells which of so many runs side by side a pod belongs to.
func shard(uid types.UID, shards int) int {
	sum := fnv.New32a()
	sum.Write([]byte(uid))
	return int(sum.Sum32() % uint32(shards)) //nolint:gosec // validated to be 1 to 1024
}

// SetShardIndex takes the value of ShardIndexVariable, "" if it is not set. An
// index that no shard has is refused: its run would find nothing to do, and the
// pods of another would be nobody's.
func (c *Config) SetShardIndex(value string) error {
	if value == "" {
		if c.Shards > 1 {
			return fmt.Errorf("RECLAIM_SHARDS: %d shards need %s, which the pods of an Indexed Job have", c.Shards, ShardIndexVariable)
		}
		return nil
	}
	index, err := strconv.Atoi(value)
	if err != nil || index < 0 {
		return fmt.Errorf("%s: want a number from 0", ShardIndexVariable)
	}
	if index >= c.Shards {
		return fmt.Errorf("%s: %d: RECLAIM_SHARDS is %d, so the last index is %d; set RECLAIM_SHARDS to the Job's completions", ShardIndexVariable, index, c.Shards, c.Shards-1)
	}
	c.ShardIndex = index
	return nil
}
