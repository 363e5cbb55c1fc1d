package objects_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func definition(t *testing.T, types *objects.Types) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	obj, _, err := types.Decode([]byte(widgets), apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"), objects.Strict)
	if err != nil {
		t.Fatal(err)
	}
	return types.PrepareForCreate(obj, objects.Write{}).(*apiextensionsv1.CustomResourceDefinition)
}

func TestUpdateDefinition(t *testing.T) {
	types := kinds.New(serving(), objects.Options{})
	old := definition(t, types)
	old.ResourceVersion = "1"
	for _, test := range []struct {
		reason      string
		subresource string
		change      func(*apiextensionsv1.CustomResourceDefinition)
		generation  int64
		stored      []string
		invalid     string
	}{
		{reason: "nothing", change: func(*apiextensionsv1.CustomResourceDefinition) {}, generation: 1, stored: []string{"v1"}},
		{reason: "metadata", change: func(crd *apiextensionsv1.CustomResourceDefinition) { crd.Labels = map[string]string{"a": "b"} },
			generation: 1, stored: []string{"v1"}},
		{reason: "the status belongs to controllers", change: func(crd *apiextensionsv1.CustomResourceDefinition) { crd.Status.StoredVersions = nil },
			generation: 1, stored: []string{"v1"}},
		{reason: "another storage version", change: func(crd *apiextensionsv1.CustomResourceDefinition) {
			crd.Spec.Versions[0].Storage, crd.Spec.Versions[1].Storage = false, true
		}, generation: 2, stored: []string{"v1", "v1beta1"}},
		{reason: "the spec through the status subresource", subresource: "status", change: func(crd *apiextensionsv1.CustomResourceDefinition) {
			crd.Spec.Names.ShortNames = []string{"w"}
			crd.Status.StoredVersions = []string{"v1beta1"}
		}, generation: 1, stored: []string{"v1beta1"}},
		{reason: "a stored version is removed", change: func(crd *apiextensionsv1.CustomResourceDefinition) {
			crd.Spec.Versions = crd.Spec.Versions[1:]
			crd.Spec.Versions[0].Storage = true
		}, generation: 2, stored: []string{"v1", "v1beta1"},
			invalid: `status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions`},
	} {
		crd := old.DeepCopy()
		test.change(crd)
		w := objects.Write{Subresource: test.subresource}
		got := types.PrepareForUpdate(crd, old, w).(*apiextensionsv1.CustomResourceDefinition)
		if got.Generation != test.generation {
			t.Errorf("%s: generation = %d, want %d", test.reason, got.Generation, test.generation)
		}
		if diff := cmp.Diff(test.stored, got.Status.StoredVersions); diff != "" {
			t.Errorf("%s: stored versions (-want +got):\n%s", test.reason, diff)
		}
		invalid := ""
		if errs := types.ValidateUpdate(got, old, w); len(errs) > 0 {
			invalid = errs.ToAggregate().Error()
		}
		if invalid != test.invalid {
			t.Errorf("%s: ValidateUpdate says\n%s\nwant\n%s", test.reason, invalid, test.invalid)
		}
	}
	if diff := cmp.Diff([]string{"v1"}, old.Status.StoredVersions); diff != "" {
		t.Errorf("PrepareForUpdate changed the old object (-want +got):\n%s", diff)
	}
}

// The server checks the metadata of a changed definition three times: as an object, as a change of an object, and as a
// change of a definition. Unlike for other kinds, 1.37 still reports all errors.
func TestUpdateDefinitionMetadata(t *testing.T) {
	const want = 3
	for _, version := range []string{"1.36", "1.37"} {
		types := kinds.New(serving(), objects.Options{Release: parseRelease(t, version)})
		old := definition(t, types)
		old.ResourceVersion = "1"
		crd := old.DeepCopy()
		crd.Labels = map[string]string{"a": "Bad_Value!"}
		for _, subresource := range []string{"", "status"} {
			if errs := types.ValidateUpdate(crd, old, objects.Write{Subresource: subresource}); len(errs) != want {
				t.Errorf("%s, subresource %q: ValidateUpdate reports a bad label %d times, want %d: %v", version, subresource, len(errs), want, errs)
			}
		}
	}
}

func TestDefinitionWarnings(t *testing.T) {
	types := kinds.New(serving(), objects.Options{})
	old := definition(t, types)
	crd := old.DeepCopy()
	format := func(crd *apiextensionsv1.CustomResourceDefinition, name, format string) {
		crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties[name] = apiextensionsv1.JSONSchemaProps{Type: "string", Format: format}
	}
	format(old, "a", "colour")
	format(crd, "a", "colour")
	format(crd, "b", "shade")
	format(crd, "c", "date-time")

	if diff := cmp.Diff([]string{`unrecognized format "colour"`, `unrecognized format "shade"`}, types.WarningsOnCreate(crd, objects.Write{})); diff != "" {
		t.Errorf("on create (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{`unrecognized format "shade"`}, types.WarningsOnUpdate(crd, old, objects.Write{})); diff != "" {
		t.Errorf("on update (-want +got):\n%s", diff)
	}
}

// A server of 1.30 compares definitions before it drops selectable fields, and a server of an earlier release does not
// know these at all: kubernetes/apiextensions-apiserver:pkg/registry/customresourcedefinition/strategy.go.
func TestDroppedSelectableFields(t *testing.T) {
	for minor, generation := range map[string]int64{"1.29": 1, "1.30": 2} {
		release, err := kubeversion.Parse(minor)
		if err != nil {
			t.Fatal(err)
		}
		types := kinds.New(serving(), objects.Options{Release: release})
		old := definition(t, types)
		crd := old.DeepCopy()
		crd.Spec.Versions[0].SelectableFields = []apiextensionsv1.SelectableField{{JSONPath: ".spec.size"}}
		got := types.PrepareForUpdate(crd, old, objects.Write{}).(*apiextensionsv1.CustomResourceDefinition)
		if got.Generation != generation || got.Spec.Versions[0].SelectableFields != nil {
			t.Errorf("%s: generation %d with %v, want %d and no fields", minor, got.Generation, got.Spec.Versions[0].SelectableFields, generation)
		}
	}
}
