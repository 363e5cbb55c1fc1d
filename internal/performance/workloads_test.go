package performance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/rest"
)

// webhooks returns two configurations with so many mutating and validating webhooks for pods.
func webhooks(mutating, validating int) []byte {
	var b bytes.Buffer
	for _, c := range []struct {
		kind string
		n    int
	}{{"Mutating", mutating}, {"Validating", validating}} {
		if c.n == 0 {
			continue
		}
		fmt.Fprintf(&b, "---\napiVersion: admissionregistration.k8s.io/v1\nkind: %sWebhookConfiguration\nmetadata: {name: %s}\nwebhooks:\n", c.kind, strings.ToLower(c.kind))
		for i := range c.n {
			fmt.Fprintf(&b, "- {name: w%03d.shop.example, clientConfig: {service: {namespace: shop, name: hooks}}, sideEffects: None, admissionReviewVersions: [v1],\n"+
				"   rules: [{operations: [CREATE], apiGroups: [\"\"], apiVersions: [v1], resources: [pods]}]}\n", i)
		}
	}
	return b.Bytes()
}

// labelPolicies returns n mutating policies for pods with their bindings. Each sets a label of its own.
func labelPolicies(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: label-%[1]d}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: {'label-%[1]d': object.spec.containers[0].name}}}"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: label-%[1]d}
spec: {policyName: label-%[1]d}
`, i)
	}
	return b.Bytes()
}

// settings returns n ConfigMaps.
func settings(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings-%05d, namespace: default, labels: {app: shop}}\ndata: {colour: blue}\n", i)
	}
	return b.Bytes()
}

// pod returns a request to create a pod with so many containers.
func pod(containers int) rest.Request {
	var list []string
	for i := range containers {
		list = append(list, fmt.Sprintf(`{"name":"c%d","image":"registry.example/web:1","command":["/web","--listen=:8080"],`+
			`"env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],"ports":[{"containerPort":%d,"protocol":"TCP"}]}`, i, 8080+i))
	}
	return rest.Request{
		Verb:      rest.Create,
		Resource:  schema.GroupVersionResource{Version: "v1", Resource: "pods"},
		Namespace: "default",
		Body: []byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","labels":{"app":"web","team":"a"}},"spec":{"containers":[` +
			strings.Join(list, ",") + `]}}`),
	}
}

// load creates a world from manifests. Its mutating webhooks set a label, and the others allow.
func load(tb testing.TB, manifests []byte) *world.World {
	tb.Helper()
	label, err := dispatch.NewMock(nil, dispatch.Answer{Patch: json.RawMessage(`[{"op":"add","path":"/metadata/labels/seen","value":"yes"}]`)})
	if err != nil {
		tb.Fatal(err)
	}
	allow, err := dispatch.NewMock(nil)
	if err != nil {
		tb.Fatal(err)
	}
	found, err := scenario.Parse("world.yaml", manifests)
	if err != nil {
		tb.Fatal(err)
	}
	w, _, err := world.New(found, world.Options{
		Controllers: true,
		Backends: func(configuration, _ string) dispatch.Backend {
			if configuration == "mutating" {
				return label
			}
			return allow
		},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

// create sends w a request that must succeed.
func create(tb testing.TB, w *world.World, r rest.Request) {
	result, err := w.Simulator().Do(context.Background(), r)
	if err != nil {
		tb.Fatal(err)
	}
	if result.Code != 201 {
		tb.Fatal(result.Status().Message)
	}
}
