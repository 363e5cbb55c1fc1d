package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/fault"
	"github.com/admsim/admsim/internal/wire"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// Asked describes what a request asked of a resource.
type Asked = rest.Request

// maxBody is the maximum size of a body: kubernetes/apiserver:pkg/server/config.go.
const maxBody = 3 << 20

// longest is the maximum time for an answer in real time. Requests time out by themselves before that.
const longest = 70 * time.Second

// patchTypes maps media types to the patch types of package rest.
var patchTypes = map[string]string{
	string(types.JSONPatchType):           rest.JSONPatch,
	string(types.MergePatchType):          rest.MergePatch,
	string(types.StrategicMergePatchType): rest.StrategicPatch,
	string(types.ApplyYAMLPatchType):      rest.ApplyPatch,
}

// answer answers a request for a resource.
func (x *exchange) answer(t target) {
	if isAnonymous(x.user) && !x.sim.Authorizes() {
		resource := t.resource.Resource
		if t.subresource != "" {
			resource += "/" + t.subresource
		}
		x.decided(false)
		x.forbid(resource, t.resource.Group, t.name, t.verb, t.namespace)
		return
	}
	if !x.sim.Authorizes() {
		x.decided(true)
	}
	req := x.asked
	req.User = x.user
	if x.isElsewhere(t.resource.GroupVersion()) {
		if x.mayDo(req) {
			x.unavailable()
		}
		return
	}
	switch t.verb {
	case rest.List:
		x.list(req)
	case watch:
		x.watch(req)
	default:
		x.single(req)
	}
}

// mayDo asks the authorizers about a request that the simulator does not get. It returns false if that ended the request.
func (x *exchange) mayDo(req rest.Request) bool {
	if !x.sim.Authorizes() {
		return true
	}
	a, err := x.sim.Authorization(x.r.Context(), req)
	if err != nil {
		x.unknown(err)
		return false
	}
	x.annotate(a.AuditAnnotations())
	switch {
	case a.Failure != "":
		x.text(http.StatusInternalServerError, a.Failure)
	case a.Refusal != nil:
		x.status(a.Refusal)
	}
	return a.Allowed
}

// single answers a request for one object, or for the deletion of a collection.
func (x *exchange) single(req rest.Request) {
	resource, known := x.sim.Resources().Resource(req.Resource)
	known = known && resource.Served
	var media wire.Media
	if known {
		if connects(resource, req.Subresource) {
			req.Verb, req.ConnectVerb = rest.Connect, req.Verb
		}
		var wrong *metav1.Status
		if media, wrong = x.negotiated(resource, req); wrong != nil {
			if req.Verb != rest.Connect && req.Subresource != "log" {
				if x.mayDo(req) {
					x.status(wrong)
				}
				return
			}
			media, _ = x.mediaOf(resource.CRD == nil)
		}
		wrong = x.readBody(&req, resource)
		x.asked = req
		if wrong != nil {
			if x.mayDo(req) {
				x.status(wrong)
			}
			return
		}
	} else {
		media, _ = x.mediaOf(resource.CRD == nil)
	}
	ctx, cancel := context.WithTimeout(x.r.Context(), longest)
	defer cancel()
	result, err := x.do(ctx, req)
	if err == nil {
		result, err = x.initialized(ctx, result)
	}
	if errors.Is(err, context.DeadlineExceeded) && x.r.Context().Err() == nil {
		x.status(admission.StatusOf(apierrors.NewTimeoutError("request did not complete within requested timeout - context deadline exceeded", 0)))
		return
	}
	if err != nil {
		x.unknown(err)
		return
	}
	x.result = result
	x.annotate(result.AuditAnnotations)
	if x.hit.Kind == fault.Lost {
		x.injected = &x.hit
		x.code, x.why = result.Code, result.Status()
		x.report()
		panic(http.ErrAbortHandler)
	}
	if x.options.Settled != nil && settles(req, result.Code) {
		x.options.Settled(ctx, result.State.Writes())
	}
	x.sim = result.Next
	x.warn(result.Warnings)
	switch status := result.Status(); {
	case result.Object == nil:
		x.text(result.Code, result.Text)
	case status != nil && status.Kind == "":
		x.bareStatus(status)
	case status != nil:
		x.status(status)
	case req.Verb == rest.DeleteCollection:
		x.deleted(media, resource, result)
	default:
		if err := x.checkTable(media); err != nil {
			x.status(admission.StatusOf(err))
			return
		}
		if wrong := x.wrongForm(media, resource, result.Object); wrong != nil {
			x.status(wrong)
			return
		}
		shown, err := x.shown(media, resource, result.Object)
		if err != nil {
			x.unknown(err)
			return
		}
		x.object(result.Code, media, shown)
	}
}

