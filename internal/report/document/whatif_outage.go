package document

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/pkg/report"
)

// An Outage is what becomes of requests while webhooks do not answer as they should.
type Outage struct {
	report.TypeMeta
	Corpus string `json:"corpus"` // what the requests are

	Requests  int         `json:"requests"`
	Denied    Losses      `json:"denied"` // of them without any trouble
	Undecided int         `json:"undecided,omitempty"`
	Errors    []DiffError `json:"errors,omitempty"` // why the first of the undecided are

	Outages   []OutageOf `json:"outages"`
	Deadlocks []Deadlock `json:"deadlocks"`
	Budget    *Budget    `json:"budget,omitempty"`
}

// An OutageOf is what becomes of requests in one situation.
type OutageOf struct {
	Name     string           `json:"name"`
	Troubles []WebhookTrouble `json:"troubles"`

	Asked     int             `json:"asked"` // requests that a webhook in trouble is asked about
	Fail      Losses          `json:"fail"`
	Unchecked Losses          `json:"unchecked"` // let through without having been looked at
	Delayed   Losses          `json:"delayed"`   // answered all the same, later
	Longest   metav1.Duration `json:"longest"`   // that a request takes
}

// A WebhookTrouble is what is wrong with a webhook.
type WebhookTrouble struct {
	Webhook        Actor            `json:"webhook"`
	Mode           string           `json:"mode"`
	Latency        *metav1.Duration `json:"latency,omitempty"`
	FailurePolicy  string           `json:"failurePolicy"`
	TimeoutSeconds int32            `json:"timeoutSeconds"`
}

// Losses are requests to which the same happens.
type Losses struct {
	Requests int    `json:"requests"`
	Samples  []Loss `json:"samples,omitempty"`
}

// A Loss is what happens to one request.
type Loss struct {
	Request Sample          `json:"request"`
	By      []Actor         `json:"by,omitempty"` // who refuses it, or did not look at it
	Message string          `json:"message,omitempty"`
	Took    metav1.Duration `json:"took"`
	Usually metav1.Duration `json:"usually"`

	// Ignored: it fails though all webhooks that did not answer are to be ignored.
	Ignored bool `json:"thoughIgnored,omitempty"`
}

// A Budget is how long the webhooks of a request may take together.
type Budget struct {
	Worst    Sample          `json:"worst"`
	Serial   []TimeoutOf     `json:"serial,omitempty"`
	Parallel []TimeoutOf     `json:"parallel,omitempty"`
	Sum      metav1.Duration `json:"sum"`
	Limit    metav1.Duration `json:"limit"`
	Over     int             `json:"requestsOver"`
}

// A TimeoutOf is how long a webhook may take.
type TimeoutOf struct {
	Webhook Actor           `json:"webhook"`
	Timeout metav1.Duration `json:"timeout"`
}

// A Deadlock is backends of which none comes up again once all of them are down.
type Deadlock struct {
	Links  []DeadlockLink `json:"links"`
	Breaks []Break        `json:"breaks"` // each of them is enough
}

// A DeadlockLink is the pods behind one backend, and who has to admit them.
type DeadlockLink struct {
	Service   string         `json:"service"`
	Workloads []string       `json:"workloads"`
	Needs     []DeadlockNeed `json:"needs"`
}

// A DeadlockNeed is a request that a webhook is in the way of.
type DeadlockNeed struct {
	What    string `json:"what"`
	Webhook Actor  `json:"webhook"`
}

// A Break is a way out of a deadlock: the webhook leaves the namespace out.
type Break struct {
	Webhook   Actor  `json:"webhook"`
	Namespace string `json:"namespace"`
}

// NewOutage puts what becomes of requests into the form that is shown.
func NewOutage(corpus string, r *whatif.OutageResult) *Outage {
	o := &Outage{
		TypeMeta: typeMeta(OutageKind),
		Corpus:   corpus, Requests: r.Requests, Denied: lossesOf(r.Denied), Undecided: r.Undecided,
		Outages: []OutageOf{}, Deadlocks: []Deadlock{},
	}
	for _, e := range r.Errors {
		o.Errors = append(o.Errors, DiffError{SampleOf(e.Request), e.Err.Error()})
	}
	for _, one := range r.Outages {
		shown := OutageOf{
			Name: one.Situation.Name, Asked: one.Asked, Longest: metav1.Duration{Duration: one.Longest},
			Fail: lossesOf(one.Fail), Unchecked: lossesOf(one.Unchecked), Delayed: lossesOf(one.Delayed),
		}
		for _, t := range one.Situation.Troubles {
			shown.Troubles = append(shown.Troubles, outageTrouble(t))
		}
		o.Outages = append(o.Outages, shown)
	}
	for _, d := range r.Deadlocks {
		o.Deadlocks = append(o.Deadlocks, deadlockOf(d))
	}
	if b := r.Budget; b.Sum > 0 {
		o.Budget = &Budget{
			Worst: SampleOf(b.Worst), Serial: timeoutsOf(b.Serial), Parallel: timeoutsOf(b.Parallel),
			Sum: metav1.Duration{Duration: b.Sum}, Limit: metav1.Duration{Duration: b.Limit}, Over: b.Over,
		}
	}
	return o
}

func outageTrouble(t whatif.Trouble) WebhookTrouble {
	plugin, kind := ValidatingWebhooks, "validating"
	if t.Webhook.Mutating {
		plugin, kind = MutatingWebhooks, "mutating"
	}
	words := t.Webhook.String()
	if t.Alike {
		words += " (" + kind + ")"
	}
	shown := WebhookTrouble{
		Webhook: Actor{Plugin: plugin, Configuration: t.Webhook.Configuration, Name: t.Webhook.Name, Source: t.Webhook.Source, words: words},
		Mode:    string(t.Mode), FailurePolicy: "Ignore", TimeoutSeconds: t.Webhook.Timeout(),
	}
	if t.Mode == whatif.Slow {
		shown.Latency = &metav1.Duration{Duration: t.Latency}
	}
	if t.Webhook.FailsClosed() {
		shown.FailurePolicy = "Fail"
	}
	return shown
}

func lossesOf(l whatif.Losses) Losses {
	shown := Losses{Requests: l.Requests}
	for _, s := range l.Samples {
		one := Loss{
			Request: SampleOf(s.Request), Message: s.Message, Ignored: s.Ignored,
			Took: metav1.Duration{Duration: s.Took}, Usually: metav1.Duration{Duration: s.Usually},
		}
		for _, by := range s.By {
			one.By = append(one.By, actorOf(by))
		}
		shown.Samples = append(shown.Samples, one)
	}
	return shown
}

func timeoutsOf(all []whatif.TimeoutOf) (shown []TimeoutOf) {
	for _, t := range all {
		shown = append(shown, TimeoutOf{actorOf(t.Webhook), metav1.Duration{Duration: t.Timeout}})
	}
	return shown
}

func deadlockOf(d whatif.Deadlock) Deadlock {
	var shown Deadlock
	for _, l := range d.Links {
		link := DeadlockLink{Service: l.Service, Workloads: l.Workloads}
		for _, n := range l.Needs {
			link.Needs = append(link.Needs, DeadlockNeed{n.What, actorOf(n.Webhook)})
		}
		shown.Links = append(shown.Links, link)
	}
	for _, b := range d.Breaks {
		shown.Breaks = append(shown.Breaks, Break{actorOf(b.Webhook), b.Namespace})
	}
	return shown
}
