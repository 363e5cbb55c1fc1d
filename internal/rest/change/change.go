// Package change makes the object that a write stores. It reads the body of a PATCH that describes how to change the
// stored object, and applies it ([Of]). It tracks who owns which fields ([Owners]), takes addresses and ports for a
// service ([Allocation]), knows the finalizers and the time that an object has left when it is deleted ([Finalizers],
// [GraceOf]), what is too large for etcd ([Put]), and which objects are not initialized ([InitializationOf]).
//
// Errors are the server's. Package rest decides what happens to the request.
package change

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/patch"
)

// A Change is the body of a PATCH.
type Change interface {
	// Members returns the members of the object that the change may touch; ok is false if they are not known.
	Members() (m patch.Members, ok bool)
	// Apply patches doc, which is current or a part of it. problems are the findings of strict reading in the change
	// itself.
	Apply(doc []byte, current runtime.Object, s objects.Strictness) (patched []byte, problems []string, err error)
	// Read patches doc, which is all of current, and decodes the result.
	Read(r Reader, doc []byte, current runtime.Object, s objects.Strictness) (Result, error)
}

// A Reader decodes patched objects of one kind.
type Reader struct {
	Types       *objects.Types
	Kind        schema.GroupVersionKind
	CustomScale bool // Kind is the Scale of a custom resource
}

// A Result is a patched object. Unversioned says that it is the Scale of a custom resource, and names no version. Problems
// are the findings of strict reading in the patch and its result; Value returns what they are about.
type Result struct {
	Object      runtime.Object
	Unversioned bool
	Problems    []string
	Value       func() string
}

// Of reads the body of a patch of any type except apply. Errors in it are reported when it is applied, after what is
// checked before that. r decides how a JSON patch applies.
func Of(t types.PatchType, body []byte, r *kubeversion.Release) Change {
	switch t {
	case types.JSONPatchType:
		operations, err := patch.DecodeJSON(body)
		operations = operations.As(r.Has(kubeversion.PatchedDocuments), r.Has(kubeversion.PatchContext))
		return jsonChange{body: body, operations: operations, undecodable: err}
	case types.MergePatchType:
		return mergeChange(body)
	}
	return strategicChange(body)
}

// document decodes the result of a patch. Errors that are a 400 for a whole object are a 422 here.
func (r Reader) document(patched []byte, problems []string, s objects.Strictness) (Result, error) {
	value := func() string { return string(patched) }
	decode := r.Types.DecodePatched
	if r.CustomScale {
		decode = r.Types.DecodePatchedScale
	}
	object, unknown, err := decode(patched, r.Kind, min(s, objects.Warn))
	if err != nil {
		return Result{}, r.undecodable(value(), err)
	}
	return Result{Object: object, Unversioned: r.CustomScale && objects.Unversioned(patched), Problems: append(problems, unknown...), Value: value}, nil
}

// undecodable returns the error for a patched object that cannot be decoded.
func (r Reader) undecodable(value string, err error) error {
	if !r.Types.Release().Has(kubeversion.PatchedObjectsInvalid) {
		return err
	}
	return Invalid(value, err.Error())
}

// Invalid returns the error for a patch that results in no object, or in one that cannot be decoded.
func Invalid(value, detail string) error {
	return apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{field.Invalid(field.NewPath("patch"), value, detail)})
}

func badRequest(format string, args ...any) error {
	return apierrors.NewBadRequest(fmt.Sprintf(format, args...))
}

// A jsonChange is a JSON patch; undecodable is the error if its operations could not be decoded.
type jsonChange struct {
	body        []byte
	operations  patch.Patch
	undecodable error
}

func (c jsonChange) Members() (patch.Members, bool) {
	if c.undecodable != nil {
		return nil, false
	}
	return c.operations.Members()
}

func (c jsonChange) Apply(doc []byte, _ runtime.Object, s objects.Strictness) (patched []byte, problems []string, err error) {
	if problems, err = c.problems(s); err != nil {
		return nil, nil, err
	}
	if c.undecodable != nil {
		return nil, nil, badRequest("%s", c.undecodable)
	}
	if c.operations.Len() > patch.MaxOperations {
		return nil, nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf(
			"The allowed maximum operations in a JSON patch is %d, got %d", patch.MaxOperations, c.operations.Len()))
	}
	patched, err = c.operations.Apply(doc)
	switch {
	case errors.Is(err, patch.ErrPanic):
		return nil, nil, admission.ErrPanicked
	case err != nil:
		refused := apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
		failed, ok := errors.AsType[*patch.OperationError](err)
		if !ok {
			return nil, nil, refused
		}
		fault, remedy := c.operations.Fault(failed)
		return nil, nil, &PatchError{StatusError: refused, Fault: fault + ": " + remedy}
	}
	return patched, problems, nil
}

