package recording

import (
	"slices"
	"strings"

	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
)

// patchTypeAnnotation is the annotation in which admsim serve records the type of a patch.
const patchTypeAnnotation = "admsim.dev/patch-type"

// rebuildPatch finds the content type of a patch, which no other server writes into events. A list is a JSON patch. A
// patch that is forced, or that creates its object, is an apply. Otherwise the type is derived from what the patch did,
// from its shape, or from its client, and Unknown says so.
func (e *event) rebuildPatch(r *Record, req *rest.Request) Reason {
	switch body := strings.TrimSpace(string(e.request[:1])); body {
	case "[":
		req.PatchType = rest.JSONPatch
		return Reason{}
	case "{":
	default:
		return Reason{PatchNotLogged, "neither a list nor an object"}
	}
	switch patchType := e.annotations[patchTypeAnnotation]; patchType {
	case rest.MergePatch, rest.StrategicPatch, rest.ApplyPatch:
		req.PatchType = patchType
		return Reason{}
	}
	var why string
	req.PatchType, why = e.patchType(r, req)
	if why != "" {
		r.Unknown = append(r.Unknown, Reason{PatchAssumed, req.PatchType + ", " + why})
	}
	return Reason{}
}

// patchType returns the type of a patch that is an object, and why that type is assumed, or "" if it is certain.
func (e *event) patchType(r *Record, req *rest.Request) (kind, why string) {
	if req.Query.Has("force") || r.created() {
		return rest.ApplyPatch, ""
	}
	if manager := req.Query.Get("fieldManager"); manager != "" && hasKind(e.request) {
		switch applied, known := e.appliedBy(manager); {
		case applied:
			return rest.ApplyPatch, "since " + manager + " applies fields of the object then"
		case !known:
			return rest.ApplyPatch, "since it has a kind and a field manager"
		}
	}
	if !builtIn(r) {
		return rest.MergePatch, "" // custom resources support no other type
	}
	shape := shapeOf(e.request)
	switch {
	case shape.directives:
		return rest.StrategicPatch, ""
	case !shape.lists:
		return rest.StrategicPatch, "which without lists is the same as a merge patch"
	}
	if keeps, known := e.keepsElements(); known && keeps {
		return rest.StrategicPatch, "since the answer has more elements than the patch"
	}
	if fromKubernetes(r.UserAgent) {
		return rest.StrategicPatch, "as " + agentName(r.UserAgent) + " sends"
	}
	return rest.StrategicPatch, "though a merge patch would look the same"
}

func hasKind(body []byte) bool {
	return fieldOf(body, "kind") != nil && fieldOf(body, "apiVersion") != nil
}

// appliedBy reports whether the answer says that manager applied fields. This is unknown if the answer has no managed
// fields.
func (e *event) appliedBy(manager string) (applied, known bool) {
	entries := e.answer.managed
	eachElement(entries, func(entry []byte) {
		known = true
		if unquote(fieldOf(entry, "manager")) == manager && unquote(fieldOf(entry, "operation")) == "Apply" &&
			unquote(fieldOf(entry, "subresource")) == e.ref.subresource {
			applied = true
		}
	})
	return applied, known
}

// builtIn reports whether the resource is built into any release, and so supports strategic merge patches.
func builtIn(r *Record) bool {
	resource, ok := kubeversion.Default().Resource(r.Resource)
	if ok {
		_, sub := resource.Subresources[r.Subresource]
		return r.Subresource == "" || sub
	}
	if group := r.Resource.Group; !strings.Contains(group, ".") { // such as apps, or extensions in the past
		return true
	}
	return slices.ContainsFunc(kubeversion.Default().Resources, func(k kubeversion.Resource) bool {
		return k.Group == r.Resource.Group // in a version that other releases have
	})
}

// A shape has the features that distinguish one type of patch from another.
type shape struct {
	lists      bool
	directives bool // of a strategic merge patch
}

func shapeOf(object []byte) (s shape) {
	eachField(object, func(key, value []byte) {
		switch {
		case len(key) > 0 && key[0] == '$':
			s.directives = true
		case value[0] == '[':
			s.lists = true
			eachElement(value, func(element []byte) {
				s.directives = s.directives || shapeOf(element).directives
			})
		case value[0] == '{':
			below := shapeOf(value)
			s.lists = s.lists || below.lists
			s.directives = s.directives || below.directives
		}
	})
	return s
}

// keepsElements reports whether a list in the answer has more elements than the same list in the patch. A merge patch
// would have replaced the list.
func (e *event) keepsElements() (keeps, known bool) {
	if !e.succeeded() || e.response == nil {
		return false, false
	}
	return longer(e.request, e.response), true
}

func longer(patch, answer []byte) (found bool) {
	eachField(patch, func(key, value []byte) {
		inAnswer := fieldOf(answer, string(key))
		switch {
		case inAnswer == nil:
		case value[0] == '[':
			found = found || elements(inAnswer) > elements(value)
		case value[0] == '{':
			found = found || longer(value, inAnswer)
		}
	})
	return found
}

func elements(array []byte) (n int) {
	eachElement(array, func([]byte) { n++ })
	return n
}

// fromKubernetes reports whether the client is one of Kubernetes' own components, which send strategic merge patches.
func fromKubernetes(agent string) bool {
	switch agentName(agent) {
	case "kubectl", "kubelet", "kube-controller-manager", "kube-scheduler", "kube-apiserver":
		return true
	}
	return false
}

func agentName(agent string) string {
	name, _, _ := strings.Cut(agent, "/")
	return name
}
