package serve_test

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/serve"
)

// The members of built-in objects are in the order of the Go structs, also in releases that write fields which today's
// types omit. Those of custom resources and of their lists are sorted.
func TestOrderOfMembers(t *testing.T) {
	const templates, things = "/api/v1/namespaces/default/podtemplates", "/apis/example.com/v1/namespaces/default/things"
	varying := regexp.MustCompile(`"(uid|resourceVersion|creationTimestamp)":"[^"]*"`)
	s := newServerOfRelease(t, "1.17", nil, serve.Options{})
	s.do("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", `{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "things.example.com"},
		"spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"}, "versions": [
			{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}}`)

	metadata := `"metadata":{"name":"a","namespace":"default","selfLink":"` + templates + `/a","uid":"…","resourceVersion":"…","creationTimestamp":"…"},`
	template := `"template":{"metadata":{"creationTimestamp":null,"labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"b",` +
		`"resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"Always"}],` +
		`"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},"schedulerName":"default-scheduler"}}}`
	thing := `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"creationTimestamp":"…","generation":1,"name":"t","namespace":"default",` +
		`"resourceVersion":"…","selfLink":"` + things + `/t","uid":"…"},"z":{"a":1,"b":2}}`
	for _, r := range []struct{ method, path, body, want string }{
		{"POST", templates, `{"template":{"spec":{"containers":[{"image":"b","name":"a"}]},"metadata":{"labels":{"a":"b"}}},"metadata":{"name":"a"}}`,
			`{"kind":"PodTemplate","apiVersion":"v1",` + metadata + template + "\n"},
		{"GET", templates, "", `{"kind":"PodTemplateList","apiVersion":"v1","metadata":{"selfLink":"` + templates + `","resourceVersion":"…"},"items":[{` + metadata + template + "]}\n"},
		{"DELETE", templates, "", `{"kind":"PodTemplateList","apiVersion":"v1","metadata":{"selfLink":"` + templates + `","resourceVersion":"…"},"items":[{` + metadata + template + "]}\n"},
		{"POST", things, `{"z":{"b":2,"a":1},"metadata":{"name":"t"},"kind":"Thing","apiVersion":"example.com/v1"}`, thing + "\n"},
		{"GET", things, "", `{"apiVersion":"example.com/v1","items":[` + thing + `],"kind":"ThingList","metadata":{"continue":"","resourceVersion":"…","selfLink":"` + things + `"}}` + "\n"},
	} {
		got := varying.ReplaceAllString(string(s.do(r.method, r.path, r.body).body), `"$1":"…"`)
		if diff := cmp.Diff(r.want, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", r.method, r.path, diff)
		}
	}
}