// A PatchError is the error of a JSON patch that does not apply. The server does not say why; Fault does.
type PatchError struct {
	*apierrors.StatusError
	Fault string
}

// problems returns the fields that operations do not have, or that occur twice.
func (c jsonChange) problems(s objects.Strictness) (problems []string, err error) {
	if s == objects.Ignore {
		return nil, nil
	}
	var shape []struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		From  string `json:"from"`
		Value any    `json:"value"`
	}
	strict, err := kjson.UnmarshalStrict(c.body, &shape)
	if err != nil {
		return nil, badRequest("error decoding patch: %v", err)
	}
	for _, e := range strict {
		problems = append(problems, "json patch "+e.Error())
	}
	return problems, nil
}

// Read sorts the members in the order in which the server reads them, which is also the order of its findings.
func (c jsonChange) Read(r Reader, doc []byte, current runtime.Object, s objects.Strictness) (Result, error) {
	patched, problems, err := c.Apply(doc, current, s)
	if err != nil {
		return Result{}, err
	}
	return r.document(c.operations.Sorted(patched), problems, s)
}

// A mergeChange is a merge patch.
type mergeChange []byte

func (c mergeChange) Members() (patch.Members, bool) { return patch.MembersOf(c) }

func (c mergeChange) Apply(doc []byte, _ runtime.Object, s objects.Strictness) (patched []byte, problems []string, err error) {
	if problems, err = duplicates(c, s, "error decoding patch: %v"); err != nil {
		return nil, nil, err
	}
	if patched, err = patch.Merge(doc, c); err != nil {
		return nil, nil, badRequest("%s", err)
	}
	return patched, problems, nil
}

func (c mergeChange) Read(r Reader, doc []byte, current runtime.Object, s objects.Strictness) (Result, error) {
	patched, problems, err := c.Apply(doc, current, s)
	if err != nil {
		return Result{}, err
	}
	return r.document(patch.SortedMerge(patched, c), problems, s)
}

// A strategicChange is a strategic merge patch.
type strategicChange []byte

func (c strategicChange) Members() (patch.Members, bool) { return patch.MembersOf(c) }

func (c strategicChange) Apply(doc []byte, current runtime.Object, s objects.Strictness) (patched []byte, problems []string, err error) {
	if problems, err = duplicates(c, s, "%v"); err != nil {
		return nil, nil, err
	}
	if patched, err = strategic(doc, c, current); err != nil {
		return nil, nil, unmerged(err)
	}
	return patched, problems, nil
}

// Read builds the resulting object from a tree. Unlike other results, this one is never JSON on the server, and errors
// are reported about the patch: kubernetes/apiserver:pkg/endpoints/handlers/patch.go, applyPatchToObject.
func (c strategicChange) Read(r Reader, doc []byte, current runtime.Object, s objects.Strictness) (Result, error) {
	problems, err := duplicates(c, s, "%v")
	if err != nil {
		return Result{}, err
	}
	merged, read, err := strategicTree(doc, c, current, r.Types.MovedIn(r.Kind), r.Types.Release().ReplacedLists(r.Kind))
	if err != nil {
		return Result{}, unmerged(err)
	}
	text := fmt.Sprintf("%+v", read)
	object, unknown, err := r.Types.Restored(merged, r.Kind, s)
	if err != nil {
		return Result{}, r.undecodable(text, err)
	}
	return Result{Object: object, Problems: append(problems, unknown...), Value: func() string { return text }}, nil
}

// unmerged returns the error for a strategic merge patch that cannot be applied.
func unmerged(err error) error {
	if errors.Is(err, patch.ErrPanic) {
		return admission.ErrPanicked
	}
	return err
}

// duplicates decodes a patch as an object, and lists its duplicate fields.
func duplicates(body []byte, s objects.Strictness, format string) (problems []string, err error) {
	if s == objects.Ignore {
		if !json.Valid(body) {
			return nil, badRequest(format, mergepatch.ErrBadJSONDoc)
		}
		return nil, nil
	}
	strict, err := kjson.UnmarshalStrict(body, &map[string]any{})
	if err != nil {
		return nil, badRequest(format, err)
	}
	for _, e := range strict {
		problems = append(problems, e.Error())
	}
	return problems, nil
}
