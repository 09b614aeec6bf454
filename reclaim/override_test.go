package reclaim

import (
	"strings"
	"testing"
)

func TestOverrides(t *testing.T) {
	const hold, retention = HoldAnnotation, RetentionAnnotation
	type notes = map[string]string
	for _, tt := range []struct {
		name    string
		pod, ns notes
		hold    bool
		class   string
		bad     string // what the error must name; empty: no error
	}{
		{"none", nil, nil, false, "7d", ""},
		{"of others", notes{"example.com/hold": "true"}, notes{"hold": "true"}, false, "7d", ""},

		{"the pod is held", notes{hold: "true"}, nil, true, "7d", ""},
		{"the pod is not held", notes{hold: "false"}, nil, false, "7d", ""},
		{"the namespace is held", nil, notes{hold: "true"}, true, "7d", ""},
		{"the pod's hold stands before its namespace's", notes{hold: "false"}, notes{hold: "true"}, false, "7d", ""},
		{"and the other way round", notes{hold: "true"}, notes{hold: "false"}, true, "7d", ""},
		{"a hold that does not parse", notes{hold: "yes"}, nil, false, "7d", hold},
		{"an empty hold", notes{hold: ""}, nil, false, "7d", hold},
		{"a namespace's hold that does not parse", nil, notes{hold: "until-friday"}, false, "7d", hold},
		{"the pod's hold hides a bad one of its namespace", notes{hold: "false"}, notes{hold: "yes"}, false, "7d", ""},
		{"a bad one of the pod is not replaced by its namespace's", notes{hold: "yes"}, notes{hold: "true"}, false, "7d", hold},

		{"longer", notes{retention: "30d"}, nil, false, "30d", ""},
		{"as weeks", notes{retention: "2w"}, nil, false, "30d", ""},
		{"rounded up", notes{retention: "8d"}, nil, false, "30d", ""},
		{"the default itself", notes{retention: "7d"}, nil, false, "7d", ""},
		{"shorter changes nothing", notes{retention: "1d"}, nil, false, "7d", ""},
		{"longer than all", notes{retention: "31d"}, nil, false, "7d", retention},
		{"forever is longer than all", notes{retention: "forever"}, nil, false, "7d", retention},
		{"not parsed", notes{retention: "a month"}, nil, false, "7d", retention},
		{"empty", notes{retention: ""}, nil, false, "7d", retention},
		{"the namespace's", nil, notes{retention: "30d"}, false, "30d", ""},
		{"the pod's stands before its namespace's", notes{retention: "7d"}, notes{retention: "30d"}, false, "7d", ""},
		{"a bad one of the namespace", nil, notes{retention: "1y"}, false, "7d", retention},

		{"both", notes{hold: "true"}, notes{retention: "30d"}, true, "30d", ""},
		{"held, and a bad retention", notes{hold: "true", retention: "1y"}, nil, true, "7d", retention},
		{"a good retention, and a bad hold", notes{hold: "x", retention: "30d"}, nil, false, "7d", hold},
	} {
		got, err := overrides(tt.pod, Namespace{Readable: true, Annotations: tt.ns}, classes(t, "7d,30d"))
		if got.class.String() != tt.class {
			t.Errorf("%s: class %s, want %s", tt.name, got.class, tt.class)
		}
		switch {
		case tt.bad == "" && (err != nil || got.hold != tt.hold):
			t.Errorf("%s: hold %v, error %v, want hold %v", tt.name, got.hold, err, tt.hold)
		case tt.bad != "" && (err == nil || !strings.Contains(err.Error(), tt.bad)):
			t.Errorf("%s: error %v does not name %s", tt.name, err, tt.bad)
		}
	}
}

func TestOverridesOfAnUnreadableNamespace(t *testing.T) {
	for _, annotations := range []map[string]string{nil, {HoldAnnotation: "false"}, {HoldAnnotation: "false", RetentionAnnotation: "30d"}} {
		got, err := overrides(annotations, Namespace{}, classes(t, "7d,30d"))
		if err == nil || !strings.Contains(err.Error(), "namespace") {
			t.Errorf("%v: error %v", annotations, err)
		}
		if got.class.String() != "7d" {
			t.Errorf("%v: class %s, want the default", annotations, got.class)
		}
	}
}
