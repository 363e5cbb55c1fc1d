package plugins

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/chain"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// anyVersion makes a plugin that looks into kinds of which earlier releases served betas and
// alphas. The server shows plugins its internal version of every kind; here one sees the stored
// version, and what it changes is given back in the version of the request.
func anyVersion(makePlugin func(Options) (any, error)) func(Options) (any, error) {
	return func(o Options) (any, error) {
		made, err := makePlugin(o)
		if err != nil {
			return nil, err
		}
		mutator, _ := made.(chain.Mutator)
		validator, _ := made.(chain.Validator)
		m, v := mutatorOfHub{o, mutator}, validatorOfHub{o, validator}
		switch {
		case mutator == nil:
			return v, nil
		case validator == nil:
			return m, nil
		}
		return struct {
			mutatorOfHub
			validatorOfHub
		}{m, v}, nil
	}
}

type mutatorOfHub struct {
	options Options
	mutator chain.Mutator
}

type validatorOfHub struct {
	options   Options
	validator chain.Validator
}

// Mutate implements [chain.Mutator].
func (p mutatorOfHub) Mutate(ctx context.Context, s *cluster.State, req admission.Request, earlier *trace.Step) (trace.Step, error) {
	shown, err := inHub(p.options, req)
	if err != nil {
		return begin(req), err
	}
	step, err := p.mutator.Mutate(ctx, s, shown, earlier)
	return asSent(p.options, req, shown, step, err)
}

// Validate implements [chain.Validator].
func (p validatorOfHub) Validate(ctx context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	shown, err := inHub(p.options, req)
	if err != nil {
		return begin(req), err
	}
	step, err := p.validator.Validate(ctx, s, shown)
	return asSent(p.options, req, shown, step, err)
}

// inHub is the request with its objects in the version that is stored.
func inHub(o Options, req admission.Request) (admission.Request, error) {
	resource, ok := o.Release.Resource(req.Resource)
	if !ok || req.Kind != resource.GroupVersionKind() || req.Kind == resource.Storage {
		return req, nil
	}
	for _, object := range []*runtime.Object{&req.Object, &req.OldObject} {
		if *object == nil {
			continue
		}
		converted, err := o.Types.Convert(*object, resource.Storage)
		if err != nil {
			return req, fmt.Errorf("%s as %s: %w", req.Kind, resource.Storage, err)
		}
		*object = converted
	}
	return req, nil
}

// asSent is the step of a plugin that was shown another version, with the objects in that of the
// request.
func asSent(o Options, req, shown admission.Request, step trace.Step, err error) (trace.Step, error) {
	if shown.Object == req.Object { // the version that is stored
		return step, err
	}
	after := step.After
	step.Before, step.After = req.Object, req.Object
	if err == nil && after != shown.Object {
		step.After, err = o.Types.Convert(after, req.Kind)
	}
	return step, err
}
