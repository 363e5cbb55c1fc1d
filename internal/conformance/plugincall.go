package conformance

import (
	"cmp"
	"context"
	"fmt"
	"maps"

	"github.com/admsim/admsim/internal/conformance/plugincall"
)

// playPlugin asks the plugin of a recording, and compares everything that it does.
func playPlugin(ctx context.Context, r *Recording) []Outcome {
	outcomes := make([]Outcome, len(r.Requests))
	for i := range r.Requests {
		outcomes[i].Recording, outcomes[i].Request = r, &r.Requests[i]
		outcomes[i].askPlugin(ctx)
	}
	return outcomes
}

func (o *Outcome) askPlugin(ctx context.Context) {
	defer func() {
		if p := recover(); p != nil {
			o.Diff = fmt.Sprintf("panic: %v\n", p)
		}
	}()
	world, err := plugincall.New(cmp.Or(o.Recording.Kubernetes, UnnamedRelease), o.Recording.Plugin, o.Recording.Cluster)
	if err != nil {
		o.Diff = fmt.Sprintf("setting up: %v\n", err)
		return
	}
	want := *o.Request
	expect, _ := want.Expect.(map[string]any)
	if object := expect["object"]; object != nil {
		expect = maps.Clone(expect)
		if expect["object"], err = world.Encoded(object); err != nil {
			o.Diff = fmt.Sprintf("the expected object: %v\n", err)
			return
		}
		want.Expect = expect
	}
	r := o.Request
	got, because, err := world.Ask(ctx, plugincall.Request{
		Verb: r.Verb, Group: r.Group, Version: r.Version, Resource: r.Resource, Subresource: r.Subresource,
		Namespace: r.Namespace, Name: r.Name, Object: r.Object,
	})
	if err != nil {
		o.Diff = fmt.Sprintf("admsim: %v\n", err)
		return
	}
	if o.Diff = Compare(o.Recording, &want, got); o.Diff != "" {
		o.Trace = because + "\n"
	}
}
