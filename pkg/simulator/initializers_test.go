package simulator_test

import (
	"net/url"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// Up to 1.13 roles, bindings and webhooks have no effect until they are initialized, because caches and lists do not have
// them. What the server asks for by name has its effect before: the namespace of a request, and the role of a binding
// if somebody grants what it allows (IN-13).
func TestUninitializedInCaches(t *testing.T) {
	release, err := kubeversion.Parse("1.13")
	if err != nil {
		t.Fatal(err)
	}
	sim, err := simulator.New(simulator.Options{
		Release: release, State: simulator.BootstrapOf(release), Authorization: []string{"RBAC"},
		Plugins: simulator.Plugins{Enable: []string{"Initializers"}},
		Backends: func(_, _ string) dispatch.Backend {
			return answers(`{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","response":{"allowed":false,"status":{"message":"hooked"}}}`)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	const (
		pending     = `"initializers":{"pending":[{"name":"a.b.c"}]}`
		initialized = `{"metadata":{"initializers":null}}`
		roles       = "rbac.authorization.k8s.io/v1/"
		hooks       = "admissionregistration.k8s.io/v1beta1/validatingwebhookconfigurations"
		reads       = `"rules":[{"apiGroups":[""],"resources":["configmaps"],"verbs":["get"]}]`
		ofBob       = `"subjects":[{"kind":"User","name":"bob","apiGroup":"rbac.authorization.k8s.io"}]`
		ofReader    = `"roleRef":{"kind":"ClusterRole","name":"reader","apiGroup":"rbac.authorization.k8s.io"}`
		notFound    = `configmaps "none" not found`
		forbidden   = `configmaps "none" is forbidden: User "bob" cannot get resource "configmaps" in API group "" in the namespace "default"`
	)
	for _, step := range []struct {
		user, verb, resource, name, body string
		code                             int
		says                             string
	}{
		{"admin", rest.Create, roles + "clusterroles", "", `{"metadata":{"name":"author"},"rules":[{"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles"],"verbs":["create"]}]}`, 201, ""},
		{"admin", rest.Create, roles + "clusterrolebindings", "", `{"metadata":{"name":"author"},"roleRef":{"kind":"ClusterRole","name":"author","apiGroup":"rbac.authorization.k8s.io"},` + ofBob + `}`, 201, ""},

		// The binding of a role.
		{"admin", rest.Create, roles + "clusterroles", "", `{"metadata":{"name":"reader",` + pending + `},` + reads + `}`, 202, ""},
		{"admin", rest.Create, roles + "clusterrolebindings", "", `{"metadata":{"name":"reader",` + pending + `},` + ofReader + `,` + ofBob + `}`, 202, ""},
		{"bob", rest.Get, "/v1/configmaps", "none", "", 403, forbidden},
		{"bob", rest.Create, roles + "roles", "", `{"metadata":{"name":"more"},` + reads + `}`, 403, `user "bob" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held`},
		{"admin", rest.Patch, roles + "clusterrolebindings", "reader", initialized, 200, ""},
		{"bob", rest.Get, "/v1/configmaps", "none", "", 403, forbidden + `: RBAC: clusterrole.rbac.authorization.k8s.io "reader" not found`},
		{"bob", rest.Create, roles + "roles", "", `{"metadata":{"name":"more"},` + reads + `}`, 201, ""},
		{"admin", rest.Patch, roles + "clusterroles", "reader", initialized, 200, ""},
		{"bob", rest.Get, "/v1/configmaps", "none", "", 404, notFound},

		// A webhook, and the namespace that it selects.
		{"admin", rest.Create, "/v1/namespaces", "", `{"metadata":{"name":"new","labels":{"team":"a"},` + pending + `}}`, 202, ""},
		{"admin", rest.Create, hooks, "", `{"metadata":{"name":"h",` + pending + `},"webhooks":[{"name":"h.h.h","failurePolicy":"Fail","clientConfig":{"url":"https://h.example"},
			"namespaceSelector":{"matchLabels":{"team":"a"}},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"],"operations":["CREATE"]}]}]}`, 202, ""},
		{"admin", rest.Create, "/v1/configmaps", "new/", `{"metadata":{"name":"first"}}`, 201, ""},
		{"admin", rest.Patch, hooks, "h", initialized, 200, ""},
		{"admin", rest.Create, "/v1/configmaps", "new/", `{"metadata":{"name":"second"}}`, 500, `admission webhook "h.h.h" denied the request: hooked`},
		{"admin", rest.Create, "/v1/configmaps", "", `{"metadata":{"name":"elsewhere"}}`, 201, ""},
	} {
		parts := strings.Split(step.resource, "/")
		req := rest.Request{
			Verb: step.verb, Resource: schema.GroupVersionResource{Group: parts[0], Version: parts[1], Resource: parts[2]},
			Name: step.name, Body: []byte(step.body), PatchType: rest.MergePatch,
			User:  authenticationv1.UserInfo{Username: step.user, Groups: []string{"system:authenticated"}},
			Query: url.Values{"includeUninitialized": {"1"}},
		}
		if step.user == "admin" {
			req.User.Groups = append(req.User.Groups, "system:masters")
		}
		if r := parts[2]; r == "configmaps" || r == "roles" {
			req.Namespace = "default"
		}
		if namespace, name, ok := strings.Cut(step.name, "/"); ok {
			req.Namespace, req.Name = namespace, name
		}
		result, err := sim.Do(t.Context(), req)
		if err != nil {
			t.Fatalf("%s %s %s %s: %v", step.user, step.verb, step.resource, step.body, err)
		}
		says := ""
		if status := result.Status(); status != nil {
			says = status.Message
		}
		if result.Code != step.code || !strings.Contains(says, step.says) {
			t.Errorf("%s %s %s %s%s: %d %s, want %d %s", step.user, step.verb, step.resource, step.name, step.body, result.Code, says, step.code, step.says)
		}
		sim = result.Next
	}
}
