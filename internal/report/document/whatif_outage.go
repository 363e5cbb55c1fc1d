package document

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/report"
)

// An Outage says what happens to requests while webhooks do not answer as they should.
type Outage struct {
	report.TypeMeta
	Corpus string `json:"corpus"`         // what the requests are
	Note   string `json:"note,omitempty"` // what they do not show

	Requests  int         `json:"requests"`
	Denied    Losses      `json:"denied"` // those denied without any trouble
	Undecided int         `json:"undecided,omitempty"`
	Errors    []DiffError `json:"errors,omitempty"` // why the first of the undecided requests are undecided

	Outages   []OutageOf `json:"outages"`
	Deadlocks []Deadlock `json:"deadlocks"`
	Budget    *Budget    `json:"budget,omitempty"`

	// Assumed are the webhooks without a backend. While they answer, they allow everything, so a request that such a
	// webhook denies in reality is not counted as denied.
	Assumed []Actor `json:"assumed,omitempty"`
}

// An OutageOf says what happens to requests in one situation.
type OutageOf struct {
	Name     string           `json:"name"`
	Troubles []WebhookTrouble `json:"troubles"`

	Asked     int             `json:"asked"` // requests that a webhook in trouble is asked about
	Fail      Losses          `json:"fail"`
	Unchecked Losses          `json:"unchecked"` // admitted without being checked
	Delayed   Losses          `json:"delayed"`   // answered as usual, but later
	Longest   metav1.Duration `json:"longest"`   // that a request takes
}

// A WebhookTrouble says what is wrong with a webhook.
type WebhookTrouble struct {
	Webhook        Actor            `json:"webhook"`
	Mode           string           `json:"mode"`
	Latency        *metav1.Duration `json:"latency,omitempty"`
	FailurePolicy  string           `json:"failurePolicy,omitempty"` // conversions have none
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
	By      []Actor         `json:"by,omitempty"` // who refuses it, or did not check it
	Message string          `json:"message,omitempty"`
	Took    metav1.Duration `json:"took"`
	Usually metav1.Duration `json:"usually"`

	// Ignored is set if it fails although the failures of all webhooks that did not answer are ignored.
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

// A Deadlock is a set of backends none of which starts again once all of them are down.
type Deadlock struct {
	Links  []DeadlockLink `json:"links"`
	Breaks []Break        `json:"breaks"` // each of them is sufficient
}

// A DeadlockLink is the pods behind one backend, and who has to admit them.
type DeadlockLink struct {
	Service   string         `json:"service"`
	Workloads []string       `json:"workloads"`
	Needs     []DeadlockNeed `json:"needs"`
}

// A DeadlockNeed is a request that a webhook blocks.
type DeadlockNeed struct {
	What    string `json:"what"`
	Webhook Actor  `json:"webhook"`
}

// A Break is a way out of a deadlock: the webhook excludes the namespace.
type Break struct {
	Webhook   Actor  `json:"webhook"`
	Namespace string `json:"namespace"`
}
