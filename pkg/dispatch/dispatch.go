// Package dispatch calls admission webhooks: it sends the review, waits as long as the server would, checks the reply
// and applies the failure policy.
//
// Start with [New], then [Dispatcher.Call] for one mutating webhook, or [Dispatcher.CallAll] for validating webhooks,
// which are called concurrently. A [Backend] answers the calls: a [Mock] whose answers are data, an [InProcess] handler
// or function, or a [Client] that reaches servers over HTTPS. [Backends] chooses among several by the name of the
// webhook.
//
// Time is accounted for, not measured: a [Reply] says how long it took, and if this is longer than the timeout of the
// call, the webhook has timed out. Mocks never sleep. Handlers and clients take real time; contexts enforce their
// deadlines. They report how long they took only if they are given a clock.
//
// Package dispatch does not know why a webhook was chosen, and does not apply patches.
package dispatch

import (
	"context"
	"fmt"
	"sync"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/trace"
)

// A Hook is one webhook to call.
type Hook struct {
	Configuration, Name string
	ID                  string // see [trace.Hook]
	Source              string
	Place               func(field string) string // like Source, for one of the fields; may be nil
	Index               int                       // among all hooks of the plugin, including those that do not apply
	Phase               trace.Phase
	Round               int // of the mutating phase: 0, or 1 when called again
	Earlier             int // number of earlier calls in the same admission
	Before              int // number of calls in earlier admissions of the same request

	Client         admissionregistrationv1.WebhookClientConfig
	ReviewVersions []string
	TimeoutSeconds *int32                                     // nil: no limit of its own
	FailurePolicy  *admissionregistrationv1.FailurePolicyType // nil: Fail (W-187)
	SideEffects    *admissionregistrationv1.SideEffectClass
	Reinvocable    bool

	Backend Backend
	From    *From
}

// An Outcome is the result of calling a webhook.
type Outcome struct {
	Hook trace.Hook // the record; the code that applies Patch completes it

	// Patch is the JSON patch of a mutating webhook, not applied yet, with at least one operation. Operations is the
	// decoded patch. Nil: there is nothing to change.
	Patch      []byte
	Operations patch.Patch

	// Changes are the changes that the webhook made to the cluster during the call.
	Changes []cluster.Change
}

// A Dispatcher calls webhooks. It may be used concurrently.
type Dispatcher struct {
	newUID func() types.UID

	mu      sync.RWMutex
	targets map[address]map[string]target // by caBundle
}

// New returns a Dispatcher that takes the UIDs of its reviews from newUID.
func New(newUID func() types.UID) *Dispatcher {
	return &Dispatcher{newUID: newUID, targets: map[address]map[string]target{}}
}

// Call calls one webhook. An error means that admsim cannot know what the server would do: no backend has an answer, or
// ctx is done.
func (d *Dispatcher) Call(ctx context.Context, h Hook, r *Review) (Outcome, error) {
	return d.call(ctx, h, r, d.newUID(), h.Index)
}

// CallAll calls webhooks concurrently and waits for all of them (W-237, W-239). hooks[i] gets reviews[i], and the
// outcomes have the same order; see [ByCompletion]. hooks are the webhooks that apply; only these are counted in
// annotations (W-242). If a backend panics, CallAll panics after the other calls are done.
func (d *Dispatcher) CallAll(ctx context.Context, hooks []Hook, reviews []*Review) ([]Outcome, error) {
	if len(hooks) != len(reviews) {
		panic(fmt.Sprintf("dispatch: %d hooks, %d reviews", len(hooks), len(reviews)))
	}
	outcomes := make([]Outcome, len(hooks))
	errs := make([]error, len(hooks))

	var running sync.WaitGroup
	panics := make(chan any, len(hooks))
	for i, h := range hooks {
		uid := d.newUID() // here, so that the order of uids does not depend on scheduling
		one := func() { outcomes[i], errs[i] = d.call(ctx, h, reviews[i], uid, i) }
		if i == len(hooks)-1 || AnswersAtOnce(h.Backend) {
			one() // while the others run; often there are none
		} else {
			running.Go(func() {
				defer func() {
					if v := recover(); v != nil {
						panics <- bug.Carried(v)
					}
				}()
				one()
			})
		}
	}
	running.Wait()
	if len(panics) > 0 {
		panic(<-panics)
	}

	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return outcomes, nil
}

// call calls h. position is the number of the hook in its annotations.
func (d *Dispatcher) call(ctx context.Context, h Hook, r *Review, uid types.UID, position int) (Outcome, error) {
	c := &call{hook: h, review: r, uid: uid}
	resp, p, err := c.run(ctx, d)
	if err != nil {
		return Outcome{}, err
	}

	o := Outcome{Hook: h.record(r)}
	o.Hook.Called = len(c.made) > 0
	o.Hook.Calls = c.made
	o.Hook.Duration = c.spent
	o.Changes = c.changes
	if resp != nil {
		o.Hook.Warnings = resp.Warnings
		if r.has(kubeversion.WebhookAuditAnnotations) {
			o.Hook.Annotations = resp.annotations(h.Name)
		}
		o.Hook.Outcome = trace.Allowed
		o.Hook.Because = "answered allowed: true"
		o.Patch, o.Operations = resp.patchText, resp.operations
	}
	if p != nil {
		p.settle(&o.Hook, h, r, position)
	}
	return o, nil
}

// record returns the part of a hook's record that is known before it is called.
func (h Hook) record(r *Review) trace.Hook {
	return trace.Hook{
		Configuration: h.Configuration,
		Name:          h.Name,
		ID:            h.ID,
		Source:        h.Source,
		Index:         h.Index,
		Resource:      r.Resource,
		Kind:          r.Kind,
		Reinvocable:   h.Reinvocable,
		Timeout:       h.Limit(),
		Start:         r.Request.Elapsed,
	}
}

func (h Hook) ignoresFailures() bool {
	return h.FailurePolicy != nil && *h.FailurePolicy == admissionregistrationv1.Ignore
}
