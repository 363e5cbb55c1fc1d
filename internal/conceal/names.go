package conceal

import (
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/admsim/admsim/internal/builtin"
)

// named reports whether a text is a name that the worlds show in any case: of an object, a namespace, a kind, a resource
// or an API group.
func (c *concealer) named(text string) bool {
	text = strings.ToLower(text)
	if builtinNames()[text] {
		return true
	}
	for _, s := range c.states {
		for o := range s.All() {
			if m, err := meta.Accessor(o.Object); err == nil && (strings.EqualFold(m.GetName(), text) || strings.EqualFold(m.GetNamespace(), text)) {
				return true
			}
			if crd, ok := o.Object.(*apiextensionsv1.CustomResourceDefinition); ok {
				names := crd.Spec.Names
				for _, name := range []string{crd.Spec.Group, names.Kind, names.ListKind, names.Plural, names.Singular} {
					if strings.EqualFold(name, text) {
						return true
					}
				}
			}
		}
	}
	return false
}

// builtinNames returns the built-in kinds, groups and resources of all releases, in lower case.
var builtinNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, gvk := range builtin.Kinds() {
		plural, singular := meta.UnsafeGuessKindToResource(gvk)
		for _, name := range []string{gvk.Group, gvk.GroupVersion().String(), plural.Resource, singular.Resource} {
			names[strings.ToLower(name)] = true
		}
	}
	return names
})
