package calls

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/jsonpointer"
	"github.com/admsim/admsim/internal/lint"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/whatif/variant"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/trace"
)

const corpusTheme = "What webhooks and policies do with requests"

// A rule looks at each call of a webhook or mutating policy, or at all of them together.
type rule struct {
	lint.Rule

	// call returns what is wrong with one call, each in one sentence.
	call func(context.Context, *Corpus, call) []string
	// all reports what is wrong with all calls together.
	all func(*Corpus, *lint.Subject, *lint.Reporter)
}

// Rules returns all rules about what webhooks and mutating policies did with the requests of a corpus.
func Rules(c *Corpus) (all []lint.Rule) {
	for _, one := range rules() {
		one.Check = func(s *lint.Subject, r *lint.Reporter) { one.all(c, s, r) }
		if one.call != nil {
			one.Check = func(_ *lint.Subject, r *lint.Reporter) { c.report(r) }
		}
		all = append(all, one.Rule)
	}
	return all
}

func rules() []rule {
	return []rule{
		{Rule: lint.Rule{
			ID: "ADM090", Name: "array-rewritten", Theme: corpusTheme, Severity: lint.Warning, Practice: "dont-overwrite-arrays", Corpus: true,
			Title:  "A webhook or policy replaces a whole list.",
			Why:    "Items that others added are lost, and so are fields of items that the webhook or policy does not know.",
			Remedy: "add or replace single items, such as {op: add, path: /spec/containers/-}",
		}, call: arrayRewritten},
		{Rule: lint.Rule{
			ID: "ADM091", Name: "user-overwritten", Theme: corpusTheme, Severity: lint.Info, Practice: "patch-required-fields", Corpus: true,
			Title:  "A webhook or policy changes values that the author of the request set.",
			Why:    "A tool that applies the same manifest again and again, such as GitOps tools, sees a difference every time.",
			Remedy: "set only what is missing, and refuse wrong values",
		}, call: userOverwritten},
		{Rule: lint.Rule{
			ID: "ADM092", Name: "immutable-changed", Theme: corpusTheme, Severity: lint.Error, Practice: "dont-change-immutable-objects", Corpus: true,
			Title:  "A webhook or policy changes something that cannot be changed.",
			Why:    "A mirror pod represents a static pod, which the change does not reach. For an existing pod, the API server refuses nearly all changes of the spec.",
			Remedy: "exclude mirror pods, which have the annotation kubernetes.io/config.mirror, and updates of pods",
		}, call: immutableChanged},
		{Rule: lint.Rule{
			ID: "ADM093", Name: "not-idempotent", Theme: corpusTheme, Severity: lint.Error, Practice: "ensure-mutating-webhook-idempotent", Corpus: true,
			Title:  "A webhook or policy changes its own output again, or refuses it.",
			Why:    "The API server may call it twice for one request, and clients write back objects that they read. Each time, the change is made once more.",
			Remedy: "check first whether the change has been made already",
		}, call: notIdempotent},
		{Rule: lint.Rule{
			ID: "ADM094", Name: "never-acts", Theme: corpusTheme, Severity: lint.Info, Practice: "filter-match-conditions", Corpus: true,
			Title:  "A webhook is called often and never does anything, or a mutating policy is applied often and never changes anything.",
			Why:    "Each call costs time. A rule, a selector or a match condition can exclude such requests without a call. A policy is part of the API server, but each time its mutations succeed, all mutating plugins run once more, even if nothing changed.",
			Remedy: "exclude these requests with matchConditions",
			Needs:  []string{lint.MatchConditions}, Otherwise: "exclude these requests with its rules and selectors",
		}, all: neverActs},
		{Rule: lint.Rule{
			ID: "ADM095", Name: "constant-change", Theme: corpusTheme, Severity: lint.Info, Practice: "choose-admission-mechanism", Corpus: true,
			Title:  "A webhook makes the same change to every object.",
			Why:    "A MutatingAdmissionPolicy can make the change in the API server, without a call that may fail.",
			Remedy: "write it as a MutatingAdmissionPolicy",
			Needs:  []string{lint.MutatingPolicies},
		}, all: constantChange},
		{Rule: lint.Rule{
			ID: "ADM096", Name: "undone-again", Theme: corpusTheme, Severity: lint.Warning, Practice: "prevent-loops-competing-controllers", Corpus: true,
			Title:  "A webhook and a user of the API undo each other's change again and again.",
			Why:    "Mostly the user is a controller: each of its updates takes away what the webhook set, and the webhook sets it anew. The controller sees that its change did not last, and tries again without end. (Seen in audit logs of level Request or RequestResponse, which have the patches of webhooks. Three times are enough.)",
			Remedy: "exclude the requests of the controller with a match condition, or let only one of them own the field",
			Needs:  []string{lint.MatchConditions}, Otherwise: "let only one of them own the field",
		}, all: undoneAgain},
		{Rule: lint.Rule{
			ID: "ADM097", Name: "never-reached", Theme: corpusTheme, Severity: lint.Info, Corpus: true,
			Title:  "No request reaches a webhook or policy.",
			Why:    "Either the requests are not those that it is for, or its rules, selectors or match conditions exclude more than they should. For a policy, those of its bindings count, too.",
			Remedy: "add requests that it is for, or correct what excludes them, which admsim explain shows",
		}, all: neverReached},
	}
}

