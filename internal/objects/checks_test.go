package objects_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A checksFile has a valid object of a kind, and the server's answers to objects that differ from it. Old and New only
// contain the differences: an object in them is merged into that of the base, a null removes a field, everything else
// replaces the value in the base.
type checksFile struct {
	Base     map[string]any
	Upstream string // the source of these checks
	Release  string // of checks without one; empty for the newest
	Gates    map[string]bool
	Checks   []struct {
		Reason      string
		Upstream    string
		Release     string
		Gates       map[string]bool
		Subresource string
		Old         map[string]any // missing for a create
		New         map[string]any
		Want        []string       // in the server's words
		Warnings    []string       // about an accepted object
		Stored      map[string]any // parts of the stored object
	}
}

// The server's errors about objects, and the errors that it excuses because the old object had them. Each file of
// testdata/checks is about one kind.
func TestChecks(t *testing.T) {
	files, err := filepath.Glob("testdata/checks/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(err, len(files))
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var f checksFile
		if err := yaml.UnmarshalStrict(data, &f); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, c := range f.Checks {
			reason := c.Reason
			if reason == "" {
				reason = strconv.Itoa(i)
			}
			t.Run(filepath.Base(name)+"/"+reason, func(t *testing.T) {
				gates := maps.Clone(f.Gates)
				if gates == nil {
					gates = map[string]bool{}
				}
				maps.Copy(gates, c.Gates)
				release := c.Release
				if release == "" {
					release = f.Release
				}
				k := newChecked(t, release, gates, f.Base, c.Subresource)
				var errs, warnings []string
				obj := k.object(c.New)
				switch {
				case c.Old == nil:
					obj = k.types.PrepareForCreate(obj, k.write)
					for _, e := range rules.Worded(k.release, k.types.Validate(obj, k.write)) {
						errs = append(errs, e.Error())
					}
					warnings = k.types.WarningsOnCreate(obj, k.write)
				default:
					old := k.object(c.Old)
					obj = k.types.PrepareForUpdate(obj, old, k.write)
					for _, e := range rules.Worded(k.release, k.types.ValidateUpdate(obj, old, k.write)) {
						errs = append(errs, e.Error())
					}
					warnings = k.types.WarningsOnUpdate(obj, old, k.write)
				}
				if diff := cmp.Diff(c.Want, errs); diff != "" {
					t.Errorf("errors (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(c.Warnings, warnings); diff != "" && len(errs) == 0 {
					t.Errorf("warnings (-want +got):\n%s", diff)
				}
				if stored := k.json(obj); c.Stored != nil {
					if diff := cmp.Diff(merged(stored, c.Stored), stored); diff != "" {
						t.Errorf("stored (-want +got):\n%s", diff)
					}
				}
			})
		}
	}
}

// A checkedKind creates the objects of a check.
type checkedKind struct {
	t       *testing.T
	release *kubeversion.Release
	types   *objects.Types
	gvk     schema.GroupVersionKind
	base    map[string]any
	write   objects.Write
}

func newChecked(t *testing.T, release string, gates map[string]bool, base map[string]any, subresource string) checkedKind {
	t.Helper()
	r := kubeversion.Default()
	if release != "" {
		parsed, err := kubeversion.Parse(release)
		if err != nil {
			t.Fatal(err)
		}
		r = parsed
	}
	if len(gates) > 0 {
		with, err := r.With(kubeversion.Flags{FeatureGates: gates})
		if err != nil {
			t.Fatal(err)
		}
		r = with
	}
	var head struct {
		APIVersion, Kind string
		Metadata         struct{ Namespace string }
	}
	convert(t, base, &head)
	gv, err := schema.ParseGroupVersion(head.APIVersion)
	if err != nil {
		t.Fatal(err)
	}
	gvk := gv.WithKind(head.Kind)
	served := func(k schema.GroupVersionKind) (objects.Resource, bool) {
		return objects.Resource{Namespaced: head.Metadata.Namespace != ""}, k == gvk
	}
	return checkedKind{t, r, kinds.New(served, objects.Options{Release: r}), gvk, base, objects.Write{
		Kind: gvk, Subresource: subresource, Resource: gv.WithResource(""), NewUID: func() types.UID { return "new" },
	}}
}

func (k checkedKind) object(with map[string]any) runtime.Object {
	k.t.Helper()
	data, err := json.Marshal(merged(k.base, with))
	if err != nil {
		k.t.Fatal(err)
	}
	obj, _, err := k.types.Decode(data, k.gvk, objects.Strict)
	if err != nil {
		k.t.Fatalf("%v in %s", err, data)
	}
	return k.types.Default(obj)
}

func (k checkedKind) json(obj runtime.Object) map[string]any {
	k.t.Helper()
	var m map[string]any
	convert(k.t, obj, &m)
	return m
}

func convert(t *testing.T, from, to any) {
	t.Helper()
	data, err := json.Marshal(from)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(to); err != nil {
		t.Fatal(err)
	}
}

// merged returns base with the differences applied.
func merged(base, with map[string]any) map[string]any {
	result := maps.Clone(base)
	if result == nil {
		result = map[string]any{}
	}
	for name, value := range with {
		before, isMap := result[name].(map[string]any)
		after, staysMap := value.(map[string]any)
		switch {
		case value == nil:
			delete(result, name)
		case isMap && staysMap:
			result[name] = merged(before, after)
		default:
			result[name] = value
		}
	}
	return result
}
