// Package compare finds where admsim's answer to a recorded request differs from that of the cluster, without showing
// the secrets of the request.
//
// Start with [New]. Values that differ by chance, such as uids, are ignored.
package compare

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/recording/callee"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/steady"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// An answered is the part of an answer, of the cluster or of admsim, that is compared.
type answered struct {
	code        int
	body        any // as JSON, without what varies between runs; nil: unknown, or found to be the same
	shown       any // body as it was answered
	annotations map[string]string
}

// A Comparison compares the answers to one recorded request.
type Comparison struct {
	Secrets

	// Recorded and Simulated are the bodies of the answers as they were compared, if they differ.
	Recorded, Simulated any

	callees  []callee.Webhook // the webhooks that a review may have been sent to
	evidence callee.Evidence
}

// New returns a comparison of the answers to the request of s. The simulator in s must have the cluster that the
// request finds. webhook is the webhook that reviews were sent to, if the user names it; if it is empty, the recording
// decides.
func New(s Secrets, webhook string) *Comparison {
	c := &Comparison{Secrets: s}
	c.callees, c.evidence = calleesOf(s.Record, s.Simulator, webhook)
	return c
}

// Callees returns the webhooks of the cluster that a review may have been sent to.
func (c *Comparison) Callees() []callee.Webhook { return c.callees }

// Compare sets in l how the result of admsim differs from the answer of the cluster. If the server's answer is
// undetermined and the cluster gave one of the alternatives, they agree.
func (c *Comparison) Compare(ctx context.Context, l *lines.Line, result *simulator.Result) {
	untouched, line := *c, *l
	c.compare(l, result)
	if l.Outcome != lines.Differs {
		return
	}
	for _, possible := range result.Alternatives {
		other, compared := untouched, line
		other.compare(&compared, &simulator.Result{Response: possible, Next: result.Next})
		if compared.Outcome == lines.Agrees {
			*c, *l = other, compared
			return
		}
	}
	c.allowed(ctx, l, result)
}

// Following returns a context in which a request takes the course that leads to the recorded answer, if the server
// might have taken it.
func (c *Comparison) Following(ctx context.Context) context.Context {
	recorded := c.Record.Answer
	return &admission.Course{
		Context: ctx,
		Answer: func(in string) ([]string, bool) {
			if key, ok := strings.CutPrefix(in, "auditAnnotations."); ok {
				value, has := recorded.Annotations[key]
				if !has {
					return nil, true
				}
				return steady.Parts(steady.Text(value)), true
			}
			if in == "message" && recorded.Status != nil {
				return []string{steady.Text(recorded.Status.Message)}, true
			}
			if in == steady.InErrors && recorded.Status != nil {
				return steady.Listed(steady.Text(recorded.Status.Message)), true
			}
			return nil, false // audit logs have no warnings
		},
		Form: func(text string) string { return steady.Text(text) },
	}
}

func (c *Comparison) compare(l *lines.Line, result *simulator.Result) {
	r := c.Record
	l.Code = result.Code
	l.Webhooks = called(result)
	if r.Form != recording.Audit {
		c.compareReview(l, result)
		return
	}
	if r.Answer.Code == 0 {
		l.CannotTell(recording.AnswerUnknown, "no code was recorded")
		return
	}
	text, err := c.bodyOf(result)
	if err != nil {
		l.CannotTell(recording.Unanswered, err.Error())
		return
	}
	want := answered{code: r.Answer.Code, annotations: annotationsOf(r.Answer.Annotations, result.AuditAnnotations)}
	got := answered{code: result.Code, annotations: aligned(annotationsOf(result.AuditAnnotations, r.Answer.Annotations), want.annotations)}
	if connected(r, result) {
		l.Code, got.code = want.code, want.code
	} else if !sameText(r.Answer.Object, text) {
		if want.body, want.shown, err = recordedBody(r); err == nil && want.body != nil && text != nil {
			got.body, got.shown, err = bodies(text)
		}
		if err != nil {
			l.CannotTell(recording.Unreadable, err.Error())
			return
		}
	}
	differences := compareAnswers(r, want, got, deniedBy(result))
	if len(differences) > 0 && c.Redactor != nil {
		c.hide(&want, &got)
		differences = compareAnswers(r, want, got, deniedBy(result))
		if len(differences) == 0 { // only the words that replace secrets were the same
			differences = []lines.Difference{{What: lines.Object, Path: "(redacted)"}}
		}
	}
	if len(differences) > 0 {
		c.Recorded, c.Simulated = want.body, got.body
		c.denied(differences, result)
	}
	conclude(l, differences)
}

