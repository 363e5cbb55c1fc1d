// Package answers answers for webhooks as they answered when a request was recorded.
//
// [Recorded] stands for these answers in options that name backends. A [Backend] gives them, for one request after the
// other.
package answers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/recording/callee"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/trace"
)

// Recorded stands for the answers of webhooks when the requests were recorded. The caller that runs a recording uses it
// for webhooks without another backend.
var Recorded dispatch.Backend = recorded{}

type recorded struct{}

func (recorded) Call(_ context.Context, c dispatch.Call) dispatch.Reply {
	return dispatch.Reply{Err: &dispatch.NoAnswerError{Configuration: c.Configuration, Webhook: c.Webhook, Reason: "no recording is run"}}
}

// A Backend replaces [Recorded] while recorded requests are run, one at a time.
type Backend struct{ current *Answers }

// Instead returns a resolver that returns b wherever resolver returns [Recorded].
func (b *Backend) Instead(resolver func(configuration, webhook string) dispatch.Backend) func(configuration, webhook string) dispatch.Backend {
	return func(configuration, webhook string) dispatch.Backend {
		backend := resolver(configuration, webhook)
		if backend == Recorded {
			return b
		}
		return backend
	}
}

// Begin returns the answers to the request that is run next. webhooks are those that a review may have been sent to.
func (b *Backend) Begin(r *recording.Record, webhooks []callee.Webhook) *Answers {
	b.current = &Answers{record: r, callees: webhooks}
	return b.current
}

// Call returns the answer to a call of the current request.
func (b *Backend) Call(_ context.Context, c dispatch.Call) dispatch.Reply { return b.current.reply(c) }

// TrustsItself returns true: no webhook is called, so there are no certificates.
func (b *Backend) TrustsItself() bool { return true }

// AnswersAtOnce returns true: the answers are already known.
func (b *Backend) AnswersAtOnce() bool { return true }

// Answers holds the answers of the webhooks of one record.
//
// A webhook that the record does not mention allowed the request: audit events show mutating webhooks even if they
// changed nothing, and validating webhooks only if they denied the request or failed. Whether it was called at all is
// compared if the events show that.
type Answers struct {
	record  *recording.Record
	callees []callee.Webhook // the webhooks that a review may have been sent to

	mutex   sync.Mutex
	problem string
}

// Unknown returns which answer is needed and cannot be derived from the record; empty: none.
func (a *Answers) Unknown() string {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.problem
}

func (a *Answers) reply(c dispatch.Call) dispatch.Reply {
	if a.record.Review != nil {
		return a.reviewed(c)
	}
	call := a.find(c)
	switch {
	case call == nil:
		return a.review(c, map[string]any{"allowed": true})
	case call.FailedOpen:
		return dispatch.Reply{Err: errors.New("it failed open")}
	case call.Denied != "":
		return a.denial(c, call.Denied)
	case call.Failed != "":
		return a.failure(c, call.Failed)
	case len(call.Patch) > 0:
		return a.review(c, map[string]any{"allowed": true, "patch": []byte(call.Patch), "patchType": "JSONPatch"})
	case call.Mutated:
		return a.cannotTell(c, "it changed the object, and its patch is not recorded")
	case a.brokeOff(call):
		return a.cannotTell(c, "it was the last one called before the server failed, most likely to apply its patch, which is not recorded")
	}
	return a.review(c, map[string]any{"allowed": true})
}

// reviewed replies to a call while a review is run. The webhook that received the review answers as it did. All other
// webhooks, and a second call of that webhook, are unknown: they allow the request.
func (a *Answers) reviewed(c dispatch.Call) dispatch.Reply {
	response := a.record.Answer.Response
	if response == nil || c.Number > 0 || !callee.Contains(a.callees, c.Phase == trace.Mutating, c.Configuration, c.Webhook) {
		return review(c, map[string]any{"allowed": true})
	}
	recorded := *response
	recorded.UID = c.UID
	return encoded(map[string]any{"apiVersion": "admission.k8s.io/" + c.Version, "kind": "AdmissionReview", "response": recorded})
}

