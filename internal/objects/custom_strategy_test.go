package objects_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/pkg/kubeversion"
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
		{"v3", "example.com/v3 Widget is deprecated"}, // no newer version is served
		{"v0", own},
	} {
		if got := objects.DeprecationWarning(crd, test.version); got != test.want {
			t.Errorf("DeprecationWarning(%s) = %q, want %q", test.version, got, test.want)
		}
	}
}

func TestFinalizerWarnings(t *testing.T) {
	types := kinds.New(serving(parseCRD(t, widgets)), objects.Options{})
	u, old := widget(t, widgetV1, nil), widget(t, widgetV1, nil)
	u.SetFinalizers([]string{"orphan", "example.com/ok", "plain", "a.domain", "example.com/_"})
	old.SetFinalizers([]string{"plain"})
	const avoid = " to avoid accidental conflicts with other finalizer writers"
	dotted := `metadata.finalizers: "a.domain": prefer a domain-qualified finalizer name including a path (/)` + avoid
	plain := `metadata.finalizers: "plain": prefer a domain-qualified finalizer name` + avoid
	invalid := `metadata.finalizers: "example.com/_": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`

	if diff := cmp.Diff([]string{dotted, invalid, plain}, types.WarningsOnCreate(u, objects.Write{})); diff != "" {
		t.Errorf("on create (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{dotted, invalid}, types.WarningsOnUpdate(u, old, objects.Write{})); diff != "" {
		t.Errorf("on update only the new ones count (-want +got):\n%s", diff)
	}
	if got := types.WarningsOnUpdate(u, old, objects.Write{Subresource: "status"}); got != nil {
		t.Errorf("on update of status: %q, want none", got)
	}
	types = kinds.New(serving(parseCRD(t, widgets)), objects.Options{Release: parseRelease(t, "1.28")}) // WA-02
	if got := types.WarningsOnCreate(u, objects.Write{}); got != nil {
		t.Errorf("in 1.28: %q, want none", got)
	}
}

// Since 1.30 an update is not refused for unchanged invalid parts, and since 1.33 neither is an update of the status.
func TestRatcheting(t *testing.T) {
	crd := parseCRD(t, widgets)
	spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	spec.Properties["color"] = apiextensionsv1.JSONSchemaProps{Type: "string", Enum: []apiextensionsv1.JSON{{Raw: []byte(`"blue"`)}}}
	spec.XValidations = apiextensionsv1.ValidationRules{{Rule: "self.size < 5", Message: "too big"}}
	crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"] = spec

	old := map[string]any{"color": "red", "size": int64(9)}
	blue := map[string]any{"color": "blue", "size": int64(9)}
	for _, test := range []struct {
		reason, release, subresource string
		old, spec                    map[string]any
		want                         string
	}{
		{"nothing changed", "1.36", "", old, old, "warns: spec: Invalid value: too big"},
		{"a part changed, and the rule is about the whole", "1.36", "", old, map[string]any{"color": "red", "size": int64(8)},
			"spec: Invalid value: too big"},
		{"the bad part changed", "1.36", "", old, map[string]any{"color": "pink", "size": int64(9)},
			`[spec.color: Unsupported value: "pink": supported values: "blue", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]`},
		{"warnings show types, too", "1.34", "", old, old, `warns: spec: Invalid value: "object": too big`},
		{"existing errors are not excused", "1.29", "", blue, blue, `spec: Invalid value: "object": too big`},
		{"existing errors are excused in beta", "1.30", "", blue, blue, `warns: spec: Invalid value: "object": too big`},
		{"existing errors in the status are not", "1.32", "status", blue, blue, `spec: Invalid value: "object": too big`},
		{"existing errors in the status are excused later", "1.33", "status", blue, blue, `warns: spec: Invalid value: "object": too big`},
	} {
		release, err := kubeversion.Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		types := kinds.New(serving(crd), objects.Options{Release: release})
		u, before := widget(t, widgetV1, test.spec), widget(t, widgetV1, test.old)
		u.SetResourceVersion("1")
		got := ""
		warn := func(text string) { got += "warns: " + text }
		if errs := types.ValidateUpdate(u, before, objects.Write{Kind: widgetV1, Subresource: test.subresource, Warn: warn}); len(errs) > 0 {
			got += errs.ToAggregate().Error()
		}
		if got != test.want {
			t.Errorf("%s, in %s: ValidateUpdate says\n%s\nwant\n%s", test.reason, test.release, got, test.want)
		}
	}
}

// Errors about missing values in embedded objects are shorter since 1.34.
func TestEmbeddedErrorTexts(t *testing.T) {
	crd := parseCRD(t, widgets)
	spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	spec.Properties["inner"] = apiextensionsv1.JSONSchemaProps{Type: "object", XEmbeddedResource: true, XPreserveUnknownFields: new(true)}
	crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"] = spec
	for version, want := range map[string]string{
		"1.33": "spec.inner.apiVersion: Required value: must not be empty",
		"1.34": "spec.inner.apiVersion: Required value",
	} {
		release, err := kubeversion.Parse(version)
		if err != nil {
			t.Fatal(err)
		}
		types := kinds.New(serving(crd), objects.Options{Release: release})
		u := widget(t, widgetV1, map[string]any{"inner": map[string]any{"kind": "A"}})
		if got := types.Validate(u, objects.Write{Kind: widgetV1}).ToAggregate().Error(); !strings.Contains(got+",", want+",") {
			t.Errorf("%s says %s, want %s in it", version, got, want)
		}
	}
}

// Since 1.36 a number must fit its format, since 1.32 a length is given in bytes, and since 1.31 errors about the
// status have its whole path.
func TestCustomFaultsOfReleases(t *testing.T) {
	crd := parseCRD(t, widgets)
	v := &crd.Spec.Versions[0]
	v.Subresources = &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}}
	part := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
		"count": {Type: "integer", Format: "int32"},
		"text":  {Type: "string", MaxLength: new(int64(1))},
	}}
	v.Schema.OpenAPIV3Schema.Properties["spec"], v.Schema.OpenAPIV3Schema.Properties["status"] = part, part
	wrong := map[string]any{"count": int64(1) << 40, "text": "ab"}
	const beyondFormat = `<nil>: Invalid value: "": Checked value must be of type integer with format int32 in `
	for _, test := range []struct{ release, part, want string }{
		{"1.36", "spec", `[` + beyondFormat + `spec.count, spec.text: Too long: may not be more than 1 byte]`},
		{"1.35", "spec", "spec.text: Too long: may not be more than 1 byte"},
		{"1.32", "status", "status.text: Too long: may not be more than 1 byte"},
		{"1.31", "status", "status.text: Too long: may not be longer than 1"},
		{"1.30", "status", "text: Too long: may not be longer than 1"},
	} {
		release, err := kubeversion.Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		types := kinds.New(serving(crd), objects.Options{Release: release})
		u, old := widget(t, widgetV1, map[string]any{}), widget(t, widgetV1, map[string]any{})
		u.SetResourceVersion("1")
		u.Object[test.part] = wrong
		w := objects.Write{Kind: widgetV1, Subresource: strings.TrimPrefix(test.part, "spec")}
		if got := fmt.Sprint(types.ValidateUpdate(u, old, w).ToAggregate()); got != test.want {
			t.Errorf("the %s in %s: ValidateUpdate says\n%s\nwant\n%s", test.part, test.release, got, test.want)
		}
	}
}