// connected reports whether admission allowed a connection that was established. The kubelet or service at its other
// end comes after admission and is not simulated.
func connected(r *recording.Record, result *simulator.Result) bool {
	step, _ := result.Decider()
	return r.Request != nil && r.Request.Verb == rest.Connect && r.Answer.Code < 400 && len(result.Admissions) > 0 && step == nil
}

func conclude(l *lines.Line, differences []lines.Difference) {
	l.Outcome, l.Differences = lines.Agrees, differences
	if len(differences) > 0 {
		l.Outcome = lines.Differs
	}
}

// recordedBody returns the object or Status that the cluster answered, as [bodies] does, or nil if that is unknown.
func recordedBody(r *recording.Record) (body, shown any, err error) {
	if raw := r.Answer.Object; raw != nil {
		return bodies(raw)
	}
	if s := r.Answer.Status; s != nil && s.Message != "" {
		body = steady.Value(map[string]any{"kind": "Status", "message": s.Message})
	}
	return body, body, nil
}

// bodies returns an answer as it is compared and as it is shown. Their parts are at the same places, except for the
// causes of a Status.
func bodies(text []byte) (body, shown any, err error) {
	if err = json.Unmarshal(text, &body); err != nil {
		return nil, nil, err
	}
	if body = steady.Value(body); isStatus(body) {
		return body, body, nil
	}
	return body, withoutManagers(decoded(text)), nil
}

func withoutManagers(object any) any {
	fields, _ := object.(map[string]any)
	if m, ok := fields["metadata"].(map[string]any); ok {
		delete(m, "managedFields")
	}
	return object
}

// bodyOf returns the answer of admsim as JSON, or nil if it is not compared. It leaves out managedFields, which are
// never compared.
func (c *Comparison) bodyOf(result *simulator.Result) ([]byte, error) {
	if result.Object == nil || c.Record.Answer.Object == nil && c.Record.Answer.Status == nil {
		return nil, nil
	}
	object := result.Object
	if m, err := meta.Accessor(object); err == nil && len(m.GetManagedFields()) > 0 {
		object = cluster.ShallowCopy(object)
		if m, err = meta.Accessor(object); err != nil {
			return nil, err
		}
		m.SetManagedFields(nil)
	}
	text, err := c.Simulator.View().Types().Encode(object)
	if made, ok := generatedName(c.Record, result); ok {
		text = bytes.ReplaceAll(text, []byte(made), []byte(c.Record.Name))
	}
	return text, err
}

// generatedName returns the name that admsim generated, if the cluster generated another one.
func generatedName(r *recording.Record, result *simulator.Result) (string, bool) {
	if !isCreate(r) || r.Name == "" {
		return "", false
	}
	m, err := meta.Accessor(result.Object)
	if err != nil || m.GetGenerateName() == "" || m.GetName() == r.Name ||
		!strings.HasPrefix(r.Name, m.GetGenerateName()) {
		return "", false
	}
	return m.GetName(), m.GetName() != ""
}

// isCreate reports whether the server may have generated the name.
func isCreate(r *recording.Record) bool {
	return r.Request != nil && r.Request.Verb == rest.Create && r.Request.Name == "" && r.Subresource == ""
}

// notOfAdmission lists the prefixes of annotations that other parts of the server write, or admsim serve.
var notOfAdmission = []string{
	"admsim.dev/",
	"authentication.k8s.io/",
	"authentication.kubernetes.io/",
	"authorization.k8s.io/",
	"apiserver.latency.k8s.io/",
	"audit.k8s.io/",
}

// annotationsOf returns the annotations written during admission, normalized if the other side's value differs.
func annotationsOf(all, other map[string]string) map[string]string {
	kept := map[string]string{}
	for k, v := range all {
		if !slices.ContainsFunc(notOfAdmission, func(p string) bool { return strings.HasPrefix(k, p) }) {
			kept[k] = v
			if other[k] != v {
				kept[k] = steady.Text(v)
			}
		}
	}
	return kept
}

// aligned moves annotations about webhooks to the positions that the same webhooks have in the other side's annotations
// of the same round: a webhook that is added before others, or removed, moves them all.
func aligned(all, others map[string]string) map[string]string {
	places := map[string]string{}
	for key, value := range others {
		if called := calledIn(key, value); called != "" {
			places[called] = key
		}
	}
	moved, left := map[string]string{}, []string{}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if place, ok := places[calledIn(key, all[key])]; ok {
			moved[place] = all[key]
		} else {
			left = append(left, key)
		}
	}
	for _, key := range left {
		place := key
		for i := 0; moved[place] != ""; i++ {
			place = fmt.Sprintf("%s%d", strings.TrimRight(key, "0123456789"), i)
		}
		moved[place] = all[key]
	}
	return moved
}

