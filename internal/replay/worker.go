package replay

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/replay/answers"
	"github.com/admsim/admsim/internal/replay/compare"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/replay/states"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/simulator"
)

// A worker runs one request at a time. Its simulator moves from state to state, and keeps what it compiled as long as
// that does not change.
type worker struct {
	sim      *simulator.Simulator
	redactor *redact.Redactor
	make     func(*lines.Line, *lines.Account) (any, error)
	now      time.Time
	uids     func() types.UID
	webhook  string          // the webhook that reviews were sent to, if the user names it
	backend  answers.Backend // of the webhooks that answer as recorded
}

func newWorker(o Options) (*worker, error) {
	w := &worker{redactor: o.Redactor, make: o.Make, webhook: o.Webhook, now: clock, uids: simulator.CountUIDs()}
	options := o.Simulator
	options.Now = func() time.Time { return w.now }
	options.NewUID = func() types.UID { return w.uids() }
	if declared := o.Simulator.Backends; declared != nil {
		options.Backends = w.backend.Instead(declared)
	}
	var err error
	w.sim, err = simulator.New(options)
	return w, err
}

// run runs the request of a job, if it has one, and makes the value for its line.
func (w *worker) run(ctx context.Context, j *job) {
	account := w.answerInto(ctx, j)
	if w.make != nil {
		if j.made, j.err = w.made(j.line, account.shown()); w.isBug(j, j.err) {
			j.made, j.err = w.made(j.line, nil) // now with the bug as its outcome
		}
	}
	j.record, j.before = nil, states.Snapshot{} // release them before the line is written
}

func (w *worker) made(l *lines.Line, a *lines.Account) (made any, err error) {
	defer bug.Catch(&err)
	return w.make(l, a)
}

// isBug reports whether err is a panic in admsim, and sets the outcome of the line in that case.
func (w *worker) isBug(j *job, err error) bool {
	caught := (*bug.Error)(nil)
	if !errors.As(err, &caught) {
		return false
	}
	j.line.CannotTell(recording.BugInAdmsim, w.aboutBug(j.record, caught))
	return true
}

// aboutBug returns the text of the bug without the secrets of the record. If that panics, too, only the place of the
// bug is returned.
func (w *worker) aboutBug(r *recording.Record, caught *bug.Error) (text string) {
	var err error
	defer func() {
		if err != nil {
			text = (&bug.Error{Value: "(its text is left out)", Stack: caught.Stack}).Error()
		}
	}()
	defer bug.Catch(&err)
	if r == nil {
		return caught.Error()
	}
	return w.secrets(r).Text(caught.Error())
}

// answerInto runs the request and adds the outcome to the line.
func (w *worker) answerInto(ctx context.Context, j *job) *account {
	if j.record == nil {
		return nil
	}
	account, err := w.guarded(ctx, j)
	if w.isBug(j, err) {
		return nil
	}
	return account
}

// guarded calls outcome and returns a panic as its error.
func (w *worker) guarded(ctx context.Context, j *job) (account *account, err error) {
	defer bug.Catch(&err)
	return w.outcome(ctx, j), nil
}

func (w *worker) outcome(ctx context.Context, j *job) *account {
	w.begin(j.record)
	sim, err := j.before.Enter(w.sim, j.record)
	if err != nil {
		if unserved := (*simulator.NotServedError)(nil); errors.As(err, &unserved) {
			j.line.CannotTell(recording.ResourceUnknown, undefined(j.record))
			return nil
		}
		j.line.CannotTell(recording.Unanswered, w.secrets(j.record).Text(err.Error()))
		return nil
	}
	w.sim = sim
	if !w.serves(j.record) {
		j.line.CannotTell(recording.ResourceUnknown, undefined(j.record))
		return nil
	}
	if why, ok := states.Missing(w.sim, j.record); ok {
		j.line.CannotTell(why.Code, why.Detail)
		return nil
	}
	managers, unmanaged := states.WithoutManagers(w.sim, j.record)
	if unmanaged {
		j.line.Unknown = append(j.line.Unknown, lines.Reason(managers))
	}
	comparison := compare.New(w.secrets(j.record), w.webhook)
	recorded := w.backend.Begin(j.record, comparison.Callees())
	account, err := w.answer(ctx, j.record)
	if unknown := recorded.Unknown(); unknown != "" {
		j.line.CannotTell(recording.Unanswered, w.secrets(j.record).Text(unknown))
		return nil
	}
	if err != nil {
		j.line.CannotTell(recording.Unanswered, w.secrets(j.record).Text(err.Error()))
		return nil
	}
	account.comparison = comparison
	if why, ok := w.elsewhere(j.record, account.result); ok {
		j.line.CannotTell(why.Code, why.Detail)
		return account
	}
	before := *j.line
	comparison.Compare(ctx, j.line, account.result)
	if j.line.Outcome == lines.Differs && account.result.Undetermined != "" {
		account = w.follow(ctx, j, before, account)
	}
	if j.line.Outcome == lines.Differs && w.lacksNamespace(j.record) {
		j.line.CannotTell(recording.NamespaceUnknown, unknownNamespace(j.record))
	}
	if j.line.Outcome == lines.Differs && unmanaged && !verdictDiffers(j.line) {
		j.line.CannotTell(managers.Code, managers.Detail)
	}
	return account
}

