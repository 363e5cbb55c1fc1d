package scenario

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/pkg/discovery"
)

// kindHint helps with a kind that is not served: another version of it may be, or one
// with nearly that name.
func kindHint(kind schema.GroupVersionKind, r *discovery.Resources) string {
	var versions, near, elsewhere []string
	for _, known := range r.All() {
		switch {
		case !known.Served:
		case known.Kind.GroupKind() == kind.GroupKind():
			versions = append(versions, known.Kind.GroupVersion().String())
		case known.Kind.Group == kind.Group:
			near = append(near, known.Kind.Kind)
		case known.Kind.Kind == kind.Kind:
			elsewhere = append(elsewhere, known.Kind.GroupVersion().String())
		}
	}
	switch {
	case len(versions) > 0:
		return "it is served as " + strings.Join(versions, ", ")
	case len(elsewhere) > 0:
		return fmt.Sprintf("did you mean %s of %s?", kind.Kind, elsewhere[0])
	case len(near) == 0:
		return "is its CustomResourceDefinition missing?"
	}
	return didYouMean(kind.Kind, near)
}

// didYouMean is a hint with the one of known that word was probably meant to be, empty
// where none is near.
func didYouMean(word string, known []string) string {
	if near := didyoumean.Nearest(word, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}
