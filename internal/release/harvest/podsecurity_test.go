package harvest

import (
	"encoding/json"
	"strings"
	"testing"
)

// A pod of the fixtures is created for its versions, one of a check's own tests for all versions. Both are refused, if at
// all, and part of a Deployment for the latest.
func TestPodSecurityCases(t *testing.T) {
	const fixture = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a_b"},"spec":{"containers":[{"name":"c","image":"i"}]}}`
	const checked = `{"apiVersion":"v1","kind":"Pod","metadata":{},"spec":{"containers":[{"livenessProbe":{"httpGet":{"host":"h","port":0}}}]}}`
	fixtures := []Fixture{{"v1.8", json.RawMessage(fixture)}, {"v1.25", json.RawMessage(fixture)}, {"v1.25", json.RawMessage(strings.Replace(fixture, "a_b", "a_c", 1))}}
	calls := []Call{
		{Function: "policy:hostPorts_1_0", Objects: []Object{{Version: "v1", Kind: "Pod", Object: json.RawMessage(checked)}}},
		{Function: "policy:hostPorts_1_0", Objects: []Object{{Version: "v1", Kind: "Pod", Object: json.RawMessage(`{"spec":null}`)}}},
	}
	in := map[string]int{}
	for _, c := range PodSecurityCases(fixtures, calls, "p") {
		r := c.Requests[0]
		in[r.Resource+" in "+r.Namespace]++
		if c.Profile != "p" || !strings.HasPrefix(c.ID, "upstream-podsecurity-") || !strings.Contains(string(r.Object), `"name":"name"`) {
			t.Errorf("a case is %s of profile %s: %s", c.ID, c.Profile, r.Object)
		}
		if strings.Contains(string(r.Object), "httpGet") && !strings.Contains(string(r.Object), `"port":80`) {
			t.Errorf("a pod is not complete: %s", r.Object)
		}
	}
	for name, want := range map[string]int{
		"pods in noted-v1-8": 2, "pods in noted-v1-25": 2, "pods in enforced-baseline": 2, "pods in enforced-restricted": 2, "deployments in noted-latest": 2,
	} {
		if in[name] != want {
			t.Errorf("%s: %d cases, want %d (%v)", name, in[name], want, in)
		}
	}
	if cases := Cases(calls, pods, "p"); len(cases) > 0 {
		t.Errorf("pods of a check are %d cases about validation", len(cases))
	}
}