// find returns what is known about the call. The calls of a webhook are in order, those of the second round after those
// of the first.
func (a *Answers) find(c dispatch.Call) *recording.Call {
	number := 0
	for i := range a.record.Calls {
		call := &a.record.Calls[i]
		if call.Webhook != c.Webhook || call.Configuration != "" && call.Configuration != c.Configuration {
			continue
		}
		if call.Phase != "" && call.Phase != string(c.Phase) {
			continue
		}
		if call.Phase == "" && c.Phase == trace.Mutating && a.passed(c) {
			continue // a validating webhook of the same name
		}
		if number == c.Number || c.Phase == trace.Validating {
			return call
		}
		number++
	}
	return nil
}

// brokeOff reports whether, after this last call of a mutating webhook, the server failed with an error of its own that
// names no webhook.
func (a *Answers) brokeOff(call *recording.Call) bool {
	last := call
	for i := range a.record.Calls {
		c := &a.record.Calls[i]
		if c.Denied != "" || c.Failed != "" {
			return false
		}
		if c.Phase == string(trace.Mutating) && (c.Round > last.Round || c.Round == last.Round && c.Index > last.Index) {
			last = c
		}
	}
	s := a.record.Answer.Status
	return last == call && call.Phase == string(trace.Mutating) && a.record.Answer.Code == http.StatusInternalServerError &&
		s != nil && s.Reason == metav1.StatusReasonInternalError
}

// passed reports whether the mutating webhook is known to have been called and not to have ended the request.
func (a *Answers) passed(c dispatch.Call) bool {
	for _, call := range a.record.Calls {
		if call.Phase == string(trace.Mutating) && call.Webhook == c.Webhook && call.Configuration == c.Configuration {
			return true
		}
	}
	return false
}

func (a *Answers) cannotTell(c dispatch.Call, reason string) dispatch.Reply {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.problem = fmt.Sprintf("webhook %s/%s: %s", c.Configuration, c.Webhook, reason)
	return dispatch.Reply{Err: &dispatch.NoAnswerError{Configuration: c.Configuration, Webhook: c.Webhook, Reason: reason}}
}

// denial returns the response that led to the server's message about the denial:
// kubernetes/apiserver:pkg/admission/plugin/webhook/errors/statuserror.go.
func (a *Answers) denial(c dispatch.Call, message string) dispatch.Reply {
	if strings.Contains(message, " attempted to modify ") {
		patch := []byte(`[{"op":"add","path":"/metadata/annotations","value":{}}]`)
		return review(c, map[string]any{"allowed": true, "patch": patch, "patchType": "JSONPatch"})
	}
	status := a.status()
	status.TypeMeta = metav1.TypeMeta{}
	_, reason, found := strings.Cut(message, " denied the request: ")
	switch {
	case !found:
		status.Message, status.Reason = "", "" // without explanation
	case string(status.Reason) == reason:
		status.Message = ""
	default:
		status.Message = reason
	}
	return a.review(c, map[string]any{"allowed": false, "status": status})
}

// status returns the status in the answer, complete if it was recorded.
func (a *Answers) status() (status metav1.Status) {
	answer := a.record.Answer
	if json.Unmarshal(answer.Object, &status) == nil && status.Kind == "Status" {
		return status
	}
	if answer.Status != nil {
		return *answer.Status
	}
	return metav1.Status{}
}

var (
	callFailed  = regexp.MustCompile(`(?s)failed calling webhook "[^"]+": (.*)`)
	postFailed  = regexp.MustCompile(`(?s)^Post "[^"]*": (.*)`)
	wrongUID    = regexp.MustCompile(`^expected response\.uid="[^"]*", got "([^"]*)"$`)
	wrongKind   = regexp.MustCompile(`^expected webhook response of [^,]+, Kind=\S+, got ([^,]*), Kind=(.*)$`)
	statusCode  = regexp.MustCompile(`^the server responded with the status code (\d+) but did not return more information$`)
	withoutBody = map[string]int{
		"the server could not find the requested resource":                              http.StatusNotFound,
		"the server has received too many requests and has asked us to try again later": http.StatusTooManyRequests,
		"the server rejected our request for an unknown reason":                         http.StatusBadRequest,
		"the server has asked for the client to provide credentials":                    http.StatusUnauthorized,
		`an error on the server ("unknown") has prevented the request from succeeding`:  http.StatusInternalServerError,
		"the server is currently unable to handle the request":                          http.StatusServiceUnavailable,
	}
)

