package serve

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/wire"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
)

// negotiated returns the form of the answer to a request for a resource, or why there is none. The router of built-in
// kinds is asked before the handler.
func (x *exchange) negotiated(resource discovery.Resource, req rest.Request) (m wire.Media, wrong *metav1.Status) {
	formats := x.formats(true)
	types, streams := mediaTypes(formats), streamTypes(formats)
	if resource.CRD == nil {
		routed := types
		if req.Verb == rest.List || req.Verb == watch {
			routed = append(routed, streams...)
		}
		if !wire.Routes(x.r.Header.Get("Accept"), routed) {
			return m, x.notRouted(routed)
		}
	}
	as := []string{wire.PartialObject, wire.PartialObjectList}
	if x.hasTable(resource, req.Subresource) {
		as = append(as, wire.Table)
	}
	m, ok := x.accept(wire.Offer{Formats: formats, Custom: resource.CRD != nil, As: as, AsV1: x.sim.Release().Has(kubeversion.MetaFormsV1)})
	switch {
	case !ok:
		return m, notAcceptable(types)
	case req.Verb == watch && !m.Format.Streams():
		return m, notAcceptable(streams)
	}
	return m, nil
}

// hasTable reports whether the server shows the objects of an endpoint as a table: kubernetes/apiserver:pkg/endpoints/installer.go,
// the storage that is a TableConvertor. That of a review, such as a TokenReview, is none.
func (x *exchange) hasTable(resource discovery.Resource, subresource string) bool {
	switch group := resource.Group; {
	case resource.CRD != nil:
		return true
	case subresource == "":
		return slices.Contains(resource.Verbs, "get")
	case group == apiextensionsv1.GroupName, group == "apiregistration.k8s.io", group == resourcev1.GroupName,
		group == schedulingv1.GroupName, resource.Resource == "networkpolicies":
		return false
	}
	return (subresource == "status" || subresource == "scale") && x.sim.Release().Has(kubeversion.TableSubresources)
}

// accept returns the form of an answer that the client prefers among those that are offered, with the way in which its
// JSON is indented, if it is.
func (x *exchange) accept(offer wire.Offer) (m wire.Media, ok bool) {
	offer.AnyParameter = !x.sim.Release().Has(kubeversion.AcceptParametersNotEmpty)
	m, ok = wire.Accept(x.r.Header.Get("Accept"), offer)
	m.Pretty = m.Pretty || isPretty(x.r)
	m.Iterated = !x.sim.Release().Has(kubeversion.JSONReadBySIGs)
	return m, ok
}

func mediaTypes(formats []wire.Format) (names []string) {
	for _, f := range formats {
		names = append(names, string(f))
	}
	return names
}

// streamTypes returns the media types of watches: kubernetes/apiserver:pkg/endpoints/handlers/negotiation/negotiate.go.
func streamTypes(formats []wire.Format) (names []string) {
	for _, f := range formats {
		switch {
		case f == wire.CBOR:
			names = append(names, "application/cbor-seq")
		case f.Streams():
			names = append(names, string(f)+";stream=watch")
		}
	}
	return names
}

// notRouted is the answer of a router that has nothing that the client accepts.
func (x *exchange) notRouted(types []string) *metav1.Status {
	message := "406: Not Acceptable"
	if x.sim.Release().Has(kubeversion.RouterListsTypes) {
		message += "\n\nAvailable representations: " + strings.Join(types, ", ")
	}
	return routerStatus(http.StatusNotAcceptable, message)
}

// routerStatus is the answer of the router of web services, in the place of a handler.
func routerStatus(code int, message string) *metav1.Status {
	return admission.StatusOf(apierrors.NewGenericServerResponse(code, "", schema.GroupResource{}, "", message, 0, false))
}

// unsupportedMedia and notAcceptable follow
// kubernetes/apiserver:pkg/endpoints/handlers/negotiation/errors.go.
func (x *exchange) unsupportedMedia(resource discovery.Resource) *metav1.Status {
	return &metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusUnsupportedMediaType, Reason: metav1.StatusReasonUnsupportedMediaType,
		Message: "the body of the request was in an unknown format - accepted media types include: " + strings.Join(mediaTypes(x.formats(resource.CRD == nil)), ", "),
	}
}

func notAcceptable(types []string) *metav1.Status {
	return notAcceptableSays("only the following media types are accepted: " + strings.Join(types, ", "))
}

func notAcceptableSays(message string) *metav1.Status {
	return &metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusNotAcceptable, Reason: metav1.StatusReasonNotAcceptable, Message: message,
	}
}

// wrongForm returns the answer if a client asked for the metadata of a list and gets an object, or the other way round.
// The request itself was carried out: kubernetes/apiserver:pkg/endpoints/handlers/response.go. object is nil for a list.
func (x *exchange) wrongForm(media wire.Media, resource discovery.Resource, object runtime.Object) *metav1.Status {
	list := object == nil
	if custom, ok := object.(*unstructured.Unstructured); ok && media.As == wire.PartialObjectList {
		return admission.StatusOf(notList(custom))
	}
	switch {
	case list && media.As == wire.PartialObject:
		return notAcceptableSays("you requested PartialObjectMetadata, but the requested object is a list (" + internalType(resource, x.asked.Subresource) + "List)")
	case !list && media.As == wire.PartialObjectList:
		return notAcceptableSays("you requested PartialObjectMetadataList, but the requested object is not a list (" + internalType(resource, x.asked.Subresource) + ")")
	}
	return nil
}

// notList returns why a custom resource is not shown as a list, for which the server takes every such object at first.
func notList(custom *unstructured.Unstructured) error {
	switch items, ok := custom.Object["items"]; items.(type) {
	case []any:
		return errors.New("*unstructured.Unstructured is not a list: no Items field in this object")
	default:
		if !ok {
			return errors.New("content is not a list")
		}
		return fmt.Errorf("content is not a list: %T", items)
	}
}

// internalType returns the server's internal Go type of a kind, which is in a package of the group's name.
func internalType(resource discovery.Resource, subresource string) string {
	if resource.CRD != nil {
		return "*unstructured.Unstructured"
	}
	kind := resource.Storage
	if sub, ok := resource.Subresources[subresource]; ok {
		kind = sub.Kind
	}
	group, _, _ := strings.Cut(kind.Group, ".")
	switch group {
	case "":
		group = "core"
	case "internal":
		group = "apiserverinternal"
	}
	return "*" + group + "." + kind.Kind
}
