package callee

import (
	"fmt"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/recording"
)

// hook returns a webhook for the creation of a resource. The address begins with https://, or is a service and a path.
func hook(name, address, resource string) Webhook {
	w := Webhook{Configuration: "team", Mutating: strings.HasPrefix(name, "mutate")}
	w.Name = name
	w.Rules = []admissionregistrationv1.RuleWithOperations{{
		Operations: []admissionregistrationv1.OperationType{"CREATE"},
		Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{resource}},
	}}
	if strings.HasPrefix(address, "https://") {
		w.ClientConfig.URL = &address
		return w
	}
	service, path, _ := strings.Cut(address, "/")
	path = "/" + path
	w.ClientConfig.Service = &admissionregistrationv1.ServiceReference{Name: service, Namespace: "shop", Path: &path}
	return w
}

func TestOf(t *testing.T) {
	all := []Webhook{
		hook("mutate.pods.example", "hook/mutate", "pods"),
		hook("pods.example", "hook/validate", "pods"),
		hook("maps.example", "hook/validate", "configmaps"),
		hook("other.example", "https://other.example:8443/validate", "pods"),
		hook("root.example", "https://root.example", "secrets"),
	}
	for _, c := range []struct {
		reason              string
		source, at, request string
		patch               bool
		want                string
	}{
		{"a name is enough, whatever the rules say", "maps.example", "", "pods", false, "3: team/maps.example"},
		{"so is a name with its configuration", "team/maps.example", "", "pods", false, "3: team/maps.example"},
		{"a service by its name", "https://hook.shop.svc:443/mutate?timeout=10s", "", "pods", false, "2: team/mutate.pods.example"},
		{"webhooks of one address by their rules", "https://hook.shop.svc/validate", "", "configmaps", false, "2: team/maps.example"},
		{"a URL, with its port", "https://other.example:8443/validate", "", "pods", false, "2: team/other.example"},
		{"a local address by its path", "https://127.0.0.1:9443/mutate?timeout=10s", "", "pods", false, "1: team/mutate.pods.example"},
		{"a path alone", "/validate", "", "configmaps", false, "1: team/maps.example"},
		{"a path of several", "/validate", "", "pods", false, "1: team/pods.example team/other.example"},
		{"the recorder's own address is better than the path of where it forwards to", "https://127.0.0.1:9443/x", "https://other.example:8443/validate", "pods", false, "2: team/other.example"},
		{"no path is the root", "https://127.0.0.1/", "", "secrets", false, "1: team/root.example"},
		{"known by its path, though its rules have changed", "/mutate", "", "secrets", false, "1: team/mutate.pods.example"},
		{"nothing fits: what has rules for it", "https://127.0.0.1:9443/elsewhere", "", "pods", false, "0: team/mutate.pods.example team/pods.example team/other.example"},
		{"a patch is of a mutating one", "", "", "pods", true, "0: team/mutate.pods.example"},
		{"nothing at all", "", "", "services", false, "0:"},
		{"the place of an audit event is no address", "audit.log:17", "", "secrets", false, "0: team/root.example"},
	} {
		r := &recording.Record{Webhook: c.source, At: c.at, Review: &admissionv1.AdmissionRequest{
			Operation: "CREATE", Resource: metav1.GroupVersionResource{Version: "v1", Resource: c.request},
		}}
		if c.patch {
			r.Answer.Response = &admissionv1.AdmissionResponse{Patch: []byte("[]")}
		}
		found, best := Of(r, all)
		got := fmt.Sprintf("%d:", best)
		for _, w := range found {
			got += " " + w.String()
		}
		if got != c.want {
			t.Errorf("%s: Of(%q, %q, %s) = %s, want %s", c.reason, c.source, c.at, c.request, got, c.want)
		}
	}
}

// Rules match as on the server; package matcher has the tests for this.
func TestCovers(t *testing.T) {
	cluster, namespaced := admissionregistrationv1.ClusterScope, admissionregistrationv1.NamespacedScope
	for _, c := range []struct {
		rule, resource, subresource, namespace string
		scope                                  *admissionregistrationv1.ScopeType
		want                                   bool
	}{
		{rule: "pods", resource: "pods", want: true},
		{rule: "pods", resource: "pods", subresource: "exec"},
		{rule: "pods/*", resource: "pods", subresource: "exec", want: true},
		{rule: "pods/*", resource: "pods", want: true}, // W-086
		{rule: "*", resource: "pods", subresource: "exec"},
		{rule: "pods", resource: "pods", namespace: "shop", scope: &namespaced, want: true}, // W-087
		{rule: "pods", resource: "pods", namespace: "shop", scope: &cluster},
	} {
		w := Webhook{}
		w.Rules = []admissionregistrationv1.RuleWithOperations{{
			Operations: []admissionregistrationv1.OperationType{"*"},
			Rule:       admissionregistrationv1.Rule{APIGroups: []string{"*"}, APIVersions: []string{"*"}, Resources: []string{c.rule}, Scope: c.scope},
		}}
		// The selector may have been different when the review was sent.
		w.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}
		a := &admissionv1.AdmissionRequest{Resource: metav1.GroupVersionResource{Resource: c.resource}, SubResource: c.subresource, Namespace: c.namespace}
		if got := w.covers(a); got != c.want {
			t.Errorf("covers(%s, %s/%s in %q) = %v, want %v", c.rule, c.resource, c.subresource, c.namespace, got, c.want)
		}
	}
}
