package scenario

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
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
	elsewhen := kubeversion.ReleasesServing(kind)
	here := ""
	switch {
	case len(versions) > 0:
		here = "it is served as " + strings.Join(versions, ", ")
	case len(elsewhere) > 0:
		here = fmt.Sprintf("did you mean %s of %s?", kind.Kind, elsewhere[0])
	case elsewhen != "":
		return fmt.Sprintf("it is served by Kubernetes %s: see --kubernetes-version", elsewhen)
	case len(near) == 0:
		return undefined
	default:
		return didYouMean(kind.Kind, near)
	}
	if elsewhen != "" {
		here += fmt.Sprintf(" (%s is served by Kubernetes %s: see --kubernetes-version)", kind.GroupVersion(), elsewhen)
	}
	return here
}

// undefined helps with a kind of which nothing else is known.
const undefined = "is its CustomResourceDefinition missing?"

// didYouMean is a hint with the one of known that word was probably meant to be, empty
// where none is near.
func didYouMean(word string, known []string) string {
	if near := didyoumean.Nearest(word, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}
