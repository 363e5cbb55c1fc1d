package authorization_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/authorization"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
)

const kubeconfig = `{"clusters": [{"name": "a", "cluster": {"server": "https://authz.example/check"}}], "contexts": [{"name": "a", "context": {"cluster": "a"}}], "current-context": "a"}`

// A hook answers like a mock, and records what it is asked.
type hook struct {
	*dispatch.Mock
	asked []string
}

func (h *hook) Call(ctx context.Context, c dispatch.Call) dispatch.Reply {
	body, _ := c.Body()
	h.asked = append(h.asked, c.URL+" "+strings.TrimSpace(string(body)))
	return h.Mock.Call(ctx, c)
}

func webhookOf(t *testing.T, version string, needs admission.Authorizers, answers string, modes ...string) (*hook, func(*authorization.Notes) *authorization.Authorizer) {
	t.Helper()
	var list []dispatch.Answer
	if err := json.Unmarshal([]byte(answers), &list); err != nil {
		t.Fatal(err)
	}
	mock, err := dispatch.NewMock(nil, list...)
	if err != nil {
		t.Fatal(err)
	}
	h := &hook{Mock: mock}
	needs.Webhook = []byte(kubeconfig)
	chain, err := authorization.NewChain(append(modes, "Webhook"), needs, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return h, func(notes *authorization.Notes) *authorization.Authorizer {
		backends := func(configuration, webhook string) dispatch.Backend {
			if configuration+"/"+webhook != "authorization/default" {
				t.Errorf("the backend of %s/%s is asked for", configuration, webhook)
			}
			return h
		}
		return authorization.New(cluster.New(), nil, release(t, version), chain, authorization.Asking{Backends: backends, Notes: notes})
	}
}

var getPods = authorizer.AttributesRecord{User: &user.DefaultInfo{Name: "ann", Groups: []string{"dev"}}, Verb: "get", Namespace: "shop", APIVersion: "v1", Resource: "pods", Name: "web", ResourceRequest: true}

// The answer of the webhook decides (AU-50). If the call fails, there is no opinion and an error (AU-52).
func TestWebhookDecides(t *testing.T) {
	for _, tt := range []struct {
		answers  string
		modes    []string
		decision authorizer.Decision
		reason   string
		by       string
		err      string
		calls    int
	}{
		{`[{"response": {"allowed": true, "reason": "fine"}}]`, nil, authorizer.DecisionAllow, "fine", "default", "", 1},
		{`[{"allow": true}]`, nil, authorizer.DecisionAllow, "", "default", "", 1},
		{`[{"allow": false}]`, nil, authorizer.DecisionNoOpinion, "", "", "", 1},
		{`[{"response": {"allowed": false, "reason": "who?"}}]`, []string{"AlwaysDeny"}, authorizer.DecisionNoOpinion, "alwaysdeny: Everything is forbidden.\ndefault: who?", "", "", 1},
		{`[{"deny": {"message": "no"}}]`, []string{"AlwaysDeny"}, authorizer.DecisionDeny, "no", "default", "", 1},
		{`[{"response": {"allowed": true, "denied": true}}]`, nil, authorizer.DecisionDeny, "", "default", "webhook subject access review returned both allow and deny response", 1},
		{`[{"http": 404}]`, nil, authorizer.DecisionNoOpinion, "", "", "the server could not find the requested resource", 1},
		{`[{"http": 500}]`, nil, authorizer.DecisionNoOpinion, "", "", `an error on the server ("unknown") has prevented the request from succeeding`, 5},
		{`[{"http": 500}, {"allow": true}]`, nil, authorizer.DecisionAllow, "", "default", "", 2},
		{`[{"raw": "x"}]`, nil, authorizer.DecisionNoOpinion, "", "", "couldn't get version/kind; json parse error: ", 1},
		{`[{"allow": true, "delay": "31s"}]`, nil, authorizer.DecisionNoOpinion, "", "", `Post "https://authz.example/check?timeout=30s": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`, 1},
	} {
		h, bound := webhookOf(t, "1.37", admission.Authorizers{}, tt.answers, tt.modes...)
		decision, reason, by, err := bound(nil).Decide(t.Context(), getPods)
		if decision != tt.decision || reason != tt.reason || by != tt.by || !strings.HasPrefix(fmt.Sprint(err), cmpOr(tt.err, "<nil>")) || len(h.asked) != tt.calls {
			t.Errorf("%s: %v, %q by %q, %v after %d calls; want %v, %q by %q, %s after %d", tt.answers, decision, reason, by, err, len(h.asked), tt.decision, tt.reason, tt.by, tt.err, tt.calls)
		}
	}
}

func cmpOr(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// The review that is sent depends on version and release (AU-51).
func TestWebhookIsAsked(t *testing.T) {
	list := getPods
	list.Verb, list.Name = "list", ""
	list.FieldSelectorRequirements = fields.ParseSelectorOrDie("spec.nodeName=a,status.phase!=Failed").Requirements()
	list.LabelSelectorRequirements, _ = labels.SelectorFromSet(labels.Set{"app": "web"}).Requirements()
	for _, tt := range []struct {
		release, version string
		question         authorizer.AttributesRecord
		want             string
	}{
		{"1.37", "", getPods, `{"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1beta1","metadata":{},"spec":{"resourceAttributes":{"namespace":"shop","verb":"get","version":"v1","resource":"pods","name":"web"},"user":"ann","group":["dev"]},"status":{"allowed":false}}`},
		{"1.33", "v1", getPods, `{"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","metadata":{"creationTimestamp":null},"spec":{"resourceAttributes":{"namespace":"shop","verb":"get","version":"v1","resource":"pods","name":"web"},"user":"ann","groups":["dev"]},"status":{"allowed":false}}`},
		{"1.37", "v1", list, `{"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","metadata":{},"spec":{"resourceAttributes":{"namespace":"shop","verb":"list","version":"v1","resource":"pods","fieldSelector":{"requirements":[{"key":"spec.nodeName","operator":"In","values":["a"]},{"key":"status.phase","operator":"NotIn","values":["Failed"]}]},"labelSelector":{"requirements":[{"key":"app","operator":"In","values":["web"]}]}},"user":"ann","groups":["dev"]},"status":{"allowed":false}}`},
		{"1.37", "v1", authorizer.AttributesRecord{User: &user.DefaultInfo{Name: "ann", UID: "7", Extra: map[string][]string{"a": {"b"}}}, Verb: "get", Path: "/healthz"}, `{"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","metadata":{},"spec":{"nonResourceAttributes":{"path":"/healthz","verb":"get"},"user":"ann","extra":{"a":["b"]},"uid":"7"},"status":{"allowed":false}}`},
	} {
		h, bound := webhookOf(t, tt.release, admission.Authorizers{WebhookVersion: tt.version}, `[]`)
		if _, _, err := bound(nil).Authorize(t.Context(), tt.question); err != nil {
			t.Error(err)
		}
		if want := "https://authz.example/check?timeout=30s " + tt.want; len(h.asked) != 1 || h.asked[0] != want {
			t.Errorf("%s %s: asked %q, want %s", tt.release, tt.version, h.asked, want)
		}
	}
}

// An answer is cached for a while, within a request and for those that follow it (AU-54).
func TestWebhookIsRemembered(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		why     string
		needs   admission.Authorizers
		answers string
		after   time.Duration
		calls   int
	}{
		{"five minutes", admission.Authorizers{}, `[{"allow": true}]`, 5 * time.Minute, 1},
		{"more than five minutes", admission.Authorizers{}, `[{"allow": true}]`, 5*time.Minute + 1, 2},
		{"30 seconds", admission.Authorizers{}, `[{"allow": false}]`, 30 * time.Second, 1},
		{"more than 30 seconds", admission.Authorizers{}, `[{"allow": false}]`, 31 * time.Second, 2},
		{"a shorter time", admission.Authorizers{AuthorizedTTL: time.Second}, `[{"allow": true}]`, 2 * time.Second, 2},
		{"not at all", admission.Authorizers{AuthorizedTTL: -1}, `[{"allow": true}]`, 0, 3},
		{"failures", admission.Authorizers{}, `[{"http": 404}]`, 0, 3},
	} {
		h, bound := webhookOf(t, "1.37", tt.needs, tt.answers)
		state := cluster.New()
		notes := authorization.NewNotes(t.Context(), state, start)
		for range 2 {
			_, _, _ = bound(notes).Authorize(t.Context(), getPods)
		}
		notes = authorization.NewNotes(t.Context(), notes.In(state), start.Add(tt.after))
		_, _, _ = bound(notes).Authorize(t.Context(), getPods)
		if len(h.asked) != tt.calls {
			t.Errorf("%s: %d calls, want %d", tt.why, len(h.asked), tt.calls)
		}
	}
}

// Rules cannot be listed (AU-55), and an answer that admsim cannot know is an error of the request (AU-53).
func TestWebhookUnknown(t *testing.T) {
	_, bound := webhookOf(t, "1.37", admission.Authorizers{}, `[]`)
	if _, _, incomplete, err := bound(nil).RulesFor(t.Context(), getPods.User, "shop"); !incomplete || fmt.Sprint(err) != "webhook authorizer does not support user rule resolution" {
		t.Errorf("RulesFor() is incomplete: %v, %v", incomplete, err)
	}
	chain, err := authorization.NewChain([]string{"Webhook"}, admission.Authorizers{Webhook: []byte(kubeconfig)}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	notes := authorization.NewNotes(t.Context(), cluster.New(), time.Time{})
	nobody := func(string, string) dispatch.Backend { return nil }
	_, _, _ = authorization.New(cluster.New(), nil, release(t, "1.37"), chain, authorization.Asking{Backends: nobody, Notes: notes}).Authorize(t.Context(), getPods)
	if unknown := (*dispatch.NoAnswerError)(nil); !errors.As(notes.Err(), &unknown) {
		t.Errorf("Err() = %v, want a NoAnswerError", notes.Err())
	}
}
