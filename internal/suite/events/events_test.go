package events_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/events"
	"github.com/admsim/admsim/internal/traffic/traffictest"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// denied has requests that a policy, a plugin and the API server itself refuse, after a pod that is admitted.
const denied = `
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: no-latest}
spec:
  matchConstraints: {resourceRules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [pods]}]}
  validations: [{expression: "!object.spec.containers.exists(c, c.image.endsWith(':latest'))"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: everywhere}
spec: {policyName: no-latest, validationActions: [Deny]}
---
apiVersion: admsim.dev/v1alpha1
kind: Request
object: {apiVersion: v1, kind: Pod, metadata: {name: web-7, namespace: shop}, spec: {containers: [{name: web, image: "nginx:1"}]}}
---
apiVersion: admsim.dev/v1alpha1
kind: Request
object: {apiVersion: v1, kind: Pod, metadata: {name: late, namespace: shop}, spec: {containers: [{name: web, image: "nginx:latest"}]}}
---
apiVersion: admsim.dev/v1alpha1
kind: Request
object: {apiVersion: v1, kind: ConfigMap, metadata: {name: lost, namespace: elsewhere}}
---
apiVersion: admsim.dev/v1alpha1
kind: Request
object: {apiVersion: v1, kind: Pod, metadata: {name: nameless, namespace: shop}, spec: {containers: [{image: "nginx:1"}]}}
`

func answers(t *testing.T) (admitted, byWebhook, byPolicy, byPlugin, byServer *simulator.Result) {
	t.Helper()
	all := traffictest.Read(t, traffictest.Mesh+traffictest.Pod+denied).Answers(t)
	return all[0], all[1], all[2], all[3], all[4]
}

// The events of an answer are its plugins in order, each followed by its webhooks and policies.
func TestOf(t *testing.T) {
	admitted, _, _, _, _ := answers(t)
	var acted []string
	all := events.Of(admitted)
	for _, e := range all {
		if e.Hook != nil || e.Outcome() == trace.Changed {
			acted = append(acted, fmt.Sprintf("%s: %s", e.Name(), e.Outcome()))
		}
	}
	want := []string{
		"LimitRanger: changed",
		"ServiceAccount: changed",
		"Priority: changed",
		"DefaultTolerationSeconds: changed",
		"MutatingAdmissionWebhook: changed",
		"mesh/sidecar.mesh.example: changed",
		"LimitRanger: changed", // in the second round: the sidecar
		"ServiceAccount: changed",
		"mesh/sidecar.mesh.example: skipped",
		"no-latest/everywhere: allowed",
		"guard/pods.guard.example: allowed",
	}
	if diff := cmp.Diff(want, acted); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	for name, called := range map[string]bool{"mesh/sidecar.mesh.example": true, "AlwaysPullImages": false, "PodSecurity": true} {
		is := slices.ContainsFunc(all, func(e events.Event) bool { return e.Name() == name && e.Called() })
		if is != called {
			t.Errorf("%s was called: %v, want %v", name, is, called)
		}
	}
}

// A pattern names a plugin by its name, a webhook by its name with or without the configuration, and a policy also by
// its own name.
func TestEventIs(t *testing.T) {
	admitted, _, _, _, _ := answers(t)
	for pattern, want := range map[string][]string{
		"LimitRanger":               {"LimitRanger", "LimitRanger", "LimitRanger"}, // two rounds, and validating
		"sidecar.mesh.example":      {"mesh/sidecar.mesh.example"},
		"mesh/*":                    {"mesh/sidecar.mesh.example"},
		"*.example":                 {"mesh/sidecar.mesh.example", "guard/pods.guard.example"},
		"no-latest":                 {"no-latest/everywhere"},
		"no-latest/everywhere":      {"no-latest/everywhere"},
		"no-latest/elsewhere":       nil,
		"everywhere":                nil,                                                      // a binding is named after its policy
		"MutatingAdmissionWebhook":  {"MutatingAdmissionWebhook", "MutatingAdmissionWebhook"}, // both rounds
		"mesh/pods.guard.example":   nil,
		"guard/sidecar.mesh.exampl": nil,
	} {
		var got []string
		for _, e := range events.Of(admitted) {
			if e.Is(pattern) && (e.Hook == nil || e.Called()) {
				got = append(got, e.Name())
			}
		}
		if !cmp.Equal(got, want) {
			t.Errorf("%s names %q, want %q", pattern, got, want)
		}
	}
}

