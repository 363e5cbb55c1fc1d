package rest

import (
	"context"
	"encoding/json"
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
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"

	"github.com/admsim/admsim/internal/shallow"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/objects"
	"github.com/admsim/admsim/pkg/patch"
)

// patch answers a PATCH: kubernetes/apiserver:pkg/endpoints/handlers/patch.go.
func (x *exchange) patch(ctx context.Context) (int, runtime.Object, error) {
	if accepted := x.acceptedPatches(); !slices.Contains(accepted, x.req.PatchType) {
		return 0, nil, unknownFormat(accepted)
	}
	options, err := x.patchOptions()
	if err != nil {
		return 0, nil, err
	}
	strictness := x.strictness(options.FieldValidation)
	how := x.patchObject
	if x.req.PatchType == ApplyPatch {
		how = func(current runtime.Object, s objects.Strictness) (runtime.Object, error) {
			return x.apply(current, options, s)
		}
	}
	next := func(current runtime.Object) (runtime.Object, error) {
		if current == nil && x.req.PatchType != ApplyPatch {
			return nil, refuse(apierrors.NewNotFound(x.req.Resource.GroupResource(), x.req.Name)) // W-016
		}
		object, err := how(current, strictness)
		if err != nil {
			return nil, err
		}
		if x.req.PatchType != ApplyPatch { // which tracks by itself
			if object, err = x.tracked(current, object, options.FieldManager); err != nil {
				return nil, err
			}
		}
		return x.patched(object, current)
	}
	return x.revise(ctx, updateOptionsOf(options), x.req.PatchType == ApplyPatch, false, next)
}

// acceptedPatches are the types of patches that the resource takes, in the server's order.
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

func unknownFormat(accepted []string) error {
	types := make([]string, len(accepted))
	for i, a := range accepted {
		types[i] = string(contentTypes[a])
	}
	return refuseWith(&metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    http.StatusUnsupportedMediaType,
		Reason:  metav1.StatusReasonUnsupportedMediaType,
		Message: "the body of the request was in an unknown format - accepted media types include: " + strings.Join(types, ", "),
	})
}

// patched checks that the result of a patch is still the object that the URL names.
func (x *exchange) patched(object, current runtime.Object) (runtime.Object, error) {
	object = shallow.Copy(object)
	m, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	if current == nil && m.GetUID() != "" {
		return nil, refuse(apierrors.NewConflict(x.req.Resource.GroupResource(), x.req.Name, fmt.Errorf(
			"uid mismatch: the provided object specified uid %s, and no existing object was found", m.GetUID())))
	}
	if err := matchNamespace(m, x.expectedNamespace()); err != nil {
		return nil, err
	}
	return object, x.matchName(m)
}

// patchObject applies a JSON, merge or strategic merge patch to current.
func (x *exchange) patchObject(current runtime.Object, s objects.Strictness) (runtime.Object, error) {
	if object := x.patchMembers(current, s); object != nil {
		return object, nil
	}
	doc, err := x.server.Types.Encode(current)
	if err != nil {
		return nil, err
	}
	if x.req.PatchType == StrategicPatch {
		return x.strategicObject(doc, current, s)
	}
	patched, problems, err := x.patchDocument(doc, current, s)
	if err != nil {
		return nil, err
	}
	return x.decodePatched(x.inOrder(patched), problems, s)
}

// inOrder is what a patch left, with its members in the order in which the server reads them,
// which is that of what is said about them.
func (x *exchange) inOrder(patched []byte) []byte {
	if x.req.PatchType == MergePatch {
		return patch.SortedMerge(patched, x.req.Body)
	}
	operations, err := patch.DecodeJSON(x.req.Body)
	if err != nil {
		return patched
	}
	return operations.Sorted(patched)
}

// patchDocument patches the JSON of an object; problems are what strict decoding finds in the
// patch itself.
func (x *exchange) patchDocument(doc []byte, current runtime.Object, s objects.Strictness) (patched []byte, problems []string, err error) {
	switch x.req.PatchType {
	case JSONPatch:
		return x.jsonPatch(doc, s)
	case MergePatch:
		return x.mergePatch(doc, s)
	case StrategicPatch:
		return x.strategicPatch(doc, current, s)
	}
	return nil, nil, fmt.Errorf("no such patch type: %q", x.req.PatchType)
}

// patchMembers is patchObject where only the members that the patch names need to be written
// and read again, and there is nothing to be said about it; nil elsewhere.
func (x *exchange) patchMembers(current runtime.Object, s objects.Strictness) runtime.Object {
	var members patch.Members
	ok := false
	if x.req.PatchType != JSONPatch {
		members, ok = patch.MembersOf(x.req.Body)
	} else if operations, err := patch.DecodeJSON(x.req.Body); err == nil {
		members, ok = operations.Members()
	}
	if !ok {
		return nil
	}
	return x.server.Types.Edit(current, x.kind, members, func(doc []byte) ([]byte, error) {
		patched, problems, err := x.patchDocument(doc, current, s)
		if len(problems) > 0 {
			return nil, errors.New(problems[0])
		}
		return patched, err
	}, s)
}

