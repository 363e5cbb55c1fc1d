package objects

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func TestDeprecationWarning(t *testing.T) {
	v := func(name string, served, deprecated bool) apiextensionsv1.CustomResourceDefinitionVersion {
		return apiextensionsv1.CustomResourceDefinitionVersion{Name: name, Served: served, Deprecated: deprecated}
	}
	crd := parseCRD(t, widgets)
	own := "use something else"
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{
		v("v1alpha1", true, true), v("v1beta1", true, false), v("v1", true, false), v("v2", false, false), v("v3", true, true), v("v0", true, true),
	}
	crd.Spec.Versions[5].DeprecationWarning = &own
	for _, test := range []struct{ version, want string }{
		{"v1", ""},
		{"v1beta1", ""},
		{"v1alpha1", "example.com/v1alpha1 Widget is deprecated; use example.com/v1 Widget"},
		{"v3", "example.com/v3 Widget is deprecated"}, // nothing newer is served
		{"v0", own},
	} {
		if got := DeprecationWarning(crd, test.version); got != test.want {
			t.Errorf("DeprecationWarning(%s) = %q, want %q", test.version, got, test.want)
		}
	}
}

func TestFinalizerWarnings(t *testing.T) {
	types := New(serving(parseCRD(t, widgets)), Options{})
	u, old := widget(t, widgetV1, nil), widget(t, widgetV1, nil)
	u.SetFinalizers([]string{"orphan", "example.com/ok", "plain", "a.domain", "example.com/_"})
	old.SetFinalizers([]string{"plain"})
	const avoid = " to avoid accidental conflicts with other finalizer writers"
	dotted := `metadata.finalizers: "a.domain": prefer a domain-qualified finalizer name including a path (/)` + avoid
	plain := `metadata.finalizers: "plain": prefer a domain-qualified finalizer name` + avoid
	invalid := `metadata.finalizers: "example.com/_": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`

	if diff := cmp.Diff([]string{dotted, invalid, plain}, types.WarningsOnCreate(u, Write{})); diff != "" {
		t.Errorf("on create (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{dotted, invalid}, types.WarningsOnUpdate(u, old, Write{})); diff != "" {
		t.Errorf("on update only the new ones count (-want +got):\n%s", diff)
	}
	if got := types.WarningsOnUpdate(u, old, Write{Subresource: "status"}); got != nil {
		t.Errorf("on update of status: %q, want none", got)
	}
}

// An update is not held against what is wrong with parts that it does not change.
func TestRatcheting(t *testing.T) {
	crd := parseCRD(t, widgets)
	spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	spec.Properties["color"] = apiextensionsv1.JSONSchemaProps{Type: "string", Enum: []apiextensionsv1.JSON{{Raw: []byte(`"blue"`)}}}
	spec.XValidations = apiextensionsv1.ValidationRules{{Rule: "self.size < 5", Message: "too big"}}
	crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"] = spec
	types := New(serving(crd), Options{})

	old := map[string]any{"color": "red", "size": int64(9)}
	for _, test := range []struct {
		reason string
		spec   map[string]any
		want   string
	}{
		{"nothing changed", old, "warns: spec: Invalid value: too big"},
		{"a part changed, and the rule is about all of it", map[string]any{"color": "red", "size": int64(8)},
			"spec: Invalid value: too big"},
		{"the bad part changed", map[string]any{"color": "pink", "size": int64(9)},
			`[spec.color: Unsupported value: "pink": supported values: "blue", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]`},
	} {
		u, was := widget(t, widgetV1, test.spec), widget(t, widgetV1, old)
		u.SetResourceVersion("1")
		got := ""
		warn := func(text string) { got += "warns: " + text }
		if errs := types.ValidateUpdate(u, was, Write{Kind: widgetV1, Warn: warn}); len(errs) > 0 {
			got += errs.ToAggregate().Error()
		}
		if got != test.want {
			t.Errorf("%s: ValidateUpdate says\n%s\nwant\n%s", test.reason, got, test.want)
		}
	}
}
