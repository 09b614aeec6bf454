package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
	"sigs.k8s.io/yaml"
)

// listPrinter prints pods as they come; end comes after the last.
type listPrinter interface {
	print([]listed) error
	end() error
}

func (p Program) listPrinter(output string, withNamespace, noHeaders bool) listPrinter {
	switch output {
	case "json":
		return &jsonList{w: p.Out}
	case "yaml":
		return &yamlList{w: p.Out}
	case "name":
		return nameList{p.Out}
	}
	return &tableList{table: newTable(p.Out), now: p.Now, namespace: withNamespace, wide: output == "wide", begun: noHeaders}
}

type tableList struct {
	table           *table
	now             func() time.Time
	namespace, wide bool
	begun           bool
}

func (l *tableList) print(pods []listed) error {
	if len(pods) > 0 && !l.begun {
		l.begun = true
		l.row("NAMESPACE", []string{"NAME", "ARCHIVED", "CLASS", "RETAIN-UNTIL", "SIZE"}, []string{"PHASE", "FINISHED", "LOGS", "BUNDLES", "UID"})
	}
	for _, p := range pods {
		l.row(p.Namespace,
			[]string{p.Pod, age(l.now(), p.ArchivedAt), p.Class, dateText(p.RetainUntil), bytesText(p.Size)},
			[]string{p.Phase, p.FinishedAt, p.Logs, strconv.Itoa(p.Bundles), p.UID})
	}
	return l.table.flush()
}

func (l *tableList) row(namespace string, cells, wide []string) {
	if l.namespace {
		cells = append([]string{namespace}, cells...)
	}
	if l.wide {
		cells = append(cells, wide...)
	}
	l.table.row(cells...)
}

func (l *tableList) end() error { return nil }

// age is how long ago at is, as kubectl says it.
func age(now, at time.Time) string { return duration.HumanDuration(now.Sub(at)) }

// dateText is the day on which something may go.
func dateText(until *time.Time) string {
	if until == nil {
		return "never"
	}
	return until.UTC().Format(time.DateOnly)
}

type nameList struct{ w io.Writer }

func (l nameList) print(pods []listed) error {
	for _, p := range pods {
		if _, err := fmt.Fprintln(l.w, "pod/"+printable(p.Pod)); err != nil {
			return err
		}
	}
	return nil
}

func (l nameList) end() error { return nil }

// jsonList is one document: {"items": [...]}.
type jsonList struct {
	w     io.Writer
	begun bool
}

func (l *jsonList) print(pods []listed) error {
	for _, p := range pods {
		before := ",\n        "
		if !l.begun {
			before = "{\n    \"items\": [\n        "
		}
		l.begun = true
		text, err := json.MarshalIndent(p, "        ", "    ")
		if err != nil {
			return fmt.Errorf("encode %s: %w", p.Pod, err)
		}
		if _, err := io.WriteString(l.w, before+string(text)); err != nil {
			return err
		}
	}
	return nil
}

func (l *jsonList) end() error {
	text := "\n    ]\n}\n"
	if !l.begun {
		text = "{\n    \"items\": []\n}\n"
	}
	_, err := io.WriteString(l.w, text)
	return err
}

// yamlList is the same document as jsonList.
type yamlList struct {
	w     io.Writer
	begun bool
}

func (l *yamlList) print(pods []listed) error {
	for _, p := range pods {
		if !l.begun {
			if _, err := io.WriteString(l.w, "items:\n"); err != nil {
				return err
			}
		}
		l.begun = true
		text, err := yaml.Marshal(p)
		if err != nil {
			return fmt.Errorf("encode %s: %w", p.Pod, err)
		}
		item := "- " + strings.ReplaceAll(strings.TrimSuffix(string(text), "\n"), "\n", "\n  ") + "\n"
		if _, err := io.WriteString(l.w, item); err != nil {
			return err
		}
	}
	return nil
}

func (l *yamlList) end() error {
	if l.begun {
		return nil
	}
	_, err := io.WriteString(l.w, "items: []\n")
	return err
}
