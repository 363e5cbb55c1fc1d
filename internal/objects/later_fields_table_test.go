package objects

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Every path in the table exists in the newest version of its kind.
func TestLaterFieldTable(t *testing.T) {
	for _, gk := range kubeversion.FieldKinds() {
		gvk := gk.WithVersion(builtin.LatestVersion(gk))
		for _, f := range laterFieldsOf(gk) {
			if !leads(builtin.Type(gvk), f.path) {
				t.Errorf("%v has no %s", gk, textOf(f.path))
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
					return other.GroupKind() == gvk.GroupKind() && leads(builtin.Type(other), parsePath(path))
				}
				if !slices.ContainsFunc(builtin.Kinds(), isIn) {
					t.Errorf("no version of %v has %s", gvk.GroupKind(), path)
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
			for f := range of.Fields() {
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

func leads(t reflect.Type, path []step) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if len(path) == 0 {
		return true
	}
	switch t.Kind() {
	case reflect.Slice:
		return path[0].items && leads(t.Elem(), path[1:])
	case reflect.Map:
		return len(path) == 1
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if tag == path[0].name && leads(f.Type, path[1:]) || tag == "" && f.Anonymous && leads(f.Type, path) {
				return true
			}
		}
	}
	return false
}
