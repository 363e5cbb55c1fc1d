package expression

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"google.golang.org/protobuf/types/known/structpb"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/cel/mutation"
	"k8s.io/apiserver/pkg/cel/mutation/dynamic"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Mutation is one of a policy's mutations. It says what to change; the caller makes the change.
type Mutation struct {
	scope *Scope
	text  string
	want  want // wantObject or wantPatch
}

// Mutation returns one of the policy's mutations. A mutation without an expression, which validation refuses, is an
// error.
func (s *Scope) Mutation(m admissionregistrationv1.Mutation) (*Mutation, error) {
	switch {
	case m.PatchType == admissionregistrationv1.PatchTypeJSONPatch && m.JSONPatch != nil:
		return &Mutation{s, m.JSONPatch.Expression, wantPatch}, nil
	case m.PatchType == admissionregistrationv1.PatchTypeApplyConfiguration && m.ApplyConfiguration != nil:
		return &Mutation{s, m.ApplyConfiguration.Expression, wantObject}, nil
	}
	return nil, fmt.Errorf("mutation of type %q has no expression", m.PatchType)
}

// A Change is the change that a mutation asks for. Either Patch or Configuration is set.
type Change struct {
	Patch json.RawMessage // a JSON patch

	// Configuration has the fields to apply, without kind and apiVersion. The caller may modify it, but must merge it
	// as it is: an empty list may be a nil slice, which would become null in JSON.
	Configuration map[string]any

	Cost int64
}

// Expression returns the text of the mutation.
func (m *Mutation) Expression() string { return m.text }

// Evaluate evaluates the mutation, with a budget of its own (W-319). The error is that of the mutation, with the
// server's wording.
func (m *Mutation) Evaluate(ctx context.Context, in Input) (Change, error) {
	p := m.scope.compile(m.text, m.want, declarations{HasAuthorizer: true, HasPatchTypes: true})
	if p.err != nil {
		return Change{}, p.err // here without "compilation error:"
	}
	v := view{resource: in.Resource, authorizer: true, namespace: wholeNamespace}
	e, err := newEvaluation(ctx, in.apart(), v, m.scope, Budget)
	if err != nil {
		return Change{}, err
	}
	out, err := e.run(m.text, p)
	if err == nil {
		err = out.err
	}
	if err != nil {
		return Change{Cost: out.cost}, err
	}
	change := Change{Cost: out.cost}
	if m.want == wantPatch {
		change.Patch, err = patchOf(out.value, kubeversion.ObjectListsInPatches.In(m.scope.dialect.minor))
	} else {
		change.Configuration, err = configurationOf(out.value)
	}
	return change, err
}

// apart returns an input without shared parts, since parts of it may end up in a change.
func (in Input) apart() Input {
	in.Shared = nil
	for _, obj := range []*runtime.Object{&in.Object, &in.OldObject, &in.Params} {
		if u, ok := (*obj).(*unstructured.Unstructured); ok { // others are converted anyway
			*obj = u.DeepCopy()
		}
	}
	return in
}

// configurationOf returns the fields of an Object{…}: kubernetes/apiserver:
// pkg/admission/plugin/policy/mutating/patch/smd.go.
func configurationOf(v ref.Val) (map[string]any, error) {
	object, ok := v.(*dynamic.ObjectVal)
	if !ok {
		return nil, fmt.Errorf("unsupported return type from ApplyConfiguration expression: %v", v.Type())
	}
	if err := object.CheckTypeNamesMatchFieldPathNames(); err != nil {
		return nil, fmt.Errorf("type mismatch: %w", err)
	}
	fields, ok := object.Value().(map[string]any)
	if !ok {
		return nil, fmt.Errorf("invalid return type: %T", v)
	}
	return fields, nil
}

// An operation is one operation of a JSON patch.
type operation struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	From  string          `json:"from,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
}

// patchOf returns a list of JSONPatch{…} as JSON: kubernetes/apiserver:
// pkg/admission/plugin/policy/mutating/patch/json_patch.go. If the library panics, the server does, too, and the
// request fails. In earlier releases it panics at a list of Object{…}.
func patchOf(v ref.Val, objectLists bool) (_ json.RawMessage, err error) {
	defer func() {
		if recover() != nil {
			err = admission.ErrPanicked
		}
	}()
	list, ok := v.(traits.Lister)
	if !ok {
		return nil, errors.New("type mismatch: JSONPatchType.expression should evaluate to array")
	}
	operations := []operation{}
	for it := list.Iterator(); it.HasNext() == types.True; {
		op, err := operationOf(it.Next(), objectLists)
		if err != nil {
			return nil, err
		}
		operations = append(operations, op)
	}
	return json.Marshal(operations)
}

func operationOf(v ref.Val, objectLists bool) (operation, error) {
	converted, err := v.ConvertToNative(reflect.TypeFor[*mutation.JSONPatchVal]())
	if err != nil {
		return operation{}, fmt.Errorf("type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch: %w", err)
	}
	p, ok := converted.(*mutation.JSONPatchVal)
	if !ok {
		return operation{}, fmt.Errorf("type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch, got element of %T", converted)
	}
	op := operation{Op: p.Op, Path: p.Path, From: p.From}
	if p.Val == nil {
		return op, nil
	}
	if object, ok := p.Val.(*dynamic.ObjectVal); ok {
		if err := object.CheckTypeNamesMatchFieldPathNames(); err != nil {
			return operation{}, fmt.Errorf("type mismatch: %w", err)
		}
	}
	if !objectLists && holdsObject(p.Val) {
		return operation{}, admission.ErrPanicked
	}
	if op.Value, err = jsonOf(p.Val); err != nil {
		return operation{}, fmt.Errorf("JSONPath valueExpression evaluated to a type that could not marshal to JSON: %w", err)
	}
	return op, nil
}

// holdsObject reports whether there is an Object{…} in a list or a map.
func holdsObject(v ref.Val) bool {
	isOrHolds := func(v ref.Val) bool {
		_, is := v.(*dynamic.ObjectVal)
		return is || holdsObject(v)
	}
	switch v := v.(type) {
	case *dynamic.ObjectVal:
	case traits.Lister:
		for it := v.Iterator(); it.HasNext() == types.True; {
			if isOrHolds(it.Next()) {
				return true
			}
		}
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True; {
			if isOrHolds(v.Get(it.Next())) {
				return true
			}
		}
	}
	return false
}

// jsonOf converts through protobuf like the server, because that determines the errors for values that JSON cannot
// hold.
func jsonOf(v ref.Val) (json.RawMessage, error) {
	value, err := v.ConvertToNative(reflect.TypeFor[*structpb.Value]())
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}
