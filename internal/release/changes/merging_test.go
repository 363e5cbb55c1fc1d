package changes

import (
	"slices"
	"testing"

	smdschema "sigs.k8s.io/structured-merge-diff/v6/schema"
)

// The type of a field may have had another name. It counts how the type was merged in the release. Of a kind that no longer
// exists, the paths are found that are not merged as those of any object.
func TestCompareMerging(t *testing.T) {
	merged := func(name string, how smdschema.ElementRelationship, fields ...smdschema.StructField) smdschema.TypeDef {
		return smdschema.TypeDef{Name: name, Atom: smdschema.Atom{Map: &smdschema.Map{Fields: fields, ElementRelationship: how}}}
	}
	of := func(field, name string) smdschema.StructField {
		return smdschema.StructField{Name: field, Type: smdschema.TypeRef{NamedType: &name}}
	}
	list := func(keys ...string) smdschema.StructField {
		l := &smdschema.List{ElementRelationship: smdschema.Associative, Keys: keys}
		return smdschema.StructField{Name: "list", Type: smdschema.TypeRef{Inlined: smdschema.Atom{List: l}}}
	}
	was := []smdschema.TypeDef{
		merged("Spec", "", list("a", "b"), of("selector", "Selector"), of("source", "Former"), of("gone", "Former")),
		merged("Selector", smdschema.Separable),
		merged("Former", smdschema.Atomic),
		merged("Gone", "", of("kind", "String"), of("metadata", "meta.ObjectMeta"), of("spec", "GoneSpec")),
		merged("GoneSpec", "", list("a"), of("selector", "Former"), of("same", "Selector"), of("exists", "Spec"), of("again", "GoneSpec")),
	}
	is := []smdschema.TypeDef{
		merged("Spec", "", list("a"), of("selector", "Selector"), of("source", "Source"), of("new", "Source")),
		merged("Selector", smdschema.Atomic),
		merged("Source", ""),
	}
	want := []Merging{{"Spec", "list", "a,b"}, {"Spec", "source", "atomic"}, {"Selector", "", "granular"},
		{"Gone", "spec.list", "a"}, {"Gone", "spec.selector", "atomic"}, {"Gone", "spec.exists", "Spec"}}
	if got := CompareMerging(was, is); !slices.Equal(got, want) {
		t.Errorf("CompareMerging = %v, want %v", got, want)
	}
}
