package replay

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

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

// A worker runs one request at a time. Its simulator goes from state to state, and keeps
// what it compiled as long as that does not change.
type worker struct {
	sim      *simulator.Simulator
	redactor *redact.Redactor
	make     func(*lines.Line, *lines.Account) (any, error)
	now      time.Time
	uids     func() types.UID
	webhook  string          // that reviews were sent to, if the user says so
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

// run runs the request of a job, if it has one, and has something made of its line.
func (w *worker) run(ctx context.Context, j *job) {
	account := w.tell(ctx, j)
	if w.make != nil {
		if j.made, j.err = w.made(j.line, account.shown()); w.isBug(j, j.err) {
			j.made, j.err = w.made(j.line, nil) // that it is a bug
		}
	}
	j.record, j.before = nil, states.Snapshot{} // not kept until the line is written
}

func (w *worker) made(l *lines.Line, a *lines.Account) (made any, err error) {
	defer bug.Catch(&err)
	return w.make(l, a)
}

// isBug reports whether err is a bug in admsim, which the line says then.
func (w *worker) isBug(j *job, err error) bool {
	caught := (*bug.Error)(nil)
	if !errors.As(err, &caught) {
		return false
	}
	j.line.CannotTell(lines.BugInAdmsim, w.aboutBug(j.record, caught))
	return true
}

// aboutBug is the bug without the secrets of the record. If that is a bug, too, it is only where it happened.
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

// tell adds the outcome of the request to the line.
func (w *worker) tell(ctx context.Context, j *job) *account {
	if j.record == nil {
		return nil
	}
	account, err := w.told(ctx, j)
	if w.isBug(j, err) {
		return nil
	}
	return account
}

// told is tell, with a bug as its error.
func (w *worker) told(ctx context.Context, j *job) (account *account, err error) {
	defer bug.Catch(&err)
	return w.asked(ctx, j), nil
}

func (w *worker) asked(ctx context.Context, j *job) *account {
	w.begin(j.record)
	sim, err := j.before.Enter(w.sim, j.record)
	if err != nil {
		if unserved := (*simulator.NotServedError)(nil); errors.As(err, &unserved) {
			j.line.CannotTell(lines.ResourceUnknown, undefined(j.record))
			return nil
		}
		j.line.CannotTell(lines.Unanswered, w.secrets(j.record).Text(err.Error()))
		return nil
	}
	w.sim = sim
	if why, ok := states.Missing(w.sim, j.record); ok {
		j.line.CannotTell(why.Code, why.Detail)
		return nil
	}
	comparison := compare.New(w.secrets(j.record), w.webhook)
	recorded := w.backend.Begin(j.record, comparison.Callees())
	account, err := w.answer(ctx, j.record)
	if unknown := recorded.Unknown(); unknown != "" {
		j.line.CannotTell(lines.Unanswered, w.secrets(j.record).Text(unknown))
		return nil
	}
	if err != nil {
		j.line.CannotTell(lines.Unanswered, w.secrets(j.record).Text(err.Error()))
		return nil
	}
	account.comparison = comparison
	if why, ok := w.elsewhere(j.record, account.result); ok {
		j.line.CannotTell(why.Code, why.Detail)
		return account
	}
	before := *j.line
	comparison.Compare(j.line, account.result)
	if j.line.Outcome == lines.Differs && account.result.Undetermined != "" {
		account = w.follow(ctx, j, before, account)
	}
	return account
}

// follow asks again whether the cluster may have come to what was recorded on another course, where the server might have
// done one thing or another. If so, the two agree. Line is that of the request before it was compared.
func (w *worker) follow(ctx context.Context, j *job, line lines.Line, first *account) *account {
	w.begin(j.record)
	comparison := compare.New(w.secrets(j.record), w.webhook)
	recorded := w.backend.Begin(j.record, comparison.Callees())
	other, err := w.answer(comparison.Following(ctx), j.record)
	if err != nil || recorded.Unknown() != "" {
		return first
	}
	other.comparison = comparison
	if comparison.Compare(&line, other.result); line.Outcome != lines.Agrees {
		return first
	}
	*j.line = line
	return other
}

// secrets are those of the request of r, in the cluster that the worker is in.
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

// elsewhere says that the request went to a place that the cluster had and the world has
// not: admsim answers that it does not exist, and the cluster did not.
func (w *worker) elsewhere(r *recording.Record, result *simulator.Result) (recording.Reason, bool) {
	if result.Code != http.StatusNotFound || r.Answer.Code == http.StatusNotFound {
		return recording.Reason{}, false
	}
	if _, served := w.sim.Resources().Resource(r.Resource); !served {
		return recording.Reason{Code: lines.ResourceUnknown, Detail: undefined(r)}, true
	}
	s := result.Status()
	if s == nil || s.Details == nil || s.Details.Kind != "namespaces" || s.Details.Name != r.Namespace || r.Namespace == "" {
		return recording.Reason{}, false
	}
	return recording.Reason{Code: lines.NamespaceUnknown, Detail: fmt.Sprintf("namespace %q is neither in the world nor in what the recording shows", r.Namespace)}, true
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
	req, err := a.asked.From.Admission(w.sim.View().Types(), scenario.Defaults{})
	if err != nil {
		return nil, err
	}
	a.asked.Review = &req
	a.result, err = w.sim.Admit(ctx, req)
	return a, err
}
