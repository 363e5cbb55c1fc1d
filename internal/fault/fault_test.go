package fault_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/fault"
)

var update = fault.Request{Verb: "update", Resource: schema.GroupResource{Group: "apps", Resource: "deployments"}, Namespace: "shop", Name: "web", User: "system:serviceaccount:shop:web"}

// A rule hits the requests that match it, and no others.
func TestConcerns(t *testing.T) {
	for _, tt := range []struct {
		rule string
		want bool
	}{
		{"*:*:error", true},
		{"update:deployments:error", true},
		{"get,update:pods,deployments:error", true},
		{"update:deployments.apps:error", true},
		{"update:*.apps:error", true},
		{"update:deployments.batch:error", false},
		{"update:deployments/status:error", false},
		{"update:deployments/*:error", false},
		{"get:deployments:error", false},
		{"*:deploy*:error,namespace=sh*,name=web", true},
		{"*:*:error,namespace=other", false},
		{"*:*:error,name=w?b,user=system:serviceaccount:*", true},
		{"*:*:error,user=anna", false},
	} {
		r, err := fault.Parse(tt.rule)
		if err != nil {
			t.Errorf("%s: %v", tt.rule, err)
			continue
		}
		if _, hit := fault.New(r).Next(update); hit != tt.want {
			t.Errorf("%s hits %v: %v, want %v", tt.rule, update, hit, tt.want)
		}
	}
	status := update
	status.Subresource = "status"
	for rule, want := range map[string]bool{"*:deployments:error": false, "*:deployments/status:error": true, "*:deployments/*:error": true, "*:*:error": true} {
		r, err := fault.Parse(rule)
		if err != nil {
			t.Fatal(err)
		}
		if _, hit := fault.New(r).Next(status); hit != want {
			t.Errorf("%s hits the subresource: %v, want %v", rule, hit, want)
		}
	}
}

// Each rule counts the requests that match it, and the first rule that is due hits.
func TestNext(t *testing.T) {
	for _, tt := range []struct{ rules, want string }{
		{"*:*:error", "error error error error error error error"},
		{"*:*:error,every=3", "- - error - - error -"},
		{"*:*:error,after=4", "- - - - error error error"},
		{"*:*:error,after=1,every=2,times=2", "- - error - error - -"},
		{"*:*:error,times=1 *:*:closed,every=2", "error closed - closed - closed -"},
		{"get:*:error *:*:closed,times=1", "closed - - - - - -"},
	} {
		var rules []fault.Rule
		for text := range strings.FieldsSeq(tt.rules) {
			r, err := fault.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			rules = append(rules, r)
		}
		p := fault.New(rules...)
		var got []string
		for range 7 {
			if r, hit := p.Next(update); hit {
				got = append(got, string(r.Kind))
			} else {
				got = append(got, "-")
			}
		}
		if all := strings.Join(got, " "); all != tt.want {
			t.Errorf("%s: %s, want %s", tt.rules, all, tt.want)
		}
	}
	if _, hit := (*fault.Plan)(nil).Next(update); hit {
		t.Error("a nil plan hits a request")
	}
}

func TestUnmet(t *testing.T) {
	get, err := fault.Parse("get:*:error")
	if err != nil {
		t.Fatal(err)
	}
	p := fault.New(get, fault.Rule{Kind: fault.Error, Every: 2})
	p.Next(update)
	if got := p.Unmet(); len(got) != 1 || got[0].Source != "--fault get:*:error" {
		t.Errorf("unmet: %v", got)
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"conflict":                  `want VERBS:RESOURCES:FAULT[,KEY=VALUE]...`,
		"update:configmaps:conflct": `unknown fault "conflct"; did you mean "conflict"?`,
		"updat:configmaps:conflict": `unknown verb "updat"`,
		"*:[:error":                 `"[" is no pattern`,
		"*:*:error,evry=3":          `unknown key "evry"; did you mean "every"?`,
		"*:*:error,every=0":         `every=0: want a whole number from 1`,
		"*:*:error,x":               `"x" is no key with a value`,
		"*:*:latency=soon":          `latency=soon: want a duration`,
		"*:*:every=3":               `nothing happens: give it a fault or a latency`,
		"*:*:error,retryAfter=3":    `only throttled and unavailable have one`,
		"get:*:ended":               `only a watch ends: the verbs have to be watch alone`,
		"*:*:closed,events=2":       `only a watch has events: the verbs have to be watch alone`,
		"watch:*:conflict,events=2": `after events, the fault is one of error, expired, closed, stalled, ended`,
	} {
		if _, err := fault.Parse(text); fmt.Sprint(err) != want {
			t.Errorf("Parse(%q): %v, want %s", text, err, want)
		}
	}
}
