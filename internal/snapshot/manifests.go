package snapshot

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"

	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Objects leaves out manifests that are not objects of a cluster: admsim's own kinds, reviews and audit events, with
// one warning for each kind.
func Objects(found []scenario.Manifest) (objects []scenario.Manifest, warnings []*scenario.Error) {
	known := map[kschema.GroupKind]bool{}
	for _, m := range found {
		kind := m.GroupKind()
		switch {
		case m.IsObject():
			objects = append(objects, m)
		case !known[kind]:
			known[kind] = true
			warnings = append(warnings, &scenario.Error{
				Source:  m.Source,
				Message: fmt.Sprintf("objects of kind %s are left out: no cluster has any", kind),
				Hint:    "put such objects into a file of their own, beside the snapshot: run -C SNAPSHOT -C FILE",
			})
		}
	}
	return objects, warnings
}

// Manifests returns the objects that [Cluster.Read] finds. Their sources say where they are in the cluster: the
// context, the resource, and the line in the output of kubectl get -o yaml without what only the server needs.
func (c *Cluster) Manifests(ctx context.Context) (all []scenario.Manifest, err error) {
	err = c.Read(ctx, func(resource string, o Object) error {
		data, err := yaml.Marshal(cleaned(o))
		if err != nil {
			return err
		}
		namespace, name := nameOf(o)
		one, err := scenario.Parse(cmp.Or(c.Name, "cluster")+":"+path.Join(resource, namespace, name), data)
		all = append(all, one...)
		return err
	})
	return all, err
}

// Add writes manifests, and warns of objects that other commands would refuse.
func (f *Folder) Add(manifests []scenario.Manifest) (warnings []*scenario.Error, err error) {
	for _, m := range manifests {
		d := json.NewDecoder(bytes.NewReader(m.JSON))
		d.UseNumber()
		var o Object
		if err := d.Decode(&o); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Source, err)
		}
		if err := f.Write("", o); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Source, err)
		}
	}
	return undefined(manifests), nil
}

// undefined warns, once per kind, of objects that no release serves and no CustomResourceDefinition in manifests
// defines: commands that read the folder would refuse them.
func undefined(manifests []scenario.Manifest) (warnings []*scenario.Error) {
	defined, warned := Definitions(manifests), map[kschema.GroupKind]bool{}
	for _, m := range manifests {
		kind := m.GroupKind()
		if _, ok := defined[kind]; ok || warned[kind] || builtIn(m.GroupVersionKind) {
			continue
		}
		warned[kind] = true
		warnings = append(warnings, &scenario.Error{
			Source:  m.Source,
			Message: fmt.Sprintf("no CustomResourceDefinition of %s was found; without it, other commands refuse objects of that kind", kind),
			Hint:    "add it (kubectl get crd -o yaml), or use --allow-unknown with these commands, which leaves such objects out",
		})
	}
	return warnings
}

// A Definition says how the objects of a CustomResourceDefinition are addressed.
type Definition struct {
	Resource   string
	Namespaced bool
}

// Definitions returns the kinds that the CustomResourceDefinitions in manifests define, of whichever version they are.
func Definitions(manifests []scenario.Manifest) map[kschema.GroupKind]Definition {
	kinds := map[kschema.GroupKind]Definition{}
	for _, m := range manifests {
		var crd struct {
			Spec struct {
				Group, Scope string
				Names        struct{ Plural, Kind string }
			}
		}
		if m.Kind == "CustomResourceDefinition" && json.Unmarshal(m.JSON, &crd) == nil {
			kinds[kschema.GroupKind{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind}] = Definition{crd.Spec.Names.Plural, crd.Spec.Scope == "Namespaced"}
		}
	}
	return kinds
}

// builtIn reports whether any release serves the kind.
func builtIn(kind kschema.GroupVersionKind) bool {
	for _, version := range kubeversion.Versions() {
		if release, err := kubeversion.Parse(version); err == nil {
			if _, ok := release.ForKind(kind); ok {
				return true
			}
		}
	}
	return false
}
