package archive

import (
	"maps"
	"slices"
	"time"
)

// IndexName is the last entry of every bundle; a bundle without it was cut off.
const IndexName = "index.json"

// Schema is the version of Index written here. Additions keep the number;
// readers ignore what they do not know.
const Schema = 1

// Index says what is in a bundle and how complete it is.
type Index struct {
	Schema           int       `json:"schema"`
	Cluster          string    `json:"cluster"`
	Namespace        string    `json:"namespace"`
	Pod              string    `json:"pod"`
	UID              string    `json:"uid"`
	ResourceVersion  string    `json:"resourceVersion"`
	Phase            string    `json:"phase"`
	Reason           string    `json:"reason,omitempty"`
	Node             string    `json:"node,omitempty"`
	Class            string    `json:"class"`
	FinishedAt       time.Time `json:"finishedAt"`
	FinishedAtSource string    `json:"finishedAtSource"`
	Files            []File    `json:"files"`
	Logs             []Log     `json:"logs"`
	Notes            []string  `json:"notes"`
}

// File is one entry of the bundle before the index; Size is in bytes, SHA256
// in hex.
type File struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Log says what became of one container's log. Every container and every
// previous instance has one, with or without a file.
type Log struct {
	Container string  `json:"container"`
	Type      string  `json:"type"` // init, sidecar, regular or ephemeral
	Previous  bool    `json:"previous"`
	Outcome   Outcome `json:"outcome"`
	Path      string  `json:"path,omitempty"`
	// Status is the HTTP status of the log endpoint's last answer, 0 if none came.
	Status         int    `json:"status,omitempty"`
	Note           string `json:"note,omitempty"`
	FirstTimestamp string `json:"firstTimestamp,omitempty"`
	LastTimestamp  string `json:"lastTimestamp,omitempty"`
}

// Outcome is how complete one log is.
type Outcome string

// Outcomes, from best to worst.
const (
	Complete        Outcome = "complete"         // stored, and its end confirmed by a second request
	Empty           Outcome = "empty"            // the log is empty: the container wrote nothing, or its log was rotated as it ended
	NeverStarted    Outcome = "never-started"    // there was no such instance to log
	PossiblyRotated Outcome = "possibly-rotated" // stored, but it begins long after the container did
	Truncated       Outcome = "truncated"        // the head of it, up to RECLAIM_LOG_MAX_BYTES
	Unconfirmed     Outcome = "unconfirmed"      // stored, but its end could not be confirmed
	Unavailable     Outcome = "unavailable"      // the container ran, its log could not be had
)

var outcomeRank = map[Outcome]int{
	Complete: 1, Empty: 2, NeverStarted: 3, PossiblyRotated: 4, Truncated: 5, Unconfirmed: 6, Unavailable: 7,
}

// Outcomes are all outcomes, from best to worst.
func Outcomes() []Outcome {
	return slices.SortedFunc(maps.Keys(outcomeRank), func(a, b Outcome) int { return outcomeRank[a] - outcomeRank[b] })
}

// Worst is the worst outcome of logs; Complete if there are none.
func Worst(logs []Log) Outcome {
	worst := Complete
	for _, l := range logs {
		if outcomeRank[l.Outcome] > outcomeRank[worst] {
			worst = l.Outcome
		}
	}
	return worst
}

// Whole tells whether nothing of the log is missing; an outcome that is not known
// says nothing of the kind.
func (o Outcome) Whole() bool {
	return o == Complete || o == Empty || o == NeverStarted
}

// Worse tells whether o is a worse outcome than than; one that is not known is
// the worst.
func (o Outcome) Worse(than Outcome) bool { return rankOf(o) > rankOf(than) }

func rankOf(o Outcome) int {
	if rank, known := outcomeRank[o]; known {
		return rank
	}
	return len(outcomeRank) + 1
}