func TestDeciderOf(t *testing.T) {
	admitted, byWebhook, byPolicy, byPlugin, byServer := answers(t)
	wanted := map[string]scenario.DeniedBy{
		"webhook":       {ValidatingWebhook: "pods.guard.example"},
		"configuration": {ValidatingWebhook: "guard/*"},
		"mutating":      {MutatingWebhook: "pods.guard.example"},
		"policy":        {Policy: "no-latest"},
		"bound policy":  {Policy: "no-latest/everywhere"},
		"binding":       {Binding: "everywhere"},
		"other policy":  {Policy: "no-latest", Binding: "elsewhere"},
		"plugin":        {Plugin: "NamespaceLifecycle"},
		"server":        {Server: true},
		"validation":    {Validation: true},
	}
	for _, one := range []struct {
		of   *simulator.Result
		text string
		is   []string // of wanted
	}{
		{admitted, "the API server", []string{"server"}}, // nothing else decided
		{byWebhook, "validating webhook guard/pods.guard.example", []string{"configuration", "webhook"}},
		{byPolicy, "policy no-latest/everywhere", []string{"binding", "bound policy", "policy"}},
		{byPlugin, "plugin NamespaceLifecycle", []string{"plugin"}},
		{byServer, "the API server", []string{"server", "validation"}},
	} {
		d := events.DeciderOf(one.of)
		if d.String() != one.text {
			t.Errorf("decided by %s, want %s", d, one.text)
		}
		var is []string
		for name, want := range wanted {
			if d.Is(want, one.of.Code) {
				is = append(is, name)
			}
		}
		if slices.Sort(is); !cmp.Equal(is, one.is) {
			t.Errorf("%s is %q, want %q", d, is, one.is)
		}
	}
}

// What the author sent and what the server completes is not a change. What plugins and webhooks did is, and the changes
// of a webhook count once.
func TestChanges(t *testing.T) {
	admitted, _, _, _, _ := answers(t)
	var paths []string
	for _, o := range events.Changes(admitted) {
		paths = append(paths, o.Op+" "+o.Path)
	}
	for path, n := range map[string]int{
		"add /spec/containers/1":                        1,
		"add /spec/serviceAccountName":                  1,
		"add /spec/containers/0/resources/requests":     1,
		"add /spec/containers/1/resources/requests":     1,
		"add /spec/terminationGracePeriodSeconds":       0,
		"replace /spec/terminationGracePeriodSeconds":   0,
		"add /spec/containers/0/imagePullPolicy":        0,
		"add /metadata/uid":                             0,
		"replace /spec/containers/0/resources/requests": 0,
	} {
		got := 0
		for _, p := range paths {
			if p == path {
				got++
			}
		}
		if got != n {
			t.Errorf("%s: %d times, want %d; all:\n%q", path, got, n, paths)
		}
	}
}

func TestPatterns(t *testing.T) {
	for _, one := range []struct {
		pattern, policy, binding string
		is, binds                bool
	}{
		{"a", "a", "b", true, false},
		{"b", "a", "b", false, true},
		{"a/b", "a", "b", true, false},
		{"a/*", "a", "b", true, false},
		{"*", "a", "b", true, true},
		{"a/c", "a", "b", false, false},
		{"[", "[", "[", false, false}, // not a valid pattern
	} {
		if is := events.NamesPolicy(one.pattern, one.policy, one.binding); is != one.is {
			t.Errorf("%s names policy %s/%s: %v", one.pattern, one.policy, one.binding, is)
		}
		if binds := events.NamesBinding(one.pattern, one.binding); binds != one.binds {
			t.Errorf("%s names binding %s: %v", one.pattern, one.binding, binds)
		}
	}
}
