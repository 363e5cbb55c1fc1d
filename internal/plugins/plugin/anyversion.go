package plugin

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// The two interfaces of package chain that a plugin can implement.
type (
	mutator interface {
		Mutate(ctx context.Context, s *cluster.State, req admission.Request, earlier *trace.Step) (trace.Step, error)
	}
	validator interface {
		Validate(ctx context.Context, s *cluster.State, req admission.Request) (trace.Step, error)
	}
)

// AnyVersion returns a plugin for kinds that earlier releases served as betas and alphas. The server shows plugins its
// internal version of every kind. Here a plugin gets the stored version, and its changes are converted back to the
// version of the request.
func AnyVersion(made any, r *kubeversion.Release, convert func(runtime.Object, schema.GroupVersionKind) (runtime.Object, error)) any {
	m, mutates := made.(mutator)
	v, validates := made.(validator)
	h := hub{r, convert}
	switch {
	case !mutates:
		return validatorOfHub{h, v}
	case !validates:
		return mutatorOfHub{h, m}
	}
	return struct {
		mutatorOfHub
		validatorOfHub
	}{mutatorOfHub{h, m}, validatorOfHub{h, v}}
}

// hub converts to the version of a kind that a release stores.
type hub struct {
	release *kubeversion.Release
	convert func(runtime.Object, schema.GroupVersionKind) (runtime.Object, error)
}

type mutatorOfHub struct {
	hub
	mutator mutator
}

type validatorOfHub struct {
	hub
	validator validator
}

// Mutate implements [github.com/admsim/admsim/pkg/chain.Mutator].
func (p mutatorOfHub) Mutate(ctx context.Context, s *cluster.State, req admission.Request, earlier *trace.Step) (trace.Step, error) {
	shown, err := p.shown(req)
	if err != nil {
		return Begin(req), err
	}
	step, err := p.mutator.Mutate(ctx, s, shown, earlier)
	return p.asSent(req, shown, step, err)
}

// Validate implements [github.com/admsim/admsim/pkg/chain.Validator].
func (p validatorOfHub) Validate(ctx context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	shown, err := p.shown(req)
	if err != nil {
		return Begin(req), err
	}
	step, err := p.validator.Validate(ctx, s, shown)
	return p.asSent(req, shown, step, err)
}

// shown returns the request with its objects in the stored version.
func (h hub) shown(req admission.Request) (admission.Request, error) {
	resource, ok := h.release.Resource(req.Resource)
	if !ok || req.Kind != resource.GroupVersionKind() || req.Kind == resource.Storage {
		return req, nil
	}
	for _, object := range []*runtime.Object{&req.Object, &req.OldObject} {
		if *object == nil {
			continue
		}
		converted, err := h.convert(*object, resource.Storage)
		if err != nil {
			return req, fmt.Errorf("%s as %s: %w", req.Kind, resource.Storage, err)
		}
		*object = converted
	}
	return req, nil
}

// asSent returns the step of a plugin that got another version, with its objects converted to the version of the
// request.
func (h hub) asSent(req, shown admission.Request, step trace.Step, err error) (trace.Step, error) {
	if shown.Object == req.Object { // the objects were not converted
		return step, err
	}
	after := step.After
	step.Before, step.After = req.Object, req.Object
	if err == nil && after != shown.Object {
		step.After, err = h.convert(after, req.Kind)
	}
	return step, err
}
