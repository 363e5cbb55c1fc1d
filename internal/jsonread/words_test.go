package jsonread_test

import (
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionv1beta1 "k8s.io/api/admission/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"github.com/admsim/admsim/internal/jsonread"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func release(t *testing.T, version string) *kubeversion.Release {
	t.Helper()
	r, err := kubeversion.Parse(version)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A codec reads what the decoder of the release accepts, and refuses the rest in its words (CV-11b).
func TestCodec(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{admissionv1.AddToScheme, admissionv1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	const (
		wrong    = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"allowed":"yes"}}`
		unnamed  = `{"response":{"allowed":"yes"}}`
		other    = `{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","response":{"allowed":1}}`
		yaml     = "kind: AdmissionReview\napiVersion: admission.k8s.io/v1\nresponse: {allowed: maybe}\n"
		warnings = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"allowed":true,"warnings":"w"}}`
	)
	for _, tt := range []struct{ reason, version, text, want string }{
		{"sigs.k8s.io/json", "1.23", wrong, "json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool"},
		{"json-iterator", "1.22", wrong, `v1.AdmissionReview.Response: v1.AdmissionResponse.Allowed: ReadBool: expect t or f, but found ", error found in #10 byte of ...|allowed":"yes"}}|..., bigger context ...|","kind":"AdmissionReview","response":{"allowed":"yes"}}|...`},
		{"the expected kind", "1.22", unnamed, `v1.AdmissionReview.Response: v1.AdmissionResponse.Allowed: ReadBool: expect t or f, but found ", error found in #10 byte of ...|allowed":"yes"}}|..., bigger context ...|{"response":{"allowed":"yes"}}|...`},
		{"another kind", "1.22", other, `v1beta1.AdmissionReview.Response: v1beta1.AdmissionResponse.Allowed: ReadBool: expect t or f, but found 1, error found in #10 byte of ...|allowed":1}}|..., bigger context ...|","kind":"AdmissionReview","response":{"allowed":1}}|...`},
		{"YAML becomes JSON first", "1.22", yaml, `v1.AdmissionReview.Response: v1.AdmissionResponse.Allowed: ReadBool: expect t or f, but found ", error found in #10 byte of ...|allowed":"maybe"}}|..., bigger context ...|","kind":"AdmissionReview","response":{"allowed":"maybe"}}|...`},
		{"a field of the release", "1.19", warnings, `v1.AdmissionReview.Response: v1.AdmissionResponse.Warnings: []string: decode slice: expect [ or n, but found ", error found in #10 byte of ...|arnings":"w"}}|..., bigger context ...|ionReview","response":{"allowed":true,"warnings":"w"}}|...`},
		{"a field of later releases", "1.18", warnings, ""},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			today := serializer.NewCodecFactory(scheme).LegacyCodec(admissionv1beta1.SchemeGroupVersion, admissionv1.SchemeGroupVersion)
			codec := jsonread.Codec{Codec: today, Scheme: scheme, Release: release(t, tt.version)}
			review := &admissionv1.AdmissionReview{}
			_, _, err := codec.Decode([]byte(tt.text), nil, review)
			got := ""
			if err != nil {
				got = err.Error()
			} else if review.Response == nil || !review.Response.Allowed || review.Response.Warnings != nil {
				t.Errorf("read %v", review.Response)
			}
			if got != tt.want {
				t.Errorf("%s says about %s:\n%s, want\n%s", tt.version, tt.text, got, tt.want)
			}
		})
	}
}

// Text in the data is quoted as it is, even if it is the name of a Go type.
func TestTreeQuotes(t *testing.T) {
	const text = `{"a":"builtin.LifecycleHandler: <"}`
	for version, want := range map[string]string{
		"1.23": `Object 'Kind' is missing in '` + text + `'`,
		"1.22": `unmarshalerDecoder: Object 'Kind' is missing in '` + text + `', error found in #10 byte of ...|ndler: <"}|..., bigger context ...|` + text + `|...`,
	} {
		_, _, err := jsonread.Tree([]byte(text), nil, &unstructured.Unstructured{}, false, release(t, version))
		if err == nil || strings.TrimSpace(err.Error()) != want {
			t.Errorf("%s says %v, want %s", version, err, want)
		}
	}
}
