package objects_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// v1beta1 accepts any sideEffects and duplicate names. Before 1.16 the server does not support v1 for webhooks, and 1.16
// wants v1beta1 beside it, since its predecessor knows nothing else.
func TestWebhooksV1beta1(t *testing.T) {
	const twice = `{"metadata":{"name":"c"},"webhooks":[
		{"name":"a.b.c","clientConfig":{"url":"https://x/"},"sideEffects":"Some","admissionReviewVersions":["v1"]},
		{"name":"a.b.c","clientConfig":{"url":"https://x/"},"admissionReviewVersions":["v1beta1"]}]}`
	for _, test := range []struct {
		release string
		want    []string
	}{
		{"1.13", nil}, // it does not have the field
		{"1.14", []string{`webhooks[0].admissionReviewVersions: Invalid value: ["v1"]: none of the versions accepted by this server. accepted version(s) are v1beta1`}},
		{"1.15", []string{`webhooks[0].admissionReviewVersions: Invalid value: ["v1"]: none of the versions accepted by this server. accepted version(s) are v1beta1`}},
		{"1.16", []string{`webhooks[0].admissionReviewVersions: Invalid value: ["v1"]: must include at least one of v1beta1`}},
		{"1.17", nil},
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

// The webhooks of each release have the fields that the release knows, with their defaults, and are checked by its
// rules (W-333).
func TestWebhookFieldsOfReleases(t *testing.T) {
	const sent = `{"metadata":{"name":"c"},"webhooks":[{"name":"a.b.c","clientConfig":{"service":{"namespace":"n","name":"s","port":99}},
		"rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["*"],"scope":"Cluster"}],
		"objectSelector":{"matchLabels":{"a":"b"}},"matchPolicy":"Equivalent","reinvocationPolicy":"IfNeeded","timeoutSeconds":5,
		"sideEffects":"None","admissionReviewVersions":["v1beta1"]}]}`
	for _, test := range []struct{ release, want string }{
		{"1.11", "clientConfig failurePolicy name namespaceSelector rules"},
		{"1.12", "clientConfig failurePolicy name namespaceSelector rules sideEffects"},
		{"1.14", "admissionReviewVersions clientConfig failurePolicy name namespaceSelector rules sideEffects timeoutSeconds scope"},
		{"1.15", "admissionReviewVersions clientConfig failurePolicy matchPolicy name namespaceSelector objectSelector reinvocationPolicy rules sideEffects timeoutSeconds scope port"},
	} {
		release, err := kubeversion.Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		types := kinds.New(nil, objects.Options{Release: release})
		gvk := schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Version: "v1beta1", Kind: "MutatingWebhookConfiguration"}
		obj, _, err := types.Decode([]byte(sent), gvk, objects.Ignore)
		if err != nil {
			t.Fatal(err)
		}
		if errs := types.Validate(obj, objects.Write{Resource: gvk.GroupVersion().WithResource("mutatingwebhookconfigurations")}); len(errs) > 0 {
			t.Errorf("%s refuses it: %v", test.release, errs)
		}
		obj, err = types.Convert(obj, gvk)
		if err != nil {
			t.Fatal(err)
		}
		got, err := types.Encode(obj)
		if err != nil {
			t.Fatal(err)
		}
		var shown struct{ Webhooks []map[string]any }
		if err := json.Unmarshal(got, &shown); err != nil {
			t.Fatal(err)
		}
		names := slices.Sorted(maps.Keys(shown.Webhooks[0]))
		for _, inside := range []string{"scope", "port"} {
			if strings.Contains(string(got), `"`+inside+`":`) {
				names = append(names, inside)
			}
		}
		if diff := cmp.Diff(test.want, strings.Join(names, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.release, diff)
		}
	}
}

// Up to 1.12 the error about a client configuration named the URL (W-342).
func TestClientConfigOfReleases(t *testing.T) {
	for version, want := range map[string]string{
		"1.12": "webhooks[0].clientConfig.url: Required value: exactly one of url or service is required",
		"1.13": "webhooks[0].clientConfig: Required value: exactly one of url or service is required",
	} {
		release, err := kubeversion.Parse(version)
		if err != nil {
			t.Fatal(err)
		}
		types := kinds.New(nil, objects.Options{Release: release})
		gvk := schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Version: "v1beta1", Kind: "ValidatingWebhookConfiguration"}
		obj, _, err := types.Decode([]byte(`{"metadata":{"name":"c"},"webhooks":[{"name":"a.b.c","clientConfig":{}}]}`), gvk, objects.Ignore)
		if err != nil {
			t.Fatal(err)
		}
		errs := types.Validate(obj, objects.Write{Resource: gvk.GroupVersion().WithResource("validatingwebhookconfigurations")})
		if len(errs) != 1 || errs[0].Error() != want {
			t.Errorf("%s says %v, want %s", version, errs, want)
		}
	}
}
