package discovery

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Undefined is the hint for a kind or resource that does not resemble any known one.
const Undefined = "is its CustomResourceDefinition missing?"

// HintKind returns a hint for a kind that is not served: another version of it, a kind with a similar name, or the
// release that serves it.
func (rs *Resources) HintKind(kind schema.GroupVersionKind) string {
	var versions, near, elsewhere []string
	for _, known := range rs.served() {
		switch {
		case bodyOf(known, kind) != "":
			return fmt.Sprintf("it is the body of a request for %s: name this as the resource in a document of kind Request", bodyOf(known, kind))
		case known.Kind.GroupKind() == kind.GroupKind():
			versions = append(versions, known.Kind.GroupVersion().String())
		case known.Kind.Group == kind.Group:
			near = append(near, known.Kind.Kind)
			if known.Resource == strings.ToLower(kind.Kind) {
				return fmt.Sprintf("did you mean %q?", known.Kind.Kind)
			}
		case known.Kind.Kind == kind.Kind:
			elsewhere = append(elsewhere, known.Kind.GroupVersion().String())
		}
	}
	// If a flag makes this release serve the kind, other releases are not mentioned.
	flags, elsewhen := rs.release.FlagsServing(kind), ""
	if flags == "" {
		elsewhen = kubeversion.ReleasesServing(kind)
	}
	here, other := "", rs.release.OtherVersion(kind)
	switch {
	case len(versions) > 0:
		here = "it is served as " + strings.Join(versions, ", ")
	case len(elsewhere) > 0:
		here = fmt.Sprintf("did you mean %s of %s?", kind.Kind, elsewhere[0])
	case flags != "":
		return "it is served with " + flags
	case other != "":
		here = "it is served as " + other
	case elsewhen != "":
		return fmt.Sprintf("it is served by Kubernetes %s: see --kubernetes-version", elsewhen)
	case len(near) == 0:
		return Undefined
	default:
		return didyoumean.Unknown("", kind.Kind, near).Hint()
	}
	if flags != "" {
		here += fmt.Sprintf(" (%s is served with %s)", kind.GroupVersion(), flags)
	}
	if elsewhen != "" {
		here += fmt.Sprintf(" (%s is served by Kubernetes %s: see --kubernetes-version)", kind.GroupVersion(), elsewhen)
	}
	return here
}

// bodyOf returns the subresource of r, with its name, whose requests have bodies of a kind; "" if there is none.
func bodyOf(r Resource, kind schema.GroupVersionKind) string {
	for _, name := range slices.Sorted(maps.Keys(r.Subresources)) {
		if s := r.Subresources[name]; s.Kind == kind && slices.Contains(s.Verbs, "create") {
			return r.GroupResource().String() + "/" + name
		}
	}
	return ""
}

// Meant returns the name by which rules and roles refer to a resource, given another name for it: its kind, its
// singular, a short name, or its name without the group; with the subresource, if any. It is empty if called is that
// name already, or if the resource is not known.
func (rs *Resources) Meant(called string) string {
	name, subresource, _ := strings.Cut(called, "/")
	found, _, err := rs.Find(name)
	if err != nil || found.GroupResource().String() == name {
		return ""
	}
	return strings.TrimSuffix(found.GroupResource().String()+"/"+subresource, "/")
}

// HintObject returns a hint for an object of the resource that does not exist: the one with the most similar name among
// known.
func (r Resource) HintObject(namespace, name string, known []string) string {
	in := ""
	if namespace != "" {
		in = fmt.Sprintf(" in namespace %q", namespace)
	}
	return didyoumean.Unknown(fmt.Sprintf("there is no %s %q%s", r.Kind.Kind, name, in), name, known).Error()
}
