package reclaim

import (
	"time"

	"go.uber.org/zap"
)

// progressEvery is how often a running run says how far it is.
const progressEvery = 10 * time.Second

// report counts one pod's outcome and logs it, the only line about that pod.
func (r *run) report(summary *Summary, done result) {
	summary.add(done)
	fields := []zap.Field{
		zap.String("namespace", done.ref.namespace), zap.String("pod", done.ref.name), zap.String("uid", string(done.ref.uid)),
		zap.String("outcome", string(done.Outcome)),
	}
	if done.Reason != "" {
		fields = append(fields, zap.String("reason", string(done.Reason)))
	}
	if done.ref.note != "" {
		fields = append(fields, zap.String("note", done.ref.note))
	}
	if done.Outcome == Failed {
		r.Log.Error("pod", append(fields, zap.String("step", string(done.Step)), zap.Error(done.Err))...)
		return
	}
	if done.isArchived {
		fields = append(fields, zap.Bool("archived", true))
	}
	if done.isRenewed {
		fields = append(fields, zap.Bool("renewed", true))
	}
	r.Log.Info("pod", fields...)
}

// show tells whoever watches.
func (r *run) show(summary *Summary) {
	if r.Progress != nil {
		r.Progress(summary.Sum(), summary.Listed)
	}
}

func (r *run) progress(summary *Summary) {
	if r.Progress != nil {
		return
	}
	r.Log.Info("progress", zap.Int("listed", summary.Listed), zap.Int("done", summary.Sum()),
		zap.Int("archived", summary.Archived), zap.Int("deleted", summary.Deleted), zap.Int("failed", total(summary.Failed)))
}
