package objects_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
)

// The claims of a pod have a source up to 1.30, and its fields since then: webhooks first see the object as it was read
// (CV-09).
func TestClaimSources(t *testing.T) {
	pod, cronJob := corev1.SchemeGroupVersion.WithKind("Pod"), schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "CronJob"}
	inCronJob := func(claims string) string {
		return `{"spec":{"jobTemplate":{"spec":{"template":{"spec":{"containers":[],"resourceClaims":` + claims + `}}}}}}`
	}
	inPod := func(claims string) string { return `{"spec":{"containers":[],"resourceClaims":` + claims + `}}` }
	for _, test := range []struct {
		release, claims string
		want            string // empty for no claims
		warnings        []string
	}{
		{release: "1.30", claims: `[{"name":"r","source":{"resourceClaimName":"c"}},{"name":"s","source":{"resourceClaimTemplateName":"t"}}]`,
			want: `[{"name":"r","source":{"resourceClaimName":"c"}},{"name":"s","source":{"resourceClaimTemplateName":"t"}}]`},
		{release: "1.26", claims: `[{"name":"r"}]`, want: `[{"name":"r","source":{}}]`},
		{release: "1.30", claims: `[{"name":"r","resourceClaimName":"c"}]`, want: `[{"name":"r","source":{}}]`,
			warnings: []string{`unknown field "resourceClaims[0].resourceClaimName"`}},
		{release: "1.30", claims: `[{"name":"r","resourceClaimName":"a","source":{"resourceClaimName":"b","x":1}}]`, want: `[{"name":"r","source":{"resourceClaimName":"b"}}]`,
			warnings: []string{`unknown field "resourceClaims[0].resourceClaimName"`, `unknown field "resourceClaims[0].source.x"`}},
		{release: "1.31", claims: `[{"name":"r","source":{"resourceClaimName":"b"}},{"name":"s","resourceClaimName":"c"}]`, want: `[{"name":"r"},{"name":"s","resourceClaimName":"c"}]`,
			warnings: []string{`unknown field "resourceClaims[0].source"`}},
		{release: "1.25", claims: `[{"name":"r","source":{}}]`, warnings: []string{`unknown field "resourceClaims"`}},
	} {
		for _, in := range []struct {
			kind  schema.GroupVersionKind
			place string
			body  func(string) string
		}{{pod, "spec.", inPod}, {cronJob, "spec.jobTemplate.spec.template.spec.", inCronJob}} {
			types := kinds.New(nil, objects.Options{Release: parseRelease(t, test.release)})
			object, warnings, err := types.Decode([]byte(in.body(test.claims)), in.kind, objects.Warn)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, w := range test.warnings {
				want = append(want, `unknown field "`+in.place+w[len(`unknown field "`):])
			}
			if diff := cmp.Diff(want, warnings); diff != "" {
				t.Errorf("%s in %s warns (-want +got):\n%s", in.body(test.claims), test.release, diff)
			}
			text, err := types.Encode(object)
			if err != nil {
				t.Fatal(err)
			}
			if got := claimsIn(t, in.kind, text); got != test.want {
				t.Errorf("%s in %s is %s, want %s", in.body(test.claims), test.release, got, test.want)
			}
			// A webhook's patch is applied to that text.
			patched, err := types.Patched(text, in.kind)
			if err != nil {
				t.Fatal(err)
			}
			if text, err = types.Encode(patched); err != nil {
				t.Fatal(err)
			}
			if got := claimsIn(t, in.kind, text); got != test.want {
				t.Errorf("%s in %s is %s after a patch, want %s", in.body(test.claims), test.release, got, test.want)
			}
		}
	}
}

// claimsIn returns the JSON of the claims of a pod, or of the pods of a CronJob.
func claimsIn(t *testing.T, kind schema.GroupVersionKind, text []byte) string {
	t.Helper()
	at := []string{"spec"}
	if kind.Kind == "CronJob" {
		at = []string{"spec", "jobTemplate", "spec", "template", "spec"}
	}
	for _, name := range append(at, "resourceClaims") {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(text, &members); err != nil {
			t.Fatal(err)
		}
		text = members[name]
	}
	return string(text)
}

// The server cannot decode a source that is not an object. Of several values of wrong types, it reports the first
// (CV-11).
func TestUnreadableSources(t *testing.T) {
	pod := corev1.SchemeGroupVersion.WithKind("Pod")
	const text = `Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal `
	for _, test := range []struct{ release, spec, want string }{
		{"1.30", `{"resourceClaims":[{"name":"r","source":null},{"name":"r","source":{"resourceClaimName":null}}]}`, ""},
		{"1.30", `{"resourceClaims":[{"name":"r","source":"a"}]}`, "string into Go struct field PodResourceClaim.spec.resourceClaims.source of type v1.ClaimSource"},
		{"1.26", `{"resourceClaims":[{},{"source":["a"]}]}`, "array into Go struct field PodResourceClaim.spec.resourceClaims.source of type v1.ClaimSource"},
		{"1.30", `{"resourceClaims":[{"source":{"resourceClaimName":1}}]}`, "number into Go struct field ClaimSource.spec.resourceClaims.source.resourceClaimName of type string"},
		{"1.30", `{"resourceClaims":[{"source":true,"name":1}]}`, "bool into Go struct field PodResourceClaim.spec.resourceClaims.source of type v1.ClaimSource"},
		{"1.30", `{"resourceClaims":[{"name":1,"source":true}]}`, "number into Go struct field PodResourceClaim.spec.resourceClaims.name of type string"},
		{"1.30", `{"resourceClaims":[{"source":true}],"containers":{}}`, "bool into Go struct field PodResourceClaim.spec.resourceClaims.source of type v1.ClaimSource"},
		{"1.30", `{"containers":{},"resourceClaims":[{"source":true}]}`, "object into Go struct field PodSpec.spec.containers of type []v1.Container"},
		{"1.30", `{"resourceClaims":[{"resourceClaimName":1}]}`, ""},
		{"1.31", `{"resourceClaims":[{"source":"a"}]}`, ""},
		{"1.25", `{"resourceClaims":[{"source":"a"}]}`, ""},
	} {
		if test.want != "" {
			test.want = text + test.want
		}
		types := kinds.New(nil, objects.Options{Release: parseRelease(t, test.release)})
		for _, s := range []objects.Strictness{objects.Ignore, objects.Warn, objects.Strict} {
			_, _, err := types.Decode([]byte(`{"spec":`+test.spec+`}`), pod, s)
			if s == objects.Strict && test.want == "" {
				continue // unknown fields are errors
			}
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("Decode(%s) in %s = %q, want %q", test.spec, test.release, got, test.want)
			}
		}
	}
}
