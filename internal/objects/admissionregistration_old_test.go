package objects_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// What v1beta1 lets pass: any sideEffects, names that come twice; and before 1.16 the server
// speaks no v1 with webhooks.
func TestWebhooksV1beta1(t *testing.T) {
	const twice = `{"metadata":{"name":"c"},"webhooks":[
		{"name":"a.b.c","clientConfig":{"url":"https://x/"},"sideEffects":"Some","admissionReviewVersions":["v1"]},
		{"name":"a.b.c","clientConfig":{"url":"https://x/"},"admissionReviewVersions":["v1beta1"]}]}`
	for _, test := range []struct {
		release string
		want    []string
	}{
		{"1.15", []string{`webhooks[0].admissionReviewVersions: Invalid value: ["v1"]: must include at least one of v1beta1`}},
		{"1.16", nil},
		{"1.21", nil},
	} {
		release, err := kubeversion.Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		types := kinds.New(nil, objects.Options{Release: release})
		gvk := schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Version: "v1beta1", Kind: "ValidatingWebhookConfiguration"}
		obj, _, err := types.Decode([]byte(twice), gvk, objects.Ignore)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range types.Validate(obj, objects.Write{Resource: gvk.GroupVersion().WithResource("validatingwebhookconfigurations")}) {
			got = append(got, e.Error())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.release, diff)
		}
	}
}