// verdictDiffers reports whether one side allowed the request and admission of the other did not. Managed fields have
// little to do with that, except for conflicts.
func verdictDiffers(l *lines.Line) bool {
	return l.Code != http.StatusConflict && l.Recorded != http.StatusConflict &&
		slices.ContainsFunc(l.Differences, func(d lines.Difference) bool { return d.What == lines.Allowed })
}

// follow runs the request again, on another course that the server might have taken, to see whether it leads to the
// recorded answer. If so, the two agree. line is the line of the request before the comparison.
func (w *worker) follow(ctx context.Context, j *job, line lines.Line, first *account) *account {
	w.begin(j.record)
	comparison := compare.New(w.secrets(j.record), w.webhook)
	recorded := w.backend.Begin(j.record, comparison.Callees())
	other, err := w.answer(comparison.Following(ctx), j.record)
	if err != nil || recorded.Unknown() != "" {
		return first
	}
	other.comparison = comparison
	if comparison.Compare(ctx, &line, other.result); line.Outcome != lines.Agrees {
		return first
	}
	*j.line = line
	return other
}

// secrets returns the secrets of the request of r, in the current cluster of the worker.
func (w *worker) secrets(r *recording.Record) compare.Secrets {
	return compare.Secrets{Redactor: w.redactor, Simulator: w.sim, Record: r}
}

func (w *worker) begin(r *recording.Record) {
	w.now = clock
	if !r.Time.IsZero() {
		w.now = r.Time
	}
	w.uids = simulator.CountUIDs()
}

// elsewhere returns the reason if the request was for a place that exists in the cluster but not in the world: admsim
// answers that it does not exist, and the cluster did not.
func (w *worker) elsewhere(r *recording.Record, result *simulator.Result) (recording.Reason, bool) {
	if result.Code != http.StatusNotFound || r.Answer.Code == http.StatusNotFound {
		return recording.Reason{}, false
	}
	if _, served := w.sim.Resources().Resource(r.Resource); !served {
		return recording.Reason{Code: recording.ResourceUnknown, Detail: undefined(r)}, true
	}
	s := result.Status()
	if s == nil || s.Details == nil || s.Details.Kind != "namespaces" || s.Details.Name != r.Namespace || r.Namespace == "" {
		return recording.Reason{}, false
	}
	return recording.Reason{Code: recording.NamespaceUnknown, Detail: unknownNamespace(r)}, true
}

// lacksNamespace reports whether the namespace of a request to the server existed in the cluster, and is not in the
// world: much of an answer may depend on it, such as its labels.
func (w *worker) lacksNamespace(r *recording.Record) bool {
	if r.Review != nil || r.Namespace == "" || r.Answer.Code == http.StatusNotFound || r.Resource.GroupResource() == (schema.GroupResource{Resource: "namespaces"}) {
		return false
	}
	return !states.HasNamespace(w.sim.State(), r.Namespace)
}

func unknownNamespace(r *recording.Record) string {
	return fmt.Sprintf("namespace %q is neither in the world nor in what the recording shows", r.Namespace)
}

// serves reports whether the cluster has the resource of a review. For other requests, the server answers that itself.
func (w *worker) serves(r *recording.Record) bool {
	if r.Review == nil {
		return true
	}
	requested := r.Resource
	if r.Review.RequestResource != nil {
		requested = schema.GroupVersionResource(*r.Review.RequestResource)
	}
	_, served := w.sim.Resources().Resource(requested)
	return served
}

func undefined(r *recording.Record) string {
	return r.Resource.GroupResource().String() + " are defined neither in the world nor by what the recording shows"
}

func (w *worker) answer(ctx context.Context, r *recording.Record) (a *account, err error) {
	a = &account{
		asked: world.Asked{
			From:      scenario.Request{Source: scenario.Source{File: r.File, Line: r.Line}, Review: r.Review},
			Simulator: w.sim,
		},
	}
	if r.Review == nil {
		a.asked.API = *r.Request
		a.result, err = w.sim.Do(ctx, *r.Request)
		return a, err
	}
	req, err := a.asked.From.Admission(w.sim.Resources(), w.sim.View().Types(), scenario.Defaults{})
	if err != nil {
		return nil, err
	}
	a.asked.Review = &req
	a.result, err = w.sim.Admit(ctx, req)
	return a, err
}
