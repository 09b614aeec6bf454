package reclaim

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestListUnmarshalText(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       List
	}{
		{"one", "a", List{"a"}},
		{"several, in order", "b,a", List{"b", "a"}},
		{"white space", " a ,\tb\n", List{"a", "b"}},
		{"empty items", ",a,, ,b,", List{"a", "b"}},
	} {
		got := List{"from before"}
		if err := got.UnmarshalText([]byte(tt.text)); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
	for _, text := range []string{"", " , ,"} {
		if err := new(List).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: a list without items passes", text)
		}
	}
}

func TestPhasesUnmarshalText(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Phases // nil: refused
	}{
		{"Succeeded,Failed", Phases{"Succeeded", "Failed"}},
		{" Failed ,", Phases{"Failed"}},
		{"Succeeded", Phases{"Succeeded"}},
		{"Running", nil},
		{"Succeeded,Running", nil},
		{"Pending", nil},
		{"Unknown", nil},
		{"failed", nil},
		{"*", nil},
		{"", nil},
		{",", nil},
	} {
		var got Phases
		err := got.UnmarshalText([]byte(tt.text))
		if (err != nil) != (tt.want == nil) || err == nil && !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, %v, want %q", tt.text, got, err, tt.want)
		}
	}
}

func TestSelectorUnmarshalText(t *testing.T) {
	for text, ok := range map[string]bool{
		"": true, "app=web": true, "app in (a,b),!keep": true, "workflows.argoproj.io/completed=true": true,
		"app=": true, "=": false, "app in (a": false, "a b": false, "app=a=b": false,
	} {
		var got Selector
		if err := got.UnmarshalText([]byte(text)); (err == nil) != ok || ok && string(got) != text {
			t.Errorf("%q: %q, %v, want it to be taken: %v", text, got, err, ok)
		}
	}
}

// goodConfig is that of the defaults.
func goodConfig() Config {
	return Config{
		Phases: Phases{"Succeeded", "Failed"}, OwnerKinds: List{"None"}, ArchiveAfter: 30 * time.Second, DeleteAfter: time.Hour,
		Concurrency: 32, Shards: 1, LogIdleTimeout: time.Minute, LogGrace: 24 * time.Hour, LogsRequired: true,
	}
}

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Config)
		names  string // the variable that the error must name; empty: no error
	}{
		{"defaults", func(*Config) {}, ""},
		{"no waits", func(c *Config) { c.ArchiveAfter, c.DeleteAfter, c.LogGrace = 0, 0, 0 }, ""},
		{"negative archive after", func(c *Config) { c.ArchiveAfter = -1 }, "RECLAIM_ARCHIVE_AFTER"},
		{"negative delete after", func(c *Config) { c.DeleteAfter = -1 }, "RECLAIM_DELETE_AFTER"},
		{"negative deadline", func(c *Config) { c.Deadline = -1 }, "RECLAIM_DEADLINE"},
		{"negative number of pods", func(c *Config) { c.MaxPods = -1 }, "RECLAIM_MAX_PODS"},
		{"no workers", func(c *Config) { c.Concurrency = 0 }, "RECLAIM_CONCURRENCY"},
		{"one worker", func(c *Config) { c.Concurrency = 1 }, ""},
		{"1024 workers", func(c *Config) { c.Concurrency = 1024 }, ""},
		{"1025 workers", func(c *Config) { c.Concurrency = 1025 }, "RECLAIM_CONCURRENCY"},
		{"no shards", func(c *Config) { c.Shards = 0 }, "RECLAIM_SHARDS"},
		{"1025 shards", func(c *Config) { c.Shards = 1025 }, "RECLAIM_SHARDS"},
		{"no idle timeout", func(c *Config) { c.LogIdleTimeout = 0 }, "RECLAIM_LOG_IDLE_TIMEOUT"},
		{"negative grace", func(c *Config) { c.LogGrace = -1 }, "RECLAIM_LOG_GRACE"},
		{"negative size of a log", func(c *Config) { c.LogMaxBytes = -1 }, "RECLAIM_LOG_MAX_BYTES"},
		{"one byte of a log", func(c *Config) { c.LogMaxBytes = 1 }, ""},
		{"no URL of a Pushgateway", func(c *Config) { c.PushgatewayURL = "pushgateway:9091" }, "RECLAIM_PUSHGATEWAY_URL"},
		{"a URL of a Pushgateway", func(c *Config) { c.PushgatewayURL = "https://u:p@push/x" }, ""},
		{"a URL of a Pushgateway with a query", func(c *Config) { c.PushgatewayURL = "https://push/?token=x" }, "RECLAIM_PUSHGATEWAY_URL"},
		{"a namespace both listed and excluded", func(c *Config) { c.Namespaces, c.ExcludeNamespaces = List{"a", "b"}, List{"b"} }, "RECLAIM_NAMESPACES"},
		{"different namespaces listed and excluded", func(c *Config) { c.Namespaces, c.ExcludeNamespaces = List{"a"}, List{"b"} }, ""},
	} {
		c := goodConfig()
		tt.change(&c)
		err := c.Validate()
		switch {
		case tt.names == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.names != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.names+":")):
			t.Errorf("%s: error %v does not name %s", tt.name, err, tt.names)
		}
	}
}

func TestValidateReportsEverythingAtOnce(t *testing.T) {
	err := Config{ArchiveAfter: -1, DeleteAfter: -1, Deadline: -1, MaxPods: -1, LogGrace: -1, LogMaxBytes: -1}.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, name := range []string{"ARCHIVE_AFTER", "DELETE_AFTER", "DEADLINE", "MAX_PODS", "CONCURRENCY", "LOG_IDLE_TIMEOUT", "LOG_GRACE", "LOG_MAX_BYTES"} {
		if !strings.Contains(err.Error(), "RECLAIM_"+name+":") {
			t.Errorf("error %q does not name RECLAIM_%s", err, name)
		}
	}
}
