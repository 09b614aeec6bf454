package main

import (
	"encoding/json"
	"fmt"
	"os"
	"syscall"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim"
)

// Kubernetes shows at most this much of a container's termination message, in
// bytes (pkg/kubelet/container, MaxContainerTerminationMessageLength), which
// leaves room for the summary beside an error of errorMax.
const (
	summaryMax = 4096
	errorMax   = 2048
)

// writeSummaryFile writes the summary, and why the run failed, to the file at
// path, which kubectl describe pod shows if it is the termination log. A file
// that does not exist is not made.
func writeSummaryFile(path string, summary reclaim.Summary, failure error) error {
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return nil
	}
	text := struct {
		reclaim.Summary
		Error string `json:"error,omitempty"`
	}{Summary: summary}
	if failure != nil {
		text.Error = failure.Error()
		text.Error = text.Error[:min(len(text.Error), errorMax)]
	}
	content, err := json.Marshal(text)
	if err != nil {
		return fmt.Errorf("encode summary: %w", err)
	}
	// a pipe that nobody reads must not keep us
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC|syscall.O_NONBLOCK, 0)
	if err != nil {
		return fmt.Errorf("open RECLAIM_SUMMARY_FILE: %w", err)
	}
	_, err = file.Write(content[:min(len(content), summaryMax)])
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		return fmt.Errorf("write RECLAIM_SUMMARY_FILE: %w", err)
	}
	return nil
}