func arrayRewritten(_ context.Context, c *Corpus, one call) []string {
	before := c.fields(one.did.Before)
	var found []string
	for _, o := range one.operations() {
		old, _ := jsonpointer.Lookup(before, o.Path)
		list, isList := old.([]any)
		if isList && len(list) > 0 && bytes.HasPrefix(bytes.TrimSpace(o.Value), []byte("[")) {
			found = append(found, fmt.Sprintf("replaces the whole list %s", o.Path))
		}
	}
	return found
}

// operations returns the operations of the JSON patches of a call. An ApplyConfiguration cannot do what they can do: it
// is merged (W-307).
func (c call) operations() (all []patch.Operation) {
	patches := [][]byte{c.did.Patch}
	if c.hook.policy != nil {
		patches = nil
		for _, e := range c.did.Expressions {
			patches = append(patches, []byte(e.Value))
		}
	}
	for _, text := range patches {
		var operations []patch.Operation
		if json.Unmarshal(text, &operations) == nil {
			all = append(all, operations...)
		}
	}
	return all
}

func userOverwritten(_ context.Context, c *Corpus, one call) []string {
	var wrote any
	if json.Unmarshal(written(one.from.Asked), &wrote) != nil {
		return nil
	}
	var found []string
	for _, change := range c.changes(one.did.Before, one.did.After) {
		if change.Op != "replace" && change.Op != "remove" {
			continue
		}
		value, exists := jsonpointer.Lookup(wrote, change.Path)
		if text, err := json.Marshal(value); exists && err == nil && sameJSON(text, change.Old) {
			found = append(found, fmt.Sprintf("changes %s, which the request set", change.Path))
		}
	}
	return found
}

// written returns the object as the author of the request wrote it.
func written(r world.Asked) []byte {
	if r.From.Review != nil {
		return r.From.Review.Object.Raw
	}
	return r.API.Body
}

// mutableSpec lists the fields of a pod spec that may change after creation.
var mutableSpec = []string{"/spec/tolerations", "/spec/activeDeadlineSeconds", "/spec/terminationGracePeriodSeconds", "/spec/schedulingGates"}

func immutableChanged(_ context.Context, c *Corpus, one call) []string {
	if one.did.Outcome != trace.Changed || one.in.Request.Resource.GroupResource() != (schema.GroupResource{Resource: "pods"}) || one.in.Request.Subresource != "" {
		return nil
	}
	if m, err := meta.Accessor(one.did.Before); err == nil && m.GetAnnotations()["kubernetes.io/config.mirror"] != "" {
		return []string{"changes a mirror pod"}
	}
	if one.in.Request.Operation != admissionv1.Update {
		return nil
	}
	for _, change := range c.changes(one.did.Before, one.did.After) {
		mutable := strings.HasSuffix(change.Path, "/image") ||
			slices.ContainsFunc(mutableSpec, func(p string) bool { return strings.HasPrefix(change.Path, p) })
		if strings.HasPrefix(change.Path, "/spec/") && !mutable {
			return []string{fmt.Sprintf("changes %s of a pod that exists", change.Path)}
		}
	}
	return nil
}

