package conformance

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/admsim/admsim/internal/conformance/plugincall"
)

// playPlugin asks the plugin of a recording, and compares everything that it does.
func playPlugin(ctx context.Context, r *Recording) []Outcome {
	outcomes := make([]Outcome, len(r.Requests))
	world, err := newPluginWorld(r)
	for i := range r.Requests {
		o := &outcomes[i]
		o.Recording, o.Request = r, &r.Requests[i]
		if err != nil {
			o.Diff = fmt.Sprintf("setting up: %v\n", err)
			continue
		}
		if err := o.askPlugin(ctx, world); err != nil {
			o.Diff = err.Error() + "\n"
		}
	}
	return outcomes
}

// newPluginWorld returns the world of a recording, with its plugin. A panic is an error.
func newPluginWorld(r *Recording) (world *plugincall.World, err error) {
	defer caught(&err)
	return plugincall.New(cmp.Or(r.Kubernetes, UnnamedRelease), r.Plugin, r.Cluster)
}

// askPlugin compares what the plugin does with what is expected. A panic is an error.
func (o *Outcome) askPlugin(ctx context.Context, world *plugincall.World) (err error) {
	defer caught(&err)
	want := *o.Request
	if want.Expect, err = reencoded(world, want.Expect); err != nil {
		return fmt.Errorf("the expected object: %w", err)
	}
	r := o.Request
	got, because, err := world.Ask(ctx, plugincall.Request{
		Verb: r.Verb, Group: r.Group, Version: r.Version, Resource: r.Resource, Subresource: r.Subresource,
		Namespace: r.Namespace, Name: r.Name, Object: r.Object,
	})
	if err != nil {
		return fmt.Errorf("admsim: %w", err)
	}
	if o.Diff = Compare(o.Recording, &want, got); o.Diff != "" {
		o.Trace = because + "\n"
	}
	return nil
}

// caught, deferred, turns a panic into an error.
func caught(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v", p)
	}
}

// reencoded returns an expectation whose objects are written as admsim writes them.
func reencoded(world *plugincall.World, expected any) (any, error) {
	expect, _ := expected.(map[string]any)
	expect = maps.Clone(expect)
	var err error
	if object := expect["object"]; object != nil {
		if expect["object"], err = world.Encoded(object); err != nil {
			return nil, err
		}
	}
	if written, _ := expect["writes"].([]any); len(written) > 0 {
		written = slices.Clone(written)
		for i := range written {
			if written[i], err = world.Encoded(written[i]); err != nil {
				return nil, err
			}
		}
		expect["writes"] = written
	}
	return expect, nil
}