// settles reports whether an answer waits until controllers have seen what was written. Otherwise a client's next
// request might come before a new namespace has its service account, or before a new definition is served.
func settles(req rest.Request, code int) bool {
	switch req.Resource.GroupResource() {
	case schema.GroupResource{Resource: "namespaces"}:
		return code == http.StatusCreated
	case schema.GroupResource{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"}:
		return code < http.StatusMultipleChoices && req.Verb != rest.Get && req.Subresource == ""
	}
	return false
}

// deleted answers with the list of deleted objects.
func (x *exchange) deleted(media wire.Media, resource discovery.Resource, result *simulator.Result) {
	l := &listed{items: result.Items}
	if m, err := meta.ListAccessor(result.Object); err == nil {
		l.meta = metav1.ListMeta{ResourceVersion: m.GetResourceVersion(), Continue: m.GetContinue(), RemainingItemCount: m.GetRemainingItemCount()}
	}
	if list, ok := result.Object.(*unstructured.Unstructured); ok {
		if selector, sharded, _ := unstructured.NestedString(list.Object, "metadata", "shardInfo", "selector"); sharded {
			l.meta.ShardInfo = &metav1.ShardInfo{Selector: selector}
		}
	}
	x.listed(result.Code, media, resource, l)
}

func connects(resource discovery.Resource, subresource string) bool {
	name, _, _ := strings.Cut(subresource, "/")
	return slices.Contains(resource.Subresources[name].Verbs, rest.Connect)
}

// bodyTimeout is how long a client may take to send a body.
const bodyTimeout = 60 * time.Second

// body reads the body of the request, with limits of its size and time.
func (x *exchange) body() ([]byte, error) {
	x.bodyBy(time.Now().Add(bodyTimeout))
	defer x.bodyBy(time.Time{})
	return io.ReadAll(http.MaxBytesReader(x.w, x.r.Body, maxBody))
}

// readBody reads the body of a request for a resource. It returns what is wrong with it.
func (x *exchange) readBody(req *rest.Request, resource discovery.Resource) (wrong *metav1.Status) {
	switch req.Verb {
	case rest.Create, rest.Update, rest.Patch, rest.Delete, rest.DeleteCollection:
	default:
		return nil
	}
	data, err := x.body()
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return admission.StatusOf(apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", maxBody)))
	}
	if err != nil {
		return admission.StatusOf(apierrors.NewBadRequest(err.Error()))
	}
	contentType, _, _ := strings.Cut(x.r.Header.Get("Content-Type"), ";")
	if req.Verb == rest.Patch {
		return x.readPatch(req, data, strings.TrimSpace(contentType))
	}
	if len(data) == 0 && req.Verb != rest.Create && req.Verb != rest.Update {
		return nil // no options are given
	}
	format, err := wire.FormatOf(contentType)
	if err != nil || !slices.Contains(x.formats(resource.CRD == nil), format) {
		return x.unsupportedMedia(resource)
	}
	kind := bodyKind(*req, resource)
	if req.Body, err = format.Body(data, kind, x.sim.View().Types().Lost(kind)); err != nil {
		return admission.StatusOf(apierrors.NewBadRequest(err.Error()))
	}
	if format == wire.YAML {
		if err := wire.DuplicateKeys(data); err != nil {
			req.Faults = []error{err}
		}
	}
	return nil
}

// readPatch reads a patch. It returns what is wrong with it.
func (x *exchange) readPatch(req *rest.Request, data []byte, contentType string) (wrong *metav1.Status) {
	req.Body, req.PatchType = data, patchTypes[contentType]
	if contentType != string(types.ApplyCBORPatchType) || !slices.Contains(x.formats(true), wire.CBOR) {
		return nil
	}
	body, err := wire.FromCBOR(data)
	if err != nil {
		return admission.StatusOf(apierrors.NewBadRequest(err.Error()))
	}
	req.Body, req.PatchType = body, rest.ApplyPatch
	return nil
}

// bodyKind returns the kind of a body that does not state its kind.
func bodyKind(req rest.Request, resource discovery.Resource) schema.GroupVersionKind {
	if req.Verb == rest.Delete || req.Verb == rest.DeleteCollection {
		return metav1.SchemeGroupVersion.WithKind("DeleteOptions")
	}
	if sub, ok := resource.Subresources[req.Subresource]; ok {
		return sub.Kind
	}
	return resource.Kind
}

// bodyBy sets the deadline for reading the body.
func (x *exchange) bodyBy(deadline time.Time) {
	_ = http.NewResponseController(x.w).SetReadDeadline(deadline) // fails if there is no connection
}
