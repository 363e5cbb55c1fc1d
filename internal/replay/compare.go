package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/steady"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// An answer is what is compared, of the cluster or of admsim.
type answered struct {
	code        int
	body        any // as JSON; nil: not known, or found to be the same
	annotations map[string]string
}

// compare says in the line of j how the answer of an account differs from the cluster's.
func (w *worker) compare(j *job, a *account) {
	r, l, result := j.record, j.line, a.result
	l.Code = result.Code
	l.Webhooks = called(result)
	if r.Form != recording.Audit {
		w.compareReview(r, l, result)
		return
	}
	if r.Answer.Code == 0 {
		l.CannotTell(recording.AnswerUnknown, "no code was recorded")
		return
	}
	text, err := w.bodyOf(r, result)
	if err != nil {
		l.CannotTell(lines.Unanswered, err.Error())
		return
	}
	want := answered{code: r.Answer.Code, annotations: annotationsOf(r.Answer.Annotations, result.AuditAnnotations)}
	got := answered{code: result.Code, annotations: annotationsOf(result.AuditAnnotations, r.Answer.Annotations)}
	if connected(r, result) {
		l.Code, got.code = want.code, want.code
	} else if !sameText(r.Answer.Object, text) {
		if want.body, err = recordedBody(r); err == nil && want.body != nil && text != nil {
			err = json.Unmarshal(text, &got.body)
			got.body = steady.Value(got.body)
		}
		if err != nil {
			l.CannotTell(lines.Unreadable, err.Error())
			return
		}
	}
	differences := compareAnswers(r, want, got, deniedBy(result))
	if len(differences) > 0 && w.redactor != nil {
		w.hide(r, &want, &got)
		differences = compareAnswers(r, want, got, deniedBy(result))
		if len(differences) == 0 { // only the words for secrets were the same
			differences = []lines.Difference{{What: lines.Object, Path: "(redacted)"}}
		}
	}
	if len(differences) > 0 {
		a.recorded, a.simulated = want.body, got.body
		w.denied(r, differences, result)
	}
	conclude(l, differences)
}

// connected reports whether admission let through a connection that was made. Where it leads, to a kubelet
// or a service, is behind admission and not simulated.
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

// recordedBody is the object or Status that the cluster answered, nil if that is not
// known.
func recordedBody(r *recording.Record) (body any, err error) {
	if raw := r.Answer.Object; raw != nil {
		err = json.Unmarshal(raw, &body)
		return steady.Value(body), err
	}
	if s := r.Answer.Status; s != nil && s.Message != "" {
		body = steady.Value(map[string]any{"kind": "Status", "message": s.Message})
	}
	return body, nil
}

