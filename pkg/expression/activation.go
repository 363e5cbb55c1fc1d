package expression

import (
	"fmt"

	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/admsim/admsim/pkg/admission"
)

// callVariable is the number of the call, which only predicates see.
const callVariable = "call"

// An activation binds the variables of one evaluation.
type activation struct {
	object, oldObject, params, request, namespace any

	variables func() ref.Val // nil outside of policies

	authorizer authorizer.UnconditionalAuthorizer // nil means unbound, not null
	asked      admission.Request                  // the request that the authorizer is asked about
	call       any
}

// A view says which parts of an input a group of expressions sees.
type view struct {
	resource   schema.GroupVersionResource // as request.resource
	authorizer bool
	namespace  visibility
	converters *converters
}

// visibility says how much of the namespace is visible.
type visibility int

const (
	noNamespace visibility = iota
	exposedNamespace
	wholeNamespace
)

// bind prepares the variables for in (W-117, W-123).
func bind(in Input, v view) (*activation, error) {
	shared := in.Shared
	if shared == nil {
		shared = &Shared{}
	}
	a := &activation{}
	var err error
	if a.oldObject, err = shared.object(in.OldObject, v); err != nil {
		return nil, unprepared("oldObject", err)
	}
	if a.object, err = shared.object(in.Object, v); err != nil {
		return nil, unprepared("object", err)
	}
	if a.params, err = shared.object(in.Params, v); err != nil {
		return nil, unprepared("params", err)
	}
	if a.request, err = shared.request(in.Request, requestKey{v.resource, in.Kind}, v); err != nil {
		return nil, unprepared("request", err)
	}
	if v.namespace != noNamespace {
		if a.namespace, err = shared.namespace(in.Namespace, v); err != nil {
			return nil, unprepared("namespace", err)
		}
	}
	if v.authorizer {
		a.authorizer, a.asked = in.Authorizer, in.Request
	}
	return a, nil
}

func unprepared(variable string, err error) error {
	return fmt.Errorf("failed to prepare %s variable for evaluation: %w", variable, err)
}

// ResolveName implements [interpreter.Activation].
func (a *activation) ResolveName(name string) (any, bool) {
	switch name {
	case objectVariable:
		return a.object, true
	case oldObjectVariable:
		return a.oldObject, true
	case paramsVariable:
		return a.params, true
	case requestVariable:
		return a.request, true
	case namespaceVariable:
		return a.namespace, true
	case variablesVariable:
		if a.variables == nil {
			return nil, true
		}
		return a.variables(), true
	case authorizerVariable:
		if a.authorizer == nil {
			return nil, false
		}
		return library.NewAuthorizerVal(a.asked.Asker(), a.authorizer), true
	case requestResourceVariable:
		if a.authorizer == nil {
			return nil, false
		}
		return library.NewResourceAuthorizerVal(a.asked.Asker(), a.authorizer, requested(a.asked)), true
	case callVariable:
		return a.call, a.call != nil
	}
	return nil, false
}

// Parent implements [interpreter.Activation].
func (a *activation) Parent() interpreter.Activation { return nil }

// requested is what authorizer.requestResource refers to.
type requested admission.Request

func (r requested) GetName() string                          { return r.Name }
func (r requested) GetNamespace() string                     { return r.Namespace }
func (r requested) GetResource() schema.GroupVersionResource { return r.Resource }
func (r requested) GetSubresource() string                   { return r.Subresource }
