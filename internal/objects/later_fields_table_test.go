package objects

import (
	"fmt"
	"iter"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Every path in the table exists in some version of its kind, and a field whose type existed before came when fields.txt
// says.
func TestLaterFieldTable(t *testing.T) {
	newest := kubeversion.Default()
	for _, gk := range kubeversion.FieldKinds() {
		for _, f := range laterFieldsOf(gk, newest) {
			parent, ok := leads(builtin.Type(gk.WithVersion(builtin.LatestVersion(gk))), f.path)
			for _, version := range builtin.Kinds() {
				if !ok && version.GroupKind() == gk {
					parent, ok = leads(builtin.Type(version), f.path)
				}
			}
			if !ok {
				t.Errorf("no version of %v has %s", gk, textOf(f.path))
				continue
			}
			model, named := reflect.Zero(parent).Interface().(interface{ OpenAPIModelName() string })
			for minor := 10; named && minor < 38; minor++ {
				release, err := kubeversion.Parse(fmt.Sprintf("1.%d", minor))
				if err != nil {
					t.Fatal(err)
				}
				name := f.path[len(f.path)-1].name
				isMoved := func(m kubeversion.MovedField) bool { return strings.HasPrefix(m.In+"."+m.Is, f.Path) }
				if slices.ContainsFunc(release.Moved(gk), isMoved) {
					continue
				}
				if release.Knows(f.Field) && f.IsNew() && !rules.HasField(release, model.OpenAPIModelName(), name) {
					t.Errorf("%v: 1.%d has %s according to the table, but not according to fields.txt", gk, minor, textOf(f.path))
				}
			}
		}
	}
}

// The place of a moved field in the types exists in some version of its kind.
func TestMovedFieldTable(t *testing.T) {
	for _, gvk := range builtin.Kinds() {
		for _, version := range []string{"1.26", "1.30", "1.36"} {
			release, err := kubeversion.Parse(version)
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range moved.New(release.Moved(gvk.GroupKind())...).Hidden() {
				isIn := func(other schema.GroupVersionKind) bool {
					_, ok := leads(builtin.Type(other), parsePath(path))
					return ok && other.GroupKind() == gvk.GroupKind()
				}
				if !slices.ContainsFunc(builtin.Kinds(), isIn) {
					t.Errorf("no version of %v has %s", gvk.GroupKind(), path)
				}
			}
		}
	}
}

// Every field that no Go type has belongs to a type that its kind contains, has types of its own to be read and owned with,
// and is known by its type and name.
func TestFormerFieldTable(t *testing.T) {
	for minor := 10; minor < 38; minor++ {
		release, err := kubeversion.Parse(fmt.Sprintf("1.%d", minor))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewSchemas(release).Of(nil); err != nil {
			t.Errorf("1.%d: %v", minor, err)
		}
		found := map[kubeversion.MovedField]bool{}
		for _, gvk := range builtin.Kinds() {
			for _, f := range release.Moved(gvk.GroupKind()) {
				if f.Is != "" {
					continue
				}
				steps := builtin.Steps(strings.Trim(f.In+"."+f.Was, "."))
				name, of := steps[len(steps)-1], builtin.Type(gvk)
				for _, step := range steps[:len(steps)-1] {
					of = builtin.Step(of, step)
				}
				if builtin.FormerType(f.Model, name); of == nil {
					continue
				}
				if of.Kind() == reflect.Pointer {
					of = of.Elem()
				}
				model, _ := builtin.OpenAPIName(of)
				found[f] = found[f] || model == f.Model && !slices.Contains(slices.Collect(maps.Keys(builtin.Fields(of))), name) && release.HasFormer(model, name)
				if _, ok := found[f]; !ok {
					found[f] = false
				}
			}
		}
		for f, ok := range found {
			if !ok {
				t.Errorf("1.%d: %s has no field %s.%s", minor, f.Model, f.In, f.Was)
			}
		}
	}
}

// All metadata in all kinds has the former fields of metadata.
func TestFormerMetadata(t *testing.T) {
	release, err := kubeversion.Parse("1.24")
	if err != nil {
		t.Fatal(err)
	}
	for _, gvk := range builtin.Kinds() {
		if gvk.Group == "extensions" {
			continue // the hubs of its kinds are in other groups
		}
		want := map[string]bool{}
		for path := range metadataIn(builtin.Type(gvk), "", nil) {
			want[path] = true
		}
		got := map[string]bool{}
		for _, f := range release.Moved(gvk.GroupKind()) {
			if f.Was == "metadata.clusterName" {
				got[f.In] = true
			}
		}
		for path := range want {
			if !got[path] {
				t.Errorf("%v has metadata in %q without a former field", gvk, path)
			}
		}
	}
}

// metadataIn returns the paths of the structs in a type that have metadata. Items of lists have kinds of their own.
func metadataIn(of reflect.Type, path string, within []reflect.Type) iter.Seq[string] {
	return func(yield func(string) bool) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			if of.Kind() == reflect.Slice {
				path += "[]"
			}
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || slices.Contains(within, of) || strings.HasPrefix(path, "items[]") {
			return
		}
		for name, field := range builtin.Fields(of) {
			if field == reflect.TypeFor[metav1.ObjectMeta]() && !yield(path) {
				return
			}
			for inner := range metadataIn(field, strings.TrimPrefix(path+"."+name, "."), append(within, of)) {
				if !yield(inner) {
					return
				}
			}
		}
	}
}

// Every field in fields.txt exists in a type that some kind contains.
func TestFieldsOfTypes(t *testing.T) {
	known := map[string]bool{}
	seen := map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(of reflect.Type) {
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Array:
			visit(of.Elem())
		case reflect.Struct:
			if seen[of] {
				return
			}
			seen[of] = true
			model, named := reflect.Zero(of).Interface().(interface{ OpenAPIModelName() string })
			for _, f := range reflect.VisibleFields(of) {
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				if named {
					known[model.OpenAPIModelName()+" "+name] = true
				}
				visit(f.Type)
			}
		}
	}
	for _, kind := range builtin.Kinds() {
		visit(builtin.Type(kind))
	}
	table, err := os.ReadFile("../../pkg/kubeversion/fields.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		words := strings.Fields(line)
		if words[0] != "#" && !known[words[0]+" "+words[1]] {
			t.Errorf("%s has no field %s", words[0], words[1])
		}
	}
}

func textOf(path []step) string {
	names := make([]string, len(path))
	for i, s := range path {
		names[i] = s.name
	}
	return strings.Join(names, ".")
}

// leads reports whether a path leads to a field, and returns the struct with that field.
func leads(t reflect.Type, path []step) (parent reflect.Type, ok bool) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Slice:
		if path[0].items && len(path) > 1 {
			return leads(t.Elem(), path[1:])
		}
	case reflect.Map:
		return t, len(path) == 1
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			switch tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); {
			case tag != path[0].name:
			case len(path) == 1:
				return t, true
			default:
				return leads(f.Type, path[1:])
			}
		}
	}
	return t, false
}