// failure returns the reply that led to the message about a failed call.
func (a *Answers) failure(c dispatch.Call, message string) dispatch.Reply {
	found := callFailed.FindStringSubmatch(message)
	if found == nil {
		return a.cannotTell(c, "how it failed is not recorded")
	}
	if cause, ok := strings.CutPrefix(found[1], "failed to call webhook: "); ok {
		return unanswered(cause)
	}
	if cause, ok := strings.CutPrefix(found[1], "received invalid webhook response: "); ok {
		if reply, ok := invalid(c, cause); ok {
			return reply
		}
	}
	if cause, ok := strings.CutPrefix(found[1], "could not get REST client: "); ok {
		return dispatch.Reply{Err: &dispatch.NoClientError{Err: errors.New(cause)}}
	}
	return a.cannotTell(c, "what it answered does not follow from "+strconv.Quote(found[1]))
}

// unanswered returns the reply for a call that failed. Of an answer that could not be read, only the server's message
// is recorded; a Status in an answer is repeated as it is (W-166), and so leads to the same message.
func unanswered(cause string) dispatch.Reply {
	if post := postFailed.FindStringSubmatch(cause); post != nil {
		return dispatch.Reply{Err: errors.New(post[1])}
	}
	if code, ok := withoutBody[cause]; ok {
		return dispatch.Reply{Status: code, Body: []byte("{}"), Header: jsonHeader()}
	}
	if code := statusCode.FindStringSubmatch(cause); code != nil {
		number, _ := strconv.Atoi(code[1])
		return dispatch.Reply{Status: number, Header: jsonHeader()}
	}
	body, err := json.Marshal(metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure,
		Message:  cause,
	})
	if err != nil {
		return dispatch.Reply{Err: err}
	}
	return dispatch.Reply{Status: http.StatusInternalServerError, Body: body, Header: jsonHeader()}
}

func jsonHeader() http.Header { return http.Header{"Content-Type": {"application/json"}} }

// invalid returns a review that the server does not accept (W-170 to W-176).
func invalid(c dispatch.Call, cause string) (dispatch.Reply, bool) {
	if uid := wrongUID.FindStringSubmatch(cause); uid != nil {
		return review(c, map[string]any{"allowed": true, "uid": uid[1]}), true
	}
	if kind := wrongKind.FindStringSubmatch(cause); kind != nil {
		version := strings.TrimPrefix(kind[1], "/")
		return encoded(map[string]any{"apiVersion": version, "kind": kind[2], "response": map[string]any{"uid": c.UID, "allowed": true}}), true
	}
	switch cause {
	case "webhook response was absent":
		return encoded(map[string]any{"apiVersion": "admission.k8s.io/" + c.Version, "kind": "AdmissionReview"}), true
	case "webhook returned response.patchType but not response.patch":
		return review(c, map[string]any{"allowed": true, "patchType": "JSONPatch"}), true
	case "webhook returned response.patch but not response.patchType":
		return review(c, map[string]any{"allowed": true, "patch": []byte(`[]`)}), true
	}
	return dispatch.Reply{}, false
}

// review returns a reply with the response, and with the audit annotations that the webhook added to the event under
// its name (W-248).
func (a *Answers) review(c dispatch.Call, response map[string]any) dispatch.Reply {
	annotations := map[string]string{}
	for key, value := range a.record.Answer.Annotations {
		if of, rest, ok := strings.Cut(key, "/"); ok && of == c.Webhook {
			annotations[rest] = value
		}
	}
	if len(annotations) > 0 {
		response["auditAnnotations"] = annotations
	}
	return review(c, response)
}

// review returns a reply with a review of the response, to which the uid is added.
func review(c dispatch.Call, response map[string]any) dispatch.Reply {
	if _, ok := response["uid"]; !ok {
		response["uid"] = c.UID
	}
	return encoded(map[string]any{"apiVersion": "admission.k8s.io/" + c.Version, "kind": "AdmissionReview", "response": response})
}

func encoded(v any) dispatch.Reply {
	body, err := json.Marshal(v)
	return dispatch.Reply{Body: body, Header: jsonHeader(), Err: err}
}