// calledIn returns which webhook an annotation is about, with the kind of the annotation and the round; empty: it is
// about something else.
func calledIn(key, value string) string {
	webhook := lines.WebhookIn(key, value)
	round, _, ok := strings.Cut(key, "_index_")
	if webhook == "" || !ok {
		return ""
	}
	return round + " " + webhook
}

func compareAnswers(r *recording.Record, want, got answered, denier string) []lines.Difference {
	var d differences
	wantAllowed, gotAllowed := want.code < 400, got.code < 400
	if wantAllowed != gotAllowed {
		d.add(lines.Allowed, "", wantAllowed, gotAllowed, denierOf(r, denier))
	}
	if want.code != got.code {
		d.add(lines.Code, "", want.code, got.code, denierOf(r, denier))
	}
	if status, ok := want.body.(map[string]any); ok && !wantAllowed && gotAllowed && isStatus(status) {
		d.add(lines.Message, "", status["message"], nil, denierOf(r, denier))
	}
	if want.body != nil {
		d.bodies(want, got, denierOf(r, denier))
	}
	d.annotations(want.annotations, got.annotations, patchesLogged(r))
	return d.all
}

// patchesLogged reports whether the log has patches; logs at level Metadata have none.
func patchesLogged(r *recording.Record) bool {
	return !slices.ContainsFunc(r.Unknown, func(u recording.Reason) bool {
		return u.Code == recording.AnswerUnknown && strings.HasSuffix(u.Detail, "level Metadata")
	})
}

// denierOf returns the webhook that ended the request, in the recording or in admsim.
func denierOf(r *recording.Record, simulated string) string {
	for _, c := range r.Calls {
		if c.Denied != "" || c.Failed != "" {
			if c.Configuration == "" {
				return c.Webhook
			}
			return c.Configuration + "/" + c.Webhook
		}
	}
	return simulated
}

// deniedBy returns the webhook that ended the request in admsim.
func deniedBy(result *simulator.Result) string {
	if step, hook := result.Decider(); hook != nil && whatif.IsWebhook(*step) {
		return hook.Configuration + "/" + hook.Name
	}
	return ""
}

// denied adds who denies a request that only admsim denies, and why.
func (c *Comparison) denied(all []lines.Difference, result *simulator.Result) {
	i := slices.IndexFunc(all, func(d lines.Difference) bool { return d.What == lines.Allowed })
	status := result.Status()
	if i < 0 || status == nil {
		return
	}
	step, hook := result.Decider()
	if hook != nil {
		c.deniedByHook(all, hook)
		return
	}
	denied := &lines.Denied{By: "the API server", Message: status.Message}
	if step != nil {
		denied.By, denied.Source = step.Plugin, step.Source
	}
	c.blame(&all[i], denied)
}

// deniedByHook does the same for a webhook or policy.
func (c *Comparison) deniedByHook(all []lines.Difference, hook *trace.Hook) {
	i := slices.IndexFunc(all, func(d lines.Difference) bool { return d.What == lines.Allowed })
	if i < 0 || hook.Denial == nil {
		return
	}
	c.blame(&all[i], &lines.Denied{By: strings.TrimSuffix(hook.Configuration+"/"+hook.Name, "/"), Source: hook.Source, Message: hook.Denial.Message})
}

func (c *Comparison) blame(d *lines.Difference, denied *lines.Denied) {
	denied.Message = steady.Text(denied.Message)
	if c.Redactor != nil {
		denied.Message = c.begun().Text(denied.Message)
	}
	d.Denied = denied
}

// called returns the webhooks that admsim called, each once, in the order of the first calls.
func called(result *simulator.Result) (names []string) {
	for h := range hooksOf(result) {
		if name := h.Configuration + "/" + h.Name; h.Called && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// hooksOf iterates over what webhooks did.
func hooksOf(result *simulator.Result) func(func(*trace.Hook) bool) {
	return func(yield func(*trace.Hook) bool) {
		for _, a := range result.Admissions {
			for _, step := range a.Steps {
				if !whatif.IsWebhook(step) {
					continue
				}
				for i := range step.Hooks {
					if !yield(&step.Hooks[i]) {
						return
					}
				}
			}
		}
	}
}
