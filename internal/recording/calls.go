package recording

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Call is what a webhook is known to have answered. Audit events show mutating
// webhooks that were called, and of validating ones only that one denied or failed open.
type Call struct {
	Phase         string          `json:"phase"` // mutating or validating; empty: one of them
	Round         int             `json:"round"`
	Index         int             `json:"index"` // of the webhook among all of its phase; -1: not known
	Configuration string          `json:"configuration,omitempty"`
	Webhook       string          `json:"webhook"`
	Mutated       bool            `json:"mutated,omitempty"`
	Patch         json.RawMessage `json:"patch,omitempty"` // operations of a JSON patch; nil if none is recorded
	FailedOpen    bool            `json:"failedOpen,omitempty"`
	// Denied holds the server's message where the request was denied by this webhook;
	// Failed the one where calling it failed, and the request with it.
	Denied string `json:"denied,omitempty"`
	Failed string `json:"failed,omitempty"`
}

// The annotations of webhooks, before round_R_index_I:
// kubernetes/apiserver:pkg/admission/plugin/webhook/mutating/dispatcher.go and
// validating/dispatcher.go.
var webhookAnnotations = []struct {
	prefix, phase string
	failedOpen    bool
}{
	{"mutation.webhook.admission.k8s.io/", "mutating", false},
	{"patch.webhook.admission.k8s.io/", "mutating", false},
	{"failed-open.mutation.webhook.admission.k8s.io/", "mutating", true},
	{"failed-open.validating.webhook.admission.k8s.io/", "validating", true},
}

// The messages with which a request ends at a webhook (kubernetes/apiserver:
// pkg/admission/plugin/webhook/errors/statuserror.go).
var (
	denied = regexp.MustCompile(`^admission webhook "([^"]+)" (attempted to modify|denied the request)`)
	failed = regexp.MustCompile(`failed calling webhook "([^"]+)"`)
)

// calls reads what is known of webhooks, in the order in which they were called.
func (e *event) calls(r *Record) []Call {
	var calls []Call
	for key, value := range e.annotations {
		calls = noteAnnotation(calls, key, value)
	}
	if message := e.status.message; e.status.failed {
		if name := denied.FindStringSubmatch(message); name != nil {
			noteEnd(&calls, name[1]).Denied = message
		} else if name := failed.FindStringSubmatch(message); name != nil {
			noteEnd(&calls, name[1]).Failed = message
		}
	}
	slices.SortFunc(calls, func(a, b Call) int {
		if c := strings.Compare(a.Phase, b.Phase); c != 0 {
			return c
		}
		if a.Round != b.Round {
			return a.Round - b.Round
		}
		return a.Index - b.Index
	})
	return calls
}

func noteAnnotation(calls []Call, key, value string) []Call {
	if !strings.Contains(key, ".webhook.admission.k8s.io/round_") {
		return calls
	}
	for _, known := range webhookAnnotations {
		place, ok := strings.CutPrefix(key, known.prefix)
		if !ok {
			continue
		}
		round, index, ok := placeOf(place)
		if !ok {
			return calls
		}
		if known.failedOpen { // of which the value is the name
			c := callAt(&calls, known.phase, round, index)
			c.Webhook, c.FailedOpen = value, true
			return calls
		}
		if end, err := skipValue([]byte(value), 0, 0); err != nil || end != len(value) {
			return calls
		}
		c := callAt(&calls, known.phase, round, index)
		eachField([]byte(value), func(key, value []byte) {
			switch string(key) {
			case "configuration":
				c.Configuration = unquote(value)
			case "webhook":
				c.Webhook = unquote(value)
			case "mutated":
				c.Mutated = string(value) == "true"
			case "patch":
				c.Patch = value
			}
		})
		return calls
	}
	return calls
}

// placeOf reads round_R_index_I.
func placeOf(text string) (round, index int, ok bool) {
	of, at, _ := strings.Cut(text, "_index_")
	round, noRound := strconv.Atoi(strings.TrimPrefix(of, "round_"))
	index, noIndex := strconv.Atoi(at)
	return round, index, strings.HasPrefix(of, "round_") && noRound == nil && noIndex == nil
}

func callAt(calls *[]Call, phase string, round, index int) *Call {
	for i := range *calls {
		if c := &(*calls)[i]; c.Phase == phase && c.Round == round && c.Index == index {
			return c
		}
	}
	*calls = append(*calls, Call{Phase: phase, Round: round, Index: index})
	return &(*calls)[len(*calls)-1]
}

// noteEnd finds the call of the webhook that ended the request: the last one of that name,
// for a mutating webhook that ended it was the last one called. Of a validating webhook
// there is nothing but its name.
func noteEnd(calls *[]Call, webhook string) *Call {
	var last *Call
	for i := range *calls {
		c := &(*calls)[i]
		if c.Webhook == webhook && !c.Mutated && !c.FailedOpen &&
			(last == nil || c.Round > last.Round || c.Round == last.Round && c.Index > last.Index) {
			last = c
		}
	}
	if last == nil {
		*calls = append(*calls, Call{Index: -1, Webhook: webhook})
		last = &(*calls)[len(*calls)-1]
	}
	return last
}
