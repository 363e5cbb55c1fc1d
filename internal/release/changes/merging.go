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
// separated by commas.
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
	return all
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
