package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/rest/change"
	"github.com/admsim/admsim/internal/rest/selectors"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// patch answers a PATCH: kubernetes/apiserver:pkg/endpoints/handlers/patch.go.
func (x *exchange) patch(ctx context.Context) (int, runtime.Object, error) {
	if accepted := x.acceptedPatches(); !slices.Contains(accepted, x.req.PatchType) {
		return 0, nil, x.unknownFormat(accepted)
	}
	options, err := x.patchOptions()
	if err != nil {
		return 0, nil, err
	}
	if err := x.readable(); err != nil {
		return 0, nil, err
	}
	x.read = true
	strictness := x.strictness(options.FieldValidation)
	applies := x.req.PatchType == ApplyPatch
	how := func(current runtime.Object) (runtime.Object, error) { return x.apply(current, options, strictness) }
	if !applies {
		c := change.Of(contentTypes[x.req.PatchType], x.req.Body, x.server.release())
		how = func(current runtime.Object) (runtime.Object, error) {
			if current == nil {
				return nil, refuse(apierrors.NewNotFound(x.req.Resource.GroupResource(), x.req.Name)) // W-016
			}
			object, err := x.patchObject(current, c, strictness)
			if err != nil {
				return nil, err
			}
			return x.ownership().Track(current, object, options.FieldManager)
		}
	}
	next := func(current runtime.Object) (runtime.Object, error) {
		object, err := how(current)
		if err != nil {
			return nil, err
		}
		return x.patched(object, current)
	}
	return x.revise(ctx, revision{options: selectors.UpdateOptionsOf(options), applies: applies, next: next})
}

// acceptedPatches returns the types of patches that the resource accepts, in the server's order.
func (x *exchange) acceptedPatches() []string {
	accepted := []string{JSONPatch, MergePatch}
	if x.resource.CRD == nil {
		accepted = append(accepted, StrategicPatch)
	}
	if x.server.release().Has(kubeversion.ServerSideApply) {
		accepted = append(accepted, ApplyPatch)
	}
	return accepted
}

func (x *exchange) unknownFormat(accepted []string) error {
	if x.resource.CRD == nil { // the server's router has no such route
		return refuse(apierrors.NewGenericServerResponse(http.StatusUnsupportedMediaType, "", schema.GroupResource{}, "", "415: Unsupported Media Type", 0, false))
	}
	formats := make([]string, len(accepted))
	for i, a := range accepted {
		formats[i] = string(contentTypes[a])
	}
	if x.server.release().GateOn("CBORServingAndStorage") {
		formats = append(formats, string(types.ApplyCBORPatchType))
	}
	return refuseWith(&metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    http.StatusUnsupportedMediaType,
		Reason:  metav1.StatusReasonUnsupportedMediaType,
		Message: "the body of the request was in an unknown format - accepted media types include: " + strings.Join(formats, ", "),
	})
}

// patched checks that the result of a patch is still the object that the URL names.
func (x *exchange) patched(object, current runtime.Object) (runtime.Object, error) {
	object = cluster.ShallowCopy(object)
	m, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	if current == nil && m.GetUID() != "" {
		return nil, refuse(apierrors.NewConflict(x.req.Resource.GroupResource(), x.req.Name, fmt.Errorf(
			"uid mismatch: the provided object specified uid %s, and no existing object was found", m.GetUID())))
	}
	return object, x.matchURL(m)
}

// patchObject applies any patch other than an apply patch to current. Unknown fields are ignored as in a body.
func (x *exchange) patchObject(current runtime.Object, c change.Change, s objects.Strictness) (runtime.Object, error) {
	if s == objects.Ignore || !x.server.release().Has(kubeversion.FieldValidation) {
		if result, err := x.readChange(current, c, objects.Warn); err == nil {
			x.ignored, x.unversioned = result.Problems, result.Unversioned
			return result.Object, nil
		}
	}
	result, err := x.readChange(current, c, s)
	if err != nil {
		return nil, err
	}
	if s == objects.Strict && len(result.Problems) > 0 {
		return nil, refuse(change.Invalid(result.Value(), "strict decoding error: "+strings.Join(result.Problems, ", ")))
	}
	for _, p := range result.Problems {
		x.warnings.Add(p)
	}
	x.unversioned = result.Unversioned
	return result.Object, nil
}

// readChange reads the object that a patch makes of current.
func (x *exchange) readChange(current runtime.Object, c change.Change, s objects.Strictness) (change.Result, error) {
	if object := x.patchMembers(current, c, s); object != nil {
		return change.Result{Object: object}, nil
	}
	doc, err := x.server.Types.Encode(current)
	if err != nil {
		return change.Result{}, err
	}
	result, err := c.Read(change.Reader{Types: x.server.Types, Kind: x.kind, CustomScale: x.isCustomScale()}, doc, current, s)
	if err != nil {
		return change.Result{}, refuse(err)
	}
	return result, nil
}

// patchMembers does the same as readChange if it is enough to encode and decode the members that the patch names, and
// if there are no problems to report; otherwise it returns nil.
func (x *exchange) patchMembers(current runtime.Object, c change.Change, s objects.Strictness) runtime.Object {
	members, ok := c.Members()
	if !ok {
		return nil
	}
	return x.server.Types.Edit(current, x.kind, members, func(doc []byte) ([]byte, error) {
		patched, problems, err := c.Apply(doc, current, s)
		if len(problems) > 0 {
			return nil, errors.New(problems[0])
		}
		return patched, err
	}, s)
}
