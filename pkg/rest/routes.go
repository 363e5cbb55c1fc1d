package rest

import (
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// route finds the resource and the kind of the body. Requests for something that is not served end here, before
// anything else is checked (PL-11b).
func (x *exchange) route() error {
	if x.req.Verb == Delete && x.req.Name == "" {
		x.req.Verb = DeleteCollection // a DELETE without a name
	}
	if sub, path, found := strings.Cut(x.req.Subresource, "/"); found && sub == "proxy" {
		x.req.Subresource, x.path = sub, "/"+path
	}
	resource, ok := x.server.Resources.Resource(x.req.Resource)
	if !ok || !resource.Served {
		return x.unknownResource()
	}
	x.resource, x.kind = resource, resource.Kind
	if len(resource.Verbs) == 0 { // its subresources are those of the objects that are stored
		x.resource.Kind = resource.Storage
	}
	if resource.CRD != nil {
		return x.routeCustom()
	}
	return x.routeBuiltIn()
}

// unknownResource returns the answer for a resource that does not exist. If the server has built-in resources of the
// same group, the answer is that of their router; otherwise nothing serves the path.
func (x *exchange) unknownResource() error {
	for _, r := range x.server.Resources.All() {
		if r.CRD == nil && r.Group == x.req.Resource.Group {
			return noRoute(http.StatusNotFound)
		}
	}
	return noPage()
}

// routeBuiltIn does what the router of the built-in APIs does: a path exists if it has any method.
func (x *exchange) routeBuiltIn() error {
	methods := x.methods()
	if len(methods) == 0 {
		return noRoute(http.StatusNotFound)
	}
	if sub, ok := x.resource.Subresources[x.req.Subresource]; ok {
		x.kind = sub.Kind
	}
	allowed := slices.Contains(methods, x.req.Verb) && !x.req.Head
	if slices.Contains(methods, Connect) {
		allowed = x.canConnect()
	}
	if !allowed {
		return noRoute(http.StatusMethodNotAllowed)
	}
	warning := x.server.Types.Deprecation(x.kind)
	x.warnings.Add(warning)
	x.auditDeprecated(warning)
	if warning == "" || !x.server.release().Has(kubeversion.Warnings) {
		return nil
	}
	if release := x.server.Types.RemovedRelease(x.kind); release != "" {
		x.annotations.Add("k8s.io/removed-release", release)
	}
	return nil
}

// auditDeprecated records in the audit event that the client was warned (W-253).
func (x *exchange) auditDeprecated(warning string) {
	if warning != "" && x.server.release().Has(kubeversion.Warnings) {
		x.annotations.Add("k8s.io/deprecated", "true")
	}
}

// methods returns the verbs of the path of the request: kubernetes/apiserver:pkg/endpoints/installer.go.
func (x *exchange) methods() []string {
	scoped := x.resource.Namespaced == (x.req.Namespace != "") || isNamespace(x.req.Resource)
	switch {
	case x.req.Subresource != "":
		if !scoped || x.req.Name == "" {
			return nil
		}
		return x.resource.Subresources[x.req.Subresource].Verbs
	case x.req.Name != "" && x.req.Verb != Create:
		if !scoped {
			return nil
		}
		return intersect(x.resource.Verbs, Get, Update, Patch, Delete)
	case scoped:
		return intersect(x.resource.Verbs, Create, List, DeleteCollection)
	case x.resource.Namespaced: // across all namespaces
		return intersect(x.resource.Verbs, List)
	}
	return nil
}

func intersect(verbs []string, wanted ...string) []string {
	return slices.DeleteFunc(slices.Clone(verbs), func(v string) bool { return !slices.Contains(wanted, v) })
}

// routeCustom follows kubernetes/apiextensions-apiserver:pkg/apiserver/customresource_handler.go, ServeHTTP.
func (x *exchange) routeCustom() error {
	if x.resource.Namespaced != (x.req.Namespace != "") && !(x.resource.Namespaced && x.req.Verb == List) {
		return noPage()
	}
	warning := objects.DeprecationWarning(x.resource.CRD, x.req.Resource.Version)
	x.warnings.Add(warning)
	verbs := x.resource.Verbs
	if x.req.Subresource != "" {
		sub, ok := x.resource.Subresources[x.req.Subresource]
		if !ok {
			return refuse(apierrors.NewNotFound(x.req.Resource.GroupResource(), x.req.Name))
		}
		x.kind, verbs = sub.Kind, sub.Verbs
	}
	if !slices.Contains(verbs, x.req.Verb) {
		return refuse(apierrors.NewMethodNotSupported(x.req.Resource.GroupResource(), x.req.Verb))
	}
	x.auditDeprecated(warning)
	if x.req.Name == "" && (x.req.Subresource != "" || len(intersect([]string{x.req.Verb}, Get, Update, Patch)) > 0) {
		return badRequest("name must be provided")
	}
	return nil
}

// noRoute returns the answer of the router of the built-in APIs for an unknown path or method.
func noRoute(code int) error {
	return refuse(apierrors.NewGenericServerResponse(code, "", schema.GroupResource{}, "", "", 0, false))
}

// noPage returns the answer for a path that nothing serves.
func noPage() error {
	return &refusal{code: http.StatusNotFound, body: text("404 page not found\n")}
}
