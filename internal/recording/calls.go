package recording

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Call is a known answer of a webhook. Audit events show which mutating webhooks were called, but validating webhooks
// only if they denied the request or failed open.
type Call struct {
	Phase         string          `json:"phase"` // mutating or validating; empty: either
	Round         int             `json:"round"`
	Index         int             `json:"index"` // of the webhook in its phase; -1: unknown
	Configuration string          `json:"configuration,omitempty"`
	Webhook       string          `json:"webhook"`
	Mutated       bool            `json:"mutated,omitempty"`
	Patch         json.RawMessage `json:"patch,omitempty"` // operations of a JSON patch; nil if not recorded
	FailedOpen    bool            `json:"failedOpen,omitempty"`
	// Denied holds the server's message if this webhook denied the request; Failed holds it if calling the webhook
	// failed, and the request with it.
	Denied string `json:"denied,omitempty"`
	Failed string `json:"failed,omitempty"`
}

// The annotations about webhooks, up to round_R_index_I:
// kubernetes/apiserver:pkg/admission/plugin/webhook/mutating/dispatcher.go and validating/dispatcher.go.
var webhookAnnotations = []struct {
	prefix, phase string
	failedOpen    bool
}{
	{"mutation.webhook.admission.k8s.io/", "mutating", false},
	{"patch.webhook.admission.k8s.io/", "mutating", false},
	{"failed-open.mutation.webhook.admission.k8s.io/", "mutating", true},
	{"failed-open.validating.webhook.admission.k8s.io/", "validating", true},
}

// The messages of requests that a webhook ended (kubernetes/apiserver:
// pkg/admission/plugin/webhook/errors/statuserror.go).
var (
	denied = regexp.MustCompile(`^admission webhook "([^"]+)" (attempted to modify|denied the request)`)
	failed = regexp.MustCompile(`failed calling webhook "([^"]+)"`)
)

// calls returns what is known about webhooks, in the order in which they were called.
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
		if known.failedOpen { // the value is the webhook's name
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

// placeOf parses round_R_index_I.
func placeOf(text string) (round, index int, ok bool) {
	prefix, at, _ := strings.Cut(text, "_index_")
	round, noRound := strconv.Atoi(strings.TrimPrefix(prefix, "round_"))
	index, noIndex := strconv.Atoi(at)
	return round, index, strings.HasPrefix(prefix, "round_") && noRound == nil && noIndex == nil
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

// noteEnd returns the call of the webhook that ended the request. This is the last call with that name, because nothing
// is called after the mutating webhook that ended the request. For a validating webhook only the name is known.
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
