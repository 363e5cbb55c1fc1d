package objects_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
)

// builtins is what a cluster without CRDs serves.
func builtins(schema.GroupVersionKind) (objects.Resource, bool) { return objects.Resource{}, false }

func TestDecode(t *testing.T) {
	configMap := corev1.SchemeGroupVersion.WithKind("ConfigMap")
	pod := corev1.SchemeGroupVersion.WithKind("Pod")
	for _, test := range []struct {
		reason     string
		kind       schema.GroupVersionKind
		body       string
		strictness objects.Strictness
		warnings   []string
		err        string
	}{{
		reason: "a body without kind has the URL's kind",
		kind:   configMap, body: `{"metadata":{"name":"x"}}`,
	}, {
		reason: "an unknown field is ignored by default",
		kind:   configMap, body: `{"spec":{}}`,
	}, {
		reason: "an unknown field is a warning",
		kind:   configMap, body: `{"spec":{}}`, strictness: objects.Warn,
		warnings: []string{`unknown field "spec"`},
	}, {
		reason: "several strict errors are joined",
		kind:   pod, body: `{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"colour":"red","image":"nginx:1","name":"c"}],"speed":1}}`, strictness: objects.Strict,
		err: `Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.containers[0].colour", unknown field "spec.speed"`,
	}, {
		reason: "a duplicate field",
		kind:   configMap, body: `{"data":{},"data":{}}`, strictness: objects.Strict,
		err: `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data"`,
	}, {
		reason: "a value of the wrong type",
		kind:   configMap, body: `{"data":{"a":1}}`,
		err: `ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string`,
	}, {
		reason: "a value of the wrong type, in a type that is not in k8s.io/api",
		kind:   builtin.APIRegistrationV1.WithKind("APIService"), body: `{"spec":{"service":[]}}`,
		err: `APIService in version "v1" cannot be handled as a APIService: json: cannot unmarshal array into Go struct field APIServiceSpec.spec.service of type v1.ServiceReference`,
	}, {
		reason: "a body of another kind",
		kind:   configMap, body: `{"apiVersion":"v1","kind":"Secret"}`,
		err: `Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion`,
	}, {
		reason: "a body of a kind that does not exist",
		kind:   configMap, body: `{"apiVersion":"apps/v1","kind":"ConfigMap"}`,
		err: `ConfigMap in version "v1" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "apps/v1" in scheme "pkg/runtime/scheme.go:111"`,
	}, {
		reason: "events of all groups have one internal kind",
		kind:   eventsv1.SchemeGroupVersion.WithKind("Event"), body: `{"apiVersion":"v1","kind":"Secret"}`,
		err: `Secret in version "v1" cannot be handled as a Event: converting (v1.Secret) to (core.Event): unknown conversion`,
	}, {
		reason: "a kind of another group with the same internal kind",
		kind:   autoscalingv1.SchemeGroupVersion.WithKind("Scale"), body: `{"apiVersion":"extensions/v1beta1","kind":"Scale"}`,
		err: `the API version in the data (extensions/v1beta1) does not match the expected API version (autoscaling/v1)`,
	}, {
		reason: "a kind that the server of the endpoint does not know",
		kind:   apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"), body: `{"apiVersion":"v1","kind":"Secret"}`,
		err: `Secret in version "v1" cannot be handled as a CustomResourceDefinition: no kind "Secret" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"`,
	}} {
		_, warnings, err := kinds.New(builtins, objects.Options{}).Decode([]byte(test.body), test.kind, test.strictness)
		message := ""
		if err != nil {
			message = err.Error()
		}
		if message != test.err {
			t.Errorf("%s: Decode(%s) says\n%s\nwant\n%s", test.reason, test.body, message, test.err)
		}
		if diff := cmp.Diff(test.warnings, warnings); diff != "" {
			t.Errorf("%s: Decode(%s) warnings (-want +got):\n%s", test.reason, test.body, diff)
		}
	}
}