// decodePatched reads what a patch resulted in. What the body alone would be refused for
// with a 400 is a 422 here.
func (x *exchange) decodePatched(patched []byte, problems []string, s objects.Strictness) (runtime.Object, error) {
	lenient := min(s, objects.Warn)
	object, unknown, err := x.server.Types.Decode(patched, x.kind, lenient)
	if err != nil {
		return nil, badPatch(string(patched), withoutKind(err))
	}
	return object, x.judge(string(patched), append(problems, unknown...), s)
}

// withoutKind is what is wrong with an object, without the words by which a body that is
// refused for it is named.
func withoutKind(err error) string {
	text := err.Error()
	if _, reason, found := strings.Cut(text, " cannot be handled as a "); found {
		if _, reason, found = strings.Cut(reason, ": "); found {
			return reason
		}
	}
	return text
}

// judge refuses what strict reading finds in a patch and in what it made, or warns of it.
func (x *exchange) judge(value string, problems []string, s objects.Strictness) error {
	if s == objects.Strict && len(problems) > 0 {
		return badPatch(value, "strict decoding error: "+strings.Join(problems, ", "))
	}
	for _, p := range problems {
		x.warnings.Add(p)
	}
	return nil
}

func badPatch(value, detail string) error {
	return refuse(apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{
		field.Invalid(field.NewPath("patch"), value, detail)}))
}

func (x *exchange) jsonPatch(doc []byte, s objects.Strictness) (patched []byte, problems []string, err error) {
	if s != objects.Ignore {
		var shape []struct {
			Op    string `json:"op"`
			Path  string `json:"path"`
			From  string `json:"from"`
			Value any    `json:"value"`
		}
		strict, err := kjson.UnmarshalStrict(x.req.Body, &shape)
		if err != nil {
			return nil, nil, badRequest("error decoding patch: %v", err)
		}
		for _, e := range strict {
			problems = append(problems, "json patch "+e.Error())
		}
	}
	operations, err := patch.DecodeJSON(x.req.Body)
	if err != nil {
		return nil, nil, badRequest("%s", err)
	}
	if operations.Len() > patch.MaxOperations {
		return nil, nil, refuse(apierrors.NewRequestEntityTooLargeError(fmt.Sprintf(
			"The allowed maximum operations in a JSON patch is %d, got %d", patch.MaxOperations, operations.Len())))
	}
	if patched, err = operations.Apply(doc); err != nil {
		return nil, nil, unprocessable(err)
	}
	return patched, problems, nil
}

func (x *exchange) mergePatch(doc []byte, s objects.Strictness) (patched []byte, problems []string, err error) {
	problems, err = x.duplicates(s, "error decoding patch: %v")
	if err != nil {
		return nil, nil, err
	}
	if patched, err = patch.Merge(doc, x.req.Body); err != nil {
		return nil, nil, badRequest("%s", err)
	}
	return patched, problems, nil
}

// strategicObject applies a strategic merge patch. Unlike the result of others, that of this
// one is never JSON on the server, and what is wrong with it is said of the patch:
// kubernetes/apiserver:pkg/endpoints/handlers/patch.go, applyPatchToObject.
func (x *exchange) strategicObject(doc []byte, current runtime.Object, s objects.Strictness) (runtime.Object, error) {
	problems, err := x.duplicates(s, "%v")
	if err != nil {
		return nil, err
	}
	merged, read, err := patch.StrategicTree(doc, x.req.Body, current)
	if err != nil {
		return nil, refuse(err)
	}
	value := fmt.Sprintf("%+v", read)
	object, unknown, err := x.server.Types.Restored(merged, x.kind, s)
	if err != nil {
		return nil, badPatch(value, err.Error())
	}
	return object, x.judge(value, append(problems, unknown...), s)
}

func (x *exchange) strategicPatch(doc []byte, current runtime.Object, s objects.Strictness) (patched []byte, problems []string, err error) {
	problems, err = x.duplicates(s, "%v")
	if err != nil {
		return nil, nil, err
	}
	if patched, err = patch.Strategic(doc, x.req.Body, current); err != nil {
		return nil, nil, refuse(err)
	}
	return patched, problems, nil
}

// duplicates reads the patch as an object, and lists the fields that it has twice.
func (x *exchange) duplicates(s objects.Strictness, format string) (problems []string, err error) {
	if s == objects.Ignore {
		if !json.Valid(x.req.Body) {
			return nil, badRequest(format, mergepatch.ErrBadJSONDoc)
		}
		return nil, nil
	}
	strict, err := kjson.UnmarshalStrict(x.req.Body, &map[string]any{})
	if err != nil {
		return nil, badRequest(format, err)
	}
	for _, e := range strict {
		problems = append(problems, e.Error())
	}
	return problems, nil
}
