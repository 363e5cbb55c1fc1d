package rest

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/trace"
)

// invalid refuses an object for its content, and leaves the reason in the trace, with the rules
// of a CRD that are behind it.
func (x *exchange) invalid(object runtime.Object, errs field.ErrorList, rules ...trace.Hook) error {
	name := x.req.Name
	if m, err := meta.Accessor(object); err == nil {
		name = m.GetName()
	}
	errs = x.server.Types.Worded(errs)
	status := apierrors.NewInvalid(x.kindInErrors(object), name, errs)
	step := trace.Step{
		Plugin:  "validation",
		Outcome: trace.Denied,
		Because: errs.ToAggregate().Error(),
		Denial:  &status.ErrStatus,
		Hooks:   rules,
	}
	for i := range rules {
		rules[i].Denial = step.Denial
	}
	if len(rules) > 0 {
		step.Source = rules[0].Source
	}
	x.serverStep(step)
	return refuse(status)
}

// refuseInvalid refuses what is not the object of a request, such as its options.
func (x *exchange) refuseInvalid(kind schema.GroupKind, name string, errs field.ErrorList) error {
	return refuse(apierrors.NewInvalid(kind, name, x.server.Types.Worded(errs)))
}

// kindInErrors is what the server calls the kind of an object that is wrong: the one that
// it is stored as, and of a custom resource the one that it says it is.
func (x *exchange) kindInErrors(object runtime.Object) schema.GroupKind {
	if x.resource.CRD != nil {
		return object.GetObjectKind().GroupVersionKind().GroupKind()
	}
	return x.resource.Storage.GroupKind()
}
