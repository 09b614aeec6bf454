package reclaim

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// recordTime is how long the end of the run's record may take once the run is
// over.
const recordTime = 20 * time.Second

// recordLine is one pod in the run's record that was archived, found archived, or
// deleted.
type recordLine struct {
	Time            time.Time `json:"time"`
	Namespace       string    `json:"namespace"`
	Pod             string    `json:"pod"`
	UID             string    `json:"uid"`
	ResourceVersion string    `json:"resourceVersion"`
	Archived        bool      `json:"archived"`
	Renewed         bool      `json:"renewed,omitempty"`
	Outcome         Outcome   `json:"outcome"`
	Reason          Reason    `json:"reason,omitempty"`
	Bundle          string    `json:"bundle,omitempty"`
}

// begin makes sure that the archive is ours and takes what it is given, and
// starts the run's record. A dry run only asks.
func (r *run) begin(ctx context.Context, summary *Summary) error {
	uid, err := r.Cluster.uid(ctx)
	if err != nil {
		return err
	}
	if uid != "" {
		if err := r.Bucket.Claim(ctx, uid, r.Config.DryRun); err != nil {
			return err
		}
	}
	if r.Config.DryRun {
		return nil
	}
	r.record, err = r.Bucket.Begin(ctx, summary.RunID, map[string]any{
		"runId": summary.RunID, "cluster": summary.Cluster, "startedAt": summary.StartedAt, "listed": summary.Listed,
	})
	return err
}

// uid identifies the cluster by its kube-system namespace; it is empty where we
// may not read that.
func (c *Cluster) uid(ctx context.Context) (string, error) {
	body, err := c.get(ctx, "/api/v1/namespaces/kube-system")
	if apierrors.IsForbidden(err) || apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("get namespace kube-system: %w", err)
	}
	var ns struct{ Metadata struct{ UID string } }
	if err := json.Unmarshal(body, &ns); err != nil {
		return "", fmt.Errorf("decode namespace kube-system: %w", err)
	}
	return ns.Metadata.UID, nil
}

// write adds a pod that was archived or deleted to the record. The bundles are
// the authority, so a record that cannot be written stops no pod; the first
// error is the run's.
func (r *run) write(ctx context.Context, done result) {
	recorded := done.isFound || done.isArchived || done.isProvisional || done.isRenewed || done.Outcome == Deleted || done.Outcome == Pending
	if r.record == nil || r.recordErr != nil || !recorded {
		return
	}
	r.recordErr = r.record.Add(ctx, recordLine{
		Time: r.Now().UTC(), Namespace: done.ref.namespace, Pod: done.ref.name, UID: string(done.ref.uid),
		ResourceVersion: done.ref.resourceVersion, Archived: done.isArchived, Renewed: done.isRenewed, Outcome: done.Outcome, Reason: done.Reason,
		Bundle: done.bundle,
	})
}

// end puts the rest of the record and the summary.
func (r *run) end(ctx context.Context, summary *Summary) error {
	if r.record == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, recordTime)
	defer cancel()
	summary.FinishedAt = r.Now()
	if r.recordErr == nil {
		r.recordErr = r.record.End(ctx, summary)
	}
	if r.recordErr != nil {
		return fmt.Errorf("write the run's record: %w", r.recordErr)
	}
	return nil
}