// manyCalls is the number of calls from which it can be said that a webhook never, or always, does something;
// maxRepeated limits how many calls of a webhook are repeated.
const (
	manyCalls   = 10
	maxRepeated = 500
)

// notIdempotent calls the hook alone with its own output.
func notIdempotent(ctx context.Context, c *Corpus, one call) []string {
	acts := c.acts[one.hook]
	if one.did.Outcome != trace.Changed || acts.repeated >= maxRepeated {
		return nil
	}
	acts.repeated++
	again := "called with its own output, it "
	if one.hook.policy != nil {
		again = "applied to its own output, it "
	}
	did, err := one.again(ctx)
	switch {
	case err != nil:
		return []string{fmt.Sprintf("cannot be called with its own output: %v", err)}
	case did == nil:
		return nil
	case did.Outcome == trace.Changed:
		for _, change := range c.changes(did.Before, did.After) {
			return []string{fmt.Sprintf("%schanges %s again", again, change.Path)}
		}
	case did.Outcome == trace.Denied:
		return []string{again + "refuses it"}
	}
	return nil
}

// again returns what the hook of c does with its own output if there are no others; nil if it is not called.
func (c call) again(ctx context.Context) (*trace.Hook, error) {
	sim, err := variant.AsIs(c.from.Simulator).Only(whatif.Actor(c.step, c.did)).In(c.from.Simulator)
	if err != nil {
		return nil, err
	}
	req := c.in.Request
	req.Object, req.Elapsed = c.did.After, 0
	result, err := sim.Admit(ctx, req)
	if err != nil {
		return nil, err
	}
	for step, did := range whatif.Hooks(result) {
		if step.Plugin == c.step.Plugin && did.Called && did.Param == c.did.Param {
			return &did, nil
		}
	}
	return nil, nil
}

func neverActs(c *Corpus, s *lint.Subject, r *lint.Reporter) {
	c.eachBusy(s, func(h hook, did *acts) {
		switch {
		case did.idle < did.calls:
		case h.policy != nil:
			r.At(h.policy.Field("matchConstraints"), "applied %d times, and changed nothing", did.calls)
		default:
			r.At(h.webhook.Field("rules"), "called %d times, and had nothing to say", did.calls)
		}
	})
}

// annotates reports whether the webhook itself wrote to the audit log. The server prepends the webhook's name (W-247),
// and writes more annotations of its own.
func (c call) annotates() bool {
	return slices.ContainsFunc(c.did.Annotations, func(a trace.Annotation) bool { return strings.HasPrefix(a.Key, c.did.Name+"/") })
}

func constantChange(c *Corpus, s *lint.Subject, r *lint.Reporter) {
	c.eachBusy(s, func(h hook, did *acts) {
		if h.webhook != nil && !did.different {
			r.At(h.field(), "made the same change in all of %d calls", did.calls)
		}
	})
}

// eachBusy calls look for the hooks that were called often.
func (c *Corpus) eachBusy(s *lint.Subject, look func(hook, *acts)) {
	var all []hook
	for _, h := range s.Hooks {
		all = append(all, hook{webhook: h})
	}
	for _, p := range s.Policies {
		all = append(all, hook{policy: p})
	}
	for _, h := range all {
		if did := c.acts[h]; did != nil && did.calls >= manyCalls {
			look(h, did)
		}
	}
}

// changes returns the differences between two objects.
func (c *Corpus) changes(before, after runtime.Object) []patch.Operation {
	if before == nil || after == nil {
		return nil
	}
	types := c.subject.Simulator.View().Types()
	a, err := types.Encode(before)
	if err != nil {
		return nil
	}
	b, err := types.Encode(after)
	if err != nil {
		return nil
	}
	operations, err := patch.Diff(a, b)
	if err != nil {
		return nil
	}
	return operations
}

func (c *Corpus) fields(o runtime.Object) any {
	if o == nil {
		return nil
	}
	data, err := c.subject.Simulator.View().Types().Encode(o)
	if err != nil {
		return nil
	}
	var fields any
	if json.Unmarshal(data, &fields) != nil {
		return nil
	}
	return fields
}

func sameJSON(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	p, _ := json.Marshal(x)
	q, _ := json.Marshal(y)
	return bytes.Equal(p, q)
}
