package changes

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/validation/spec"
	smdschema "sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/admsim/admsim/internal/release/upstream"
)

// Types reads the types that a release has for server-side apply from its published OpenAPI document.
func Types(release *upstream.Release) ([]smdschema.TypeDef, error) {
	var document struct{ Definitions map[string]*spec.Schema }
	if err := readJSON(filepath.Join(release.Dir, "api", "openapi-spec", "swagger.json"), &document); err != nil {
		return nil, err
	}
	all, err := schemaconv.ToSchemaFromOpenAPI(document.Definitions, false)
	if err != nil {
		return nil, fmt.Errorf("Kubernetes %s: %w", release.Version, err)
	}
	return all.Types, nil
}

// A Merging says how server-side apply merges the values of a type, or of a field of it: atomic, granular, set, or keys
// separated by commas. In a kind that no longer exists, Field is a path, and How may be the name of the type that is there.
type Merging struct{ Type, Field, How string }

// CompareMerging returns what a release merges otherwise than the newest one.
func CompareMerging(types, newest []smdschema.TypeDef) (all []Merging) {
	own, today := byName(types), byName(newest)
	inRelease := maps.Clone(today) // a type that the release calls otherwise is merged as today's
	maps.Copy(inRelease, own)
	for _, now := range newest {
		was, ok := own[now.Name]
		if !ok || was.Map == nil || now.Map == nil {
			continue
		}
		if how := ofMap(was.Map.ElementRelationship); how != ofMap(now.Map.ElementRelationship) {
			all = append(all, Merging{now.Name, "", how})
		}
		for _, f := range now.Map.Fields {
			if old, ok := was.Map.FindField(f.Name); ok {
				if how := ofReference(old.Type, own); how != "" && how != ofReference(f.Type, inRelease) {
					all = append(all, Merging{now.Name, f.Name, how})
				}
			}
		}
	}
	for _, was := range types {
		if _, exists := today[was.Name]; !exists && was.Map != nil {
			_, hasKind := was.Map.FindField("kind")
			if m, ok := was.Map.FindField("metadata"); ok && hasKind && m.Type.NamedType != nil && strings.HasSuffix(*m.Type.NamedType, ".ObjectMeta") {
				f := formerKind{name: was.Name, own: own, today: today, within: map[string]bool{}}
				f.fields("", was.Map)
				all = append(all, f.found...)
			}
		}
	}
	return all
}

// A formerKind finds what is merged otherwise in a kind than the fields of an object are that has no type.
type formerKind struct {
	name       string
	own, today map[string]smdschema.Atom
	within     map[string]bool // types on the way
	found      []Merging
}

func (k *formerKind) fields(path string, m *smdschema.Map) {
	for _, f := range m.Fields {
		if path != "" || f.Name != "metadata" {
			k.visit(strings.TrimPrefix(path+"."+f.Name, "."), f.Type)
		}
	}
}

func (k *formerKind) visit(path string, r smdschema.TypeRef) {
	atom := r.Inlined
	if r.NamedType != nil {
		name := *r.NamedType
		if k.within[name] {
			return
		}
		k.within[name] = true
		defer delete(k.within, name)
		atom = k.own[name]
	}
	how := ofReference(r, k.own)
	switch {
	case atom.Map != nil && how == "granular":
		inside := formerKind{own: k.own, within: k.within}
		if inside.fields("x", atom.Map); len(inside.found) == 0 {
			return
		}
		if r.NamedType != nil {
			if _, exists := k.today[*r.NamedType]; exists {
				k.found = append(k.found, Merging{k.name, path, *r.NamedType})
				return
			}
		}
		k.fields(path, atom.Map)
	case atom.Map != nil && how == "atomic":
		k.found = append(k.found, Merging{k.name, path, how})
	case atom.List != nil && how != "atomic" && how != "":
		k.found = append(k.found, Merging{k.name, path, how})
		k.visit(path+"[]", atom.List.ElementType)
	}
}

func byName(types []smdschema.TypeDef) map[string]smdschema.Atom {
	all := map[string]smdschema.Atom{}
	for _, t := range types {
		all[t.Name] = t.Atom
	}
	return all
}

// ofReference says how the values of a reference are merged. It is empty for scalars.
func ofReference(r smdschema.TypeRef, types map[string]smdschema.Atom) string {
	atom := r.Inlined
	if r.NamedType != nil {
		atom = types[*r.NamedType]
	}
	switch {
	case atom.Scalar != nil:
		return ""
	case atom.Map != nil && r.ElementRelationship != nil:
		return ofMap(*r.ElementRelationship)
	case atom.Map != nil:
		return ofMap(atom.Map.ElementRelationship)
	case atom.List == nil:
		return ""
	case atom.List.ElementRelationship == smdschema.Associative && len(atom.List.Keys) > 0:
		return strings.Join(atom.List.Keys, ",")
	case atom.List.ElementRelationship == smdschema.Associative:
		return "set"
	}
	return "atomic"
}

func ofMap(r smdschema.ElementRelationship) string {
	if r == smdschema.Atomic {
		return "atomic"
	}
	return "granular"
}
