package reclaim

import (
	"errors"
	"fmt"
)

// Step is a step of one pod's way; it names where a pod failed.
type Step string

// The steps, in order.
const (
	StepHead    Step = "head"
	StepLogs    Step = "logs"
	StepGet     Step = "get"
	StepCollect Step = "collect" // events and owners
	StepBundle  Step = "bundle"
	StepPut     Step = "put"
	StepVerify  Step = "verify"
	StepDelete  Step = "delete"
)

// ErrIncomplete says that the run went through and some pods failed.
var ErrIncomplete = errors.New("some pods failed")

// PodError says which pod failed at which step. The pod was not deleted.
type PodError struct {
	Namespace, Name string
	Step            Step
	Err             error
}

func (e *PodError) Error() string {
	return fmt.Sprintf("pod %s/%s: %s: %v", e.Namespace, e.Name, e.Step, e.Err)
}

func (e *PodError) Unwrap() error { return e.Err }
