package objects_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
)

func TestDecodeCustom(t *testing.T) {
	types := kinds.New(serving(parseCRD(t, widgets)), objects.Options{})
	const head = `{"apiVersion":"example.com/v1","kind":"Widget",`
	for _, test := range []struct {
		reason     string
		body       string
		strictness objects.Strictness
		warnings   []string
		err        string
	}{{
		reason: "unknown fields are dropped silently",
		body:   head + `"spec":{"strange":1}}`,
	}, {
		reason: "first duplicate fields, then metadata, then the rest",
		body:   head + `"a":1,"metadata":{"name":"w","strange":1},"spec":{"size":1,"size":2,"strange":1}}`, strictness: objects.Warn,
		warnings: []string{`duplicate field "spec.size"`, `unknown field "metadata.strange"`, `unknown field "a"`, `unknown field "spec.strange"`},
	}, {
		reason: "the same in strict mode",
		body:   head + `"spec":{"size":1,"size":2,"strange":1}}`, strictness: objects.Strict,
		err: `Widget in version "v1" cannot be handled as a Widget: strict decoding error: duplicate field "spec.size", unknown field "spec.strange"`,
	}, {
		reason: "malformed metadata is refused even in lenient mode",
		body:   head + `"metadata":{"labels":{"a":1}}}`,
		err:    `Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string`,
	}, {
		reason: "a wrong type elsewhere is left to validation",
		body:   head + `"spec":{"size":"big"}}`, strictness: objects.Strict,
	}, {
		reason: "not JSON",
		body:   `{"apiVersion`,
		err:    `the object provided is unrecognized (must be of type Widget): couldn't get version/kind; json parse error: unexpected end of JSON input ({"apiVersion)`,
	}, {
		reason: "no kind, in lenient mode",
		body:   `{"apiVersion":"example.com/v1"}`,
		err:    `Widget in version "v1" cannot be handled as a Widget: Object 'Kind' is missing in '{"apiVersion":"example.com/v1"}'`,
	}, {
		reason: "no kind",
		body:   `{"apiVersion":"example.com/v1"}`, strictness: objects.Warn,
		err: `the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in '{"apiVersion":"example.com/v1"}' ({"apiVersion":"example.com/v1" ...)`,
	}, {
		reason: "no version",
		body:   `{"kind":"Widget"}`,
		err:    `the API version in the data () does not match the expected API version (example.com/v1)`,
	}, {
		reason: "another kind is left to validation, and nothing is dropped",
		body:   `{"apiVersion":"example.com/v1","kind":"Gadget","strange":1}`, strictness: objects.Strict,
	}} {
		_, warnings, err := types.Decode([]byte(test.body), widgetV1, test.strictness)
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

// A CRD that no server would have accepted is the user's error, and not a denial.
func TestBadDefinition(t *testing.T) {
	for _, test := range []struct {
		want   string
		change func(*apiextensionsv1.CustomResourceDefinition)
	}{
		{"no version has storage: true", func(crd *apiextensionsv1.CustomResourceDefinition) { crd.Spec.Versions[0].Storage = false }},
		{"version v1: its schema is not structural", func(crd *apiextensionsv1.CustomResourceDefinition) {
			elsewhere := "#/definitions/x"
			crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Ref = &elsewhere
		}},
	} {
		crd := parseCRD(t, widgets)
		test.change(crd)
		_, _, err := kinds.New(serving(crd), objects.Options{}).Decode([]byte(`{}`), widgetV1, objects.Ignore)
		if err == nil || !strings.HasPrefix(err.Error(), "CustomResourceDefinition widgets.example.com: "+test.want) {
			t.Errorf("Decode says %v, want %s", err, test.want)
		}
	}
}

// Without a schema, only metadata is kept and everything is valid.
func TestNoSchema(t *testing.T) {
	crd := parseCRD(t, widgets)
	crd.Spec.Versions[0].Schema = nil
	types := kinds.New(serving(crd), objects.Options{})
	obj, warnings, err := types.Decode([]byte(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"shop"},"spec":{}}`), widgetV1, objects.Warn)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{`unknown field "spec"`}, warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if errs := types.Validate(obj, objects.Write{Kind: widgetV1}); len(errs) > 0 {
		t.Errorf("Validate says %v", errs.ToAggregate())
	}
	if errs := types.ValidateUpdate(obj, obj, objects.Write{Kind: widgetV1, Subresource: "status"}); len(errs) != 2 {
		t.Errorf("ValidateUpdate says %v, want only the missing resourceVersion, twice", errs)
	}
}

// A patched object says its kind itself, and only validation compares this with the kind of the URL.
func TestDecodePatched(t *testing.T) {
	types := kinds.New(serving(parseCRD(t, widgets)), objects.Options{})
	for _, test := range []struct {
		doc, want string
		warnings  []string
	}{
		{doc: `{}`, want: `Object 'Kind' is missing in '{}'`},
		{doc: `{"kind":"Widget","metadata":{"name":"w"}}`},
		{doc: `{"apiVersion":"example.com/v9","kind":"Widget","metadata":{"name":"w"},"spec":{}}`, warnings: []string{`unknown field "spec"`}},
	} {
		_, warnings, err := types.DecodePatched([]byte(test.doc), widgetV1, objects.Warn)
		if got := fmt.Sprint(err); err != nil && got != test.want || err == nil && test.want != "" {
			t.Errorf("DecodePatched(%s) says %v, want %q", test.doc, err, test.want)
		}
		if diff := cmp.Diff(test.warnings, warnings); diff != "" {
			t.Errorf("DecodePatched(%s): warnings (-want +got):\n%s", test.doc, diff)
		}
	}
	_, warnings, err := types.Decode([]byte(`{"apiVersion":"example.com/v9","kind":"Widget","spec":{}}`), widgetV1, objects.Warn)
	if diff := cmp.Diff([]string{`unknown field "spec"`}, warnings); err == nil || diff != "" {
		t.Errorf("Decode of another version: %v, warnings (-want +got):\n%s", err, diff)
	}
}

// Types can be used concurrently. CRDs are compiled by the first user.
func TestConcurrentUse(t *testing.T) {
	crd := parseCRD(t, widgets)
	spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	spec.XValidations = apiextensionsv1.ValidationRules{{Rule: "self.size < 5", Message: "too big"}}
	crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"] = spec
	types := kinds.New(serving(crd), objects.Options{})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			obj, _, err := types.Decode([]byte(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"shop"},"spec":{"size":9}}`), widgetV1, objects.Strict)
			if err != nil {
				t.Error(err)
				return
			}
			if errs := types.Validate(obj, objects.Write{Kind: widgetV1}); len(errs) != 1 || errs[0].Detail != "too big" {
				t.Errorf("Validate says %v", errs)
			}
		})
	}
	all.Wait()
}

// Rules that together cost too much are not all evaluated.
func TestCostBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it runs concurrently")
	}
	crd := parseCRD(t, widgets)
	crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"] = apiextensionsv1.JSONSchemaProps{
		Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"list": {
			Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{Type: "integer"}},
			XValidations: apiextensionsv1.ValidationRules{{Rule: "self.all(a, self.all(b, self.all(c, a + b >= c || a + b < c)))"}},
		}},
	}
	types := kinds.New(serving(crd), objects.Options{})
	var list []any
	for i := range int64(300) {
		list = append(list, i)
	}
	errs := types.Validate(widget(t, widgetV1, map[string]any{"list": list}), objects.Write{Kind: widgetV1})
	if len(errs) == 0 || !strings.Contains(errs.ToAggregate().Error(), "cost") {
		t.Errorf("Validate says %v, want that it costs too much", errs.ToAggregate())
	}
}
