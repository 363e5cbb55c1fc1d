package document

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/report"
)

// A Latency says how long a request takes in admission.
type Latency struct {
	report.TypeMeta
	Request  Sample `json:"request"`  // the first of them
	Requests int    `json:"requests"` // each is sampled equally often
	Samples  int    `json:"samples"`  // one of each request if nothing is random
	Random   bool   `json:"random"`   // whether the latency of any webhook is
	Seed     uint64 `json:"seed"`

	Total  []Percentile    `json:"total"`
	Mean   metav1.Duration `json:"mean"`
	Phases []PhaseLatency  `json:"phases"`
	Limit  metav1.Duration `json:"limit"`

	Timeout   Chance `json:"webhookTimesOut"`
	Over      Chance `json:"limitReached"`
	Fails     Chance `json:"requestFails"`
	Unchecked Chance `json:"passesUnchecked"`
	Denied    Chance `json:"requestDenied"` // for other reasons than the latencies

	Denials  []LatencyDenial  `json:"denials,omitempty"`
	Webhooks []WebhookLatency `json:"webhooks"`
}

// A LatencyDenial is a request that is denied even if all webhooks are fast.
type LatencyDenial struct {
	Request Sample `json:"request"`
	By      Actor  `json:"by"`
}

// A Percentile is the time that a percentage of the requests do not exceed; with 95 % confidence, the true value is
// between low and high.
type Percentile struct {
	Percent float64         `json:"percent"`
	Is      metav1.Duration `json:"is"`
	Low     metav1.Duration `json:"low"`
	High    metav1.Duration `json:"high"`
}

// A Chance is a probability; with 95 % confidence, the true value is between low and high.
type Chance struct {
	Of   int     `json:"of"`
	In   int     `json:"in"`
	Is   float64 `json:"is"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// A PhaseLatency is the time that a phase takes.
type PhaseLatency struct {
	Phase string       `json:"phase"`
	Total []Percentile `json:"total"`
}

// A WebhookLatency is the share of one webhook.
type WebhookLatency struct {
	Webhook  Actor        `json:"webhook"`
	Calls    float64      `json:"calls"` // per request, on average
	Known    bool         `json:"known"` // its distribution was given
	Total    []Percentile `json:"total"`
	Timeouts Chance       `json:"timeouts"`
	Decides  Chance       `json:"slowestOfItsPhase"` // of those called concurrently
}
