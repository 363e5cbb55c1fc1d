package rest

import (
	"encoding/json"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	kjson "sigs.k8s.io/json"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/patch"
)

// A change is the body of a PATCH that says what to do with the object that is stored.
type change interface {
	// members are those of the object that the change may touch; ok is false if they cannot
	// be told.
	members() (m patch.Members, ok bool)
	// apply patches doc, which is current or a part of it. problems are what strict reading
	// finds in the change itself.
	apply(doc []byte, current runtime.Object, s objects.Strictness) (patched []byte, problems []string, err error)
	// object patches doc, which is all of current, and reads what comes of it.
	object(x *exchange, doc []byte, current runtime.Object, s objects.Strictness) (runtime.Object, error)
}

// changeOf reads the body of a patch of any type but apply. What is wrong with it is told when
// it is applied, after what comes before that.
func changeOf(patchType string, body []byte) change {
	switch patchType {
	case JSONPatch:
		operations, err := patch.DecodeJSON(body)
		return jsonChange{body: body, operations: operations, undecodable: err}
	case MergePatch:
		return mergeChange(body)
	}
	return strategicChange(body)
}

// A jsonChange is a JSON patch; undecodable is why its operations are not known.
type jsonChange struct {
	body        []byte
	operations  patch.Patch
	undecodable error
}

func (c jsonChange) members() (patch.Members, bool) {
	if c.undecodable != nil {
		return nil, false
	}
	return c.operations.Members()
}

func (c jsonChange) apply(doc []byte, _ runtime.Object, s objects.Strictness) (patched []byte, problems []string, err error) {
	if problems, err = c.problems(s); err != nil {
		return nil, nil, err
	}
	if c.undecodable != nil {
		return nil, nil, badRequest("%s", c.undecodable)
	}
	if c.operations.Len() > patch.MaxOperations {
		return nil, nil, refuse(apierrors.NewRequestEntityTooLargeError(fmt.Sprintf(
			"The allowed maximum operations in a JSON patch is %d, got %d", patch.MaxOperations, c.operations.Len())))
	}
	patched, err = c.operations.Apply(doc)
	switch {
	case errors.Is(err, patch.ErrPanic):
		return nil, nil, refuse(admission.ErrPanicked)
	case err != nil:
		return nil, nil, unprocessable(err)
	}
	return patched, problems, nil
}

// problems are the fields that no operation has, or has twice.
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

// object reads the members in the order in which the server does, which is that of what is said
// about them.
func (c jsonChange) object(x *exchange, doc []byte, current runtime.Object, s objects.Strictness) (runtime.Object, error) {
	patched, problems, err := c.apply(doc, current, s)
	if err != nil {
		return nil, err
	}
	return x.decodePatched(c.operations.Sorted(patched), problems, s)
}

// A mergeChange is a merge patch.
type mergeChange []byte

func (c mergeChange) members() (patch.Members, bool) { return patch.MembersOf(c) }

func (c mergeChange) apply(doc []byte, _ runtime.Object, s objects.Strictness) (patched []byte, problems []string, err error) {
	if problems, err = duplicates(c, s, "error decoding patch: %v"); err != nil {
		return nil, nil, err
	}
	if patched, err = patch.Merge(doc, c); err != nil {
		return nil, nil, badRequest("%s", err)
	}
	return patched, problems, nil
}

func (c mergeChange) object(x *exchange, doc []byte, current runtime.Object, s objects.Strictness) (runtime.Object, error) {
	patched, problems, err := c.apply(doc, current, s)
	if err != nil {
		return nil, err
	}
	return x.decodePatched(patch.SortedMerge(patched, c), problems, s)
}

// A strategicChange is a strategic merge patch.
type strategicChange []byte

func (c strategicChange) members() (patch.Members, bool) { return patch.MembersOf(c) }

func (c strategicChange) apply(doc []byte, current runtime.Object, s objects.Strictness) (patched []byte, problems []string, err error) {
	if problems, err = duplicates(c, s, "%v"); err != nil {
		return nil, nil, err
	}
	if patched, err = patch.Strategic(doc, c, current); err != nil {
		return nil, nil, unmerged(err)
	}
	return patched, problems, nil
}

// object is made of the result as a tree. Unlike the result of others, that of this one is never
// JSON on the server, and what is wrong with it is said of the patch:
// kubernetes/apiserver:pkg/endpoints/handlers/patch.go, applyPatchToObject.
func (c strategicChange) object(x *exchange, doc []byte, current runtime.Object, s objects.Strictness) (runtime.Object, error) {
	problems, err := duplicates(c, s, "%v")
	if err != nil {
		return nil, err
	}
	merged, read, err := patch.StrategicTree(doc, c, current)
	if err != nil {
		return nil, unmerged(err)
	}
	value := fmt.Sprintf("%+v", read)
	object, unknown, err := x.server.Types.Restored(merged, x.kind, s)
	if err != nil {
		return nil, badPatch(value, err.Error())
	}
	return object, x.judge(value, append(problems, unknown...), s)
}

// unmerged is the answer to a strategic merge patch that cannot be applied.
func unmerged(err error) error {
	if errors.Is(err, patch.ErrPanic) {
		err = admission.ErrPanicked
	}
	return refuse(err)
}

// duplicates reads a patch as an object, and lists the fields that it has twice.
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