// bodyOf is what admsim answered, as JSON, without managedFields, which nothing is compared
// with; nil if it is not compared.
func (w *worker) bodyOf(r *recording.Record, result *simulator.Result) ([]byte, error) {
	if result.Object == nil || r.Answer.Object == nil && r.Answer.Status == nil {
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
	text, err := w.sim.View().Types().Encode(object)
	if made, ok := generatedName(r, result); ok {
		text = bytes.ReplaceAll(text, []byte(made), []byte(r.Name))
	}
	return text, err
}

// generatedName is the name that admsim made up where the cluster made up another.
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

// notOfAdmission are the annotations that other parts of the server leave, and admsim serve.
var notOfAdmission = []string{
	"admsim.dev/",
	"authentication.k8s.io/",
	"authentication.kubernetes.io/",
	"authorization.k8s.io/",
	"apiserver.latency.k8s.io/",
	"audit.k8s.io/",
}

// annotationsOf are the annotations that admission left, steady where the other side says
// something else.
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

func compareAnswers(r *recording.Record, want, got answered, denier string) []lines.Difference {
	var d differences
	wantAllowed, gotAllowed := want.code < 400, got.code < 400
	if wantAllowed != gotAllowed {
		d.add(lines.Allowed, "", wantAllowed, gotAllowed, denierOf(r, denier))
	}
	if want.code != got.code {
		d.add(lines.Code, "", want.code, got.code, denierOf(r, denier))
	}
	if want.body != nil {
		d.bodies(want.body, got.body, denierOf(r, denier))
	}
	d.annotations(want.annotations, got.annotations, patchesLogged(r))
	return d.all
}

// patchesLogged reports whether the log has patches: those of level Metadata have none.
func patchesLogged(r *recording.Record) bool {
	return !slices.ContainsFunc(r.Unknown, func(u recording.Reason) bool {
		return u.Code == recording.AnswerUnknown && strings.HasSuffix(u.Detail, "level Metadata")
	})
}

// denierOf is the webhook that ended the request, in the recording or in admsim.
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

// deniedBy is the webhook that ended the request in admsim.
func deniedBy(result *simulator.Result) string {
	for h := range hooksOf(result) {
		if h.Outcome.Ends() {
			return h.Configuration + "/" + h.Name
		}
	}
	return ""
}

// denied returns who denies a request that only admsim denies, and why.
func (w *worker) denied(r *recording.Record, all []lines.Difference, result *simulator.Result) {
	i := slices.IndexFunc(all, func(d lines.Difference) bool { return d.What == lines.Allowed })
	status := result.Status()
	if i < 0 || status == nil {
		return
	}
	step, hook := result.Decider()
	if hook != nil {
		w.deniedByHook(r, all, hook)
		return
	}
	denied := &lines.Denied{By: "the API server", Message: status.Message}
	if step != nil {
		denied.By, denied.Source = step.Plugin, step.Source
	}
	w.blame(r, &all[i], denied)
}

// deniedByHook says the same of a webhook or policy.
func (w *worker) deniedByHook(r *recording.Record, all []lines.Difference, hook *trace.Hook) {
	i := slices.IndexFunc(all, func(d lines.Difference) bool { return d.What == lines.Allowed })
	if i < 0 || hook.Denial == nil {
		return
	}
	w.blame(r, &all[i], &lines.Denied{By: strings.TrimSuffix(hook.Configuration+"/"+hook.Name, "/"), Source: hook.Source, Message: hook.Denial.Message})
}

func (w *worker) blame(r *recording.Record, d *lines.Difference, denied *lines.Denied) {
	denied.Message = steady.Text(denied.Message)
	if w.redactor != nil {
		denied.Message = w.begun(r).Text(denied.Message)
	}
	d.Denied = denied
}

// called are the webhooks that admsim called, each once, in the order of the first calls.
func called(result *simulator.Result) (names []string) {
	for h := range hooksOf(result) {
		if name := h.Configuration + "/" + h.Name; h.Called && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// hooksOf are what webhooks did.
func hooksOf(result *simulator.Result) func(func(*trace.Hook) bool) {
	return func(yield func(*trace.Hook) bool) {
		for _, a := range result.Admissions {
			for _, step := range a.Steps {
				if !strings.HasSuffix(step.Plugin, "AdmissionWebhook") {
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

// compareReview compares the verdict on a review with that of the webhook which was asked.
// Why it was denied is compared as far as the server repeats what the webhook said.
func (w *worker) compareReview(r *recording.Record, l *lines.Line, result *simulator.Result) {
	response := r.Answer.Response
	if response == nil {
		detail := r.Answer.Error
		if detail == "" {
			detail = "no response was recorded"
		}
		l.CannotTell(recording.AnswerUnknown, detail)
		return
	}
	var d differences
	got, hook, ok := w.verdictOf(r, result, &d)
	if !ok {
		l.CannotTell(lines.WebhookUnknown, "the recording does not say which webhook was asked, and it is called as "+strings.Join(w.mayBe(result), " and as ")+", which answer differently; --reviews-of NAME says it")
		return
	}
	denier := deniedBy(result)
	if hook != nil {
		denier = hook.Configuration + "/" + hook.Name
	}
	if response.Allowed != got.allowed {
		d.add(lines.Allowed, "", response.Allowed, got.allowed, denier)
	}
	switch said := response.Result; { // why one of the two denied
	case response.Allowed && !got.allowed && got.status != nil:
		d.add(lines.Message, "", nil, steady.Text(got.status.Message), denier)
	case !response.Allowed && got.allowed && said != nil && said.Message != "":
		d.add(lines.Message, "", steady.Text(said.Message), nil, denier)
	}
	if said := response.Result; said != nil && !response.Allowed && !got.allowed && got.status != nil {
		if said.Code >= 400 && said.Code != got.status.Code {
			d.add(lines.Code, "", said.Code, got.status.Code, denier)
		}
		want, text := steady.Text(said.Message), steady.Text(got.status.Message)
		if !strings.HasSuffix(text, want) {
			d.add(lines.Message, "", want, text, denier)
		}
	}
	switch {
	case hook == nil:
		w.denied(r, d.all, result)
	case !got.allowed:
		w.deniedByHook(r, d.all, hook)
	}
	if len(d.all) > 0 && w.redactor != nil {
		pass := w.begun(r)
		for i := range d.all {
			d.all[i].Recorded, d.all[i].Simulated = hidden(pass, d.all[i].Recorded), hidden(pass, d.all[i].Simulated)
		}
	}
	conclude(l, d.all)
}

// differences are collected one by one.
type differences struct{ all []lines.Difference }

func (d *differences) add(what lines.What, path string, want, got any, webhook string) {
	d.all = append(d.all, lines.Difference{What: what, Path: path, Recorded: jsonOf(want), Simulated: jsonOf(got), Webhook: webhook})
}

func jsonOf(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		text, _ = json.Marshal(fmt.Sprint(v)) // text can always be written
	}
	return text
}

// bodies compares two objects, or two denials.
func (d *differences) bodies(want, got any, denier string) {
	wantStatus, gotStatus := isStatus(want), isStatus(got)
	if !wantStatus || !gotStatus {
		if wantStatus == gotStatus {
			d.values(lines.Object, "", want, got)
		}
		return // one was allowed, the other not; which was said
	}
	w, g := want.(map[string]any), got.(map[string]any)
	if w["message"] != g["message"] {
		d.add(lines.Message, "", w["message"], g["message"], denier)
	}
	if len(w) > 2 { // the whole of it is known
		for _, k := range slices.Sorted(maps.Keys(union(w, g))) {
			if k != "message" && k != "code" {
				d.values(lines.Status, k, w[k], g[k])
			}
		}
	}
}

func isStatus(v any) bool {
	m, ok := v.(map[string]any)
	return ok && m["kind"] == "Status"
}

// The annotations about webhooks.
const (
	patchAnnotation = "patch.webhook.admission.k8s.io/"
)

func (d *differences) annotations(want, got map[string]string, patches bool) {
	for _, k := range slices.Sorted(maps.Keys(union(want, got))) {
		w, inWant := want[k]
		g, inGot := got[k]
		if inWant == inGot && (w == g || sameJSON(w, g)) {
			continue
		}
		what := lines.Annotations
		switch {
		case strings.HasPrefix(k, patchAnnotation):
			if what = lines.Patches; !patches {
				continue
			}
		case strings.Contains(k, lines.HookAnnotation):
			what = lines.Webhooks
		}
		at := lines.Difference{What: what, Path: k, Webhook: lines.WebhookIn(k, w, g)}
		if inWant {
			at.Recorded = jsonOf(w)
		}
		if inGot {
			at.Simulated = jsonOf(g)
		}
		d.all = append(d.all, at)
	}
}
