package authorization_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/authorization"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/trace"
)

// configuredChain returns the chain of a configuration with these authorizers.
func configuredChain(t *testing.T, version, apiVersion string, needs admission.Authorizers, authorizers ...string) (authorization.Chain, error) {
	t.Helper()
	needs.Config = fmt.Appendf(nil, `{"apiVersion": "apiserver.config.k8s.io/%s", "kind": "AuthorizationConfiguration", "authorizers": [%s]}`, apiVersion, strings.Join(authorizers, ", "))
	r := release(t, version)
	return authorization.NewChain(nil, needs, r, expression.New(r).Subjects)
}

// asks returns a webhook for a configuration; more holds further fields.
func asks(name string, more ...string) string {
	fields := append([]string{`"timeout": "3s"`, `"subjectAccessReviewVersion": "v1"`, `"connectionInfo": {"type": "KubeConfigFile", "kubeConfigFile": "/etc/authz", "kubeConfig": ` + kubeconfig + `}`}, more...)
	if !strings.Contains(strings.Join(more, ""), "failurePolicy") {
		fields = append(fields, `"failurePolicy": "NoOpinion"`)
	}
	return fmt.Sprintf(`{"type": "Webhook", "name": %q, "webhook": {%s}}`, name, strings.Join(fields, ", "))
}

func matching(expressions ...string) string {
	var all []string
	for _, one := range expressions {
		all = append(all, fmt.Sprintf(`{"expression": %q}`, one))
	}
	return `"matchConditionSubjectAccessReviewVersion": "v1", "matchConditions": [` + strings.Join(all, ", ") + `]`
}

const roles = `{"type": "RBAC", "name": "rbac"}`

// Invalid configurations are refused with the server's messages (AU-60, AU-61).
func TestConfigurationIsRefused(t *testing.T) {
	modes := admission.Authorizers{WebhookVersion: "v1"}
	for _, tt := range []struct {
		version, apiVersion string
		needs               admission.Authorizers
		authorizers         []string
		want                string
	}{
		{"1.28", "v1alpha1", admission.Authorizers{}, []string{roles}, "--authorization-config cannot be used without enabling StructuredAuthorizationConfiguration feature flag"},
		{"1.29", "v1alpha1", admission.Authorizers{}, []string{roles}, "--authorization-config cannot be used without enabling StructuredAuthorizationConfiguration feature flag"},
		{"1.31", "v1", admission.Authorizers{}, []string{roles}, `no kind "AuthorizationConfiguration" is registered for version "apiserver.config.k8s.io/v1"`},
		{"1.37", "v1", modes, []string{roles}, "--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined"},
		{"1.37", "v1", admission.Authorizers{}, nil, "authorizers: Required value: at least one authorization mode must be defined"},
		{"1.37", "v1", admission.Authorizers{}, []string{`{"type": "RBAC", "name": "roles"}`}, "expected name rbac for authorizer RBAC instead of roles"},
		{"1.37", "v1", admission.Authorizers{}, []string{roles, roles}, `authorizers[1].type: Duplicate value: "RBAC"`},
		{"1.37", "v1", admission.Authorizers{}, []string{`{"type": "RBAC", "name": "rbac", "color": "red"}`}, `strict decoding error: unknown field "authorizers[0].color"`},
		{"1.37", "v1", admission.Authorizers{}, []string{`{"type": "ABAC", "name": "abac"}`}, "--authorization-policy-file, which is not given"},
		{"1.37", "v1", admission.Authorizers{}, []string{asks("a", matching("request.user"))}, "must evaluate to bool"},
		{"1.37", "v1", admission.Authorizers{}, []string{asks("a", `"matchConditions": [{"expression": "true"}]`)}, "authorizers[0].matchConditionSubjectAccessReviewVersion: Required value"},
		{"1.37", "v1", admission.Authorizers{}, []string{strings.Replace(asks("a"), "/etc/authz", "authz", 1)}, ""},
		{"1.37", "v1", admission.Authorizers{}, []string{asks("a"), asks("a")}, `authorizers[1].name: Duplicate value: "a"`},
		{"1.37", "v1", admission.Authorizers{}, []string{`{"type": "Webhook", "name": "a", "webhook": {"timeout": "3s", "subjectAccessReviewVersion": "v1", "failurePolicy": "Deny", "connectionInfo": {"type": "KubeConfigFile", "kubeConfigFile": "/there/is/none"}}}`},
			`authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "/there/is/none": error loading file`},
	} {
		_, err := configuredChain(t, tt.version, tt.apiVersion, tt.needs, tt.authorizers...)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s, %s, %v: %v, want %q", tt.version, tt.apiVersion, tt.authorizers, err, tt.want)
		}
	}
}

// Webhooks are asked in order, each only if its conditions hold (AU-60, AU-62).
func TestMatchConditions(t *testing.T) {
	for _, tt := range []struct {
		conditions []string
		policy     string
		decision   authorizer.Decision
		err        string
		hook       trace.Hook
	}{
		{[]string{"request.user == 'ann'", "request.resourceAttributes.resource == 'pods'"}, "Deny", authorizer.DecisionAllow, "",
			trace.Hook{Called: true, Outcome: trace.Allowed, Because: "allows to get pods"}},
		{[]string{"request.user == 'ann'", "request.user == 'bob'"}, "Deny", authorizer.DecisionNoOpinion, "",
			trace.Hook{Outcome: trace.Skipped, Because: "matchConditions[1] is false: request.user == 'bob'"}},
		{[]string{"request.extra['a'] == ['b']", "request.user == 'bob'"}, "Deny", authorizer.DecisionNoOpinion, "",
			trace.Hook{Outcome: trace.Skipped, Because: "matchConditions[1] is false: request.user == 'bob'"}},
		{[]string{"request.extra['a'] == ['b']"}, "Deny", authorizer.DecisionDeny, "no such key: a",
			trace.Hook{Outcome: trace.Failed, Because: "no such key: a"}},
		{[]string{"request.extra['a'] == ['b']"}, "NoOpinion", authorizer.DecisionNoOpinion, "no such key: a",
			trace.Hook{Outcome: trace.FailedOpen, Because: "no such key: a"}},
	} {
		chain, err := configuredChain(t, "1.37", "v1", admission.Authorizers{}, asks("first", matching(tt.conditions...), fmt.Sprintf(`"failurePolicy": %q`, tt.policy)))
		if err != nil {
			t.Fatal(err)
		}
		mock, err := dispatch.NewMock(nil, dispatch.Answer{Allow: new(true)})
		if err != nil {
			t.Fatal(err)
		}
		h := &hook{Mock: mock}
		notes := authorization.NewNotes(t.Context(), cluster.New(), time.Time{})
		asked := authorization.New(cluster.New(), nil, release(t, "1.37"), chain, authorization.Asking{Backends: only(t, "authorization/first", h), Notes: notes})
		decision, _, err := asked.Authorize(t.Context(), getPods)
		hooks := notes.Take()
		if decision != tt.decision || (tt.err == "") != (err == nil) || tt.err != "" && !strings.Contains(err.Error(), tt.err) || len(hooks) != 1 {
			t.Errorf("%v: %v, %v with %d hooks; want %v, %q", tt.conditions, decision, err, len(hooks), tt.decision, tt.err)
			continue
		}
		if got := hooks[0]; got.Called != tt.hook.Called || got.Outcome != tt.hook.Outcome || !strings.Contains(got.Because, tt.hook.Because) {
			t.Errorf("%v: %v %s %q, want %v %s %q", tt.conditions, got.Called, got.Outcome, got.Because, tt.hook.Called, tt.hook.Outcome, tt.hook.Because)
		}
		if want := "https://authz.example/check?timeout=3s "; tt.hook.Called && !strings.HasPrefix(h.asked[0], want) {
			t.Errorf("asked %q, want %s…", h.asked[0], want)
		}
	}
}

// A webhook that fails denies if its failure policy says so. Answers are cached as the configuration says (AU-63).
func TestFailurePolicy(t *testing.T) {
	for _, tt := range []struct {
		answer   dispatch.Answer
		more     string
		decision authorizer.Decision
		calls    int // for two questions
	}{
		{dispatch.Answer{HTTP: 404}, `"failurePolicy": "Deny"`, authorizer.DecisionDeny, 2},
		{dispatch.Answer{HTTP: 404}, `"failurePolicy": "NoOpinion"`, authorizer.DecisionNoOpinion, 2},
		{dispatch.Answer{Allow: new(true)}, `"failurePolicy": "NoOpinion"`, authorizer.DecisionAllow, 1},
		{dispatch.Answer{Allow: new(true)}, `"failurePolicy": "NoOpinion", "cacheAuthorizedRequests": false`, authorizer.DecisionAllow, 2},
		{dispatch.Answer{Allow: new(false)}, `"failurePolicy": "NoOpinion"`, authorizer.DecisionNoOpinion, 1},
		{dispatch.Answer{Allow: new(false)}, `"failurePolicy": "NoOpinion", "cacheUnauthorizedRequests": false`, authorizer.DecisionNoOpinion, 2},
	} {
		chain, err := configuredChain(t, "1.37", "v1", admission.Authorizers{}, asks("first", tt.more))
		if err != nil {
			t.Fatal(err)
		}
		mock, err := dispatch.NewMock(nil, tt.answer)
		if err != nil {
			t.Fatal(err)
		}
		h := &hook{Mock: mock}
		notes := authorization.NewNotes(t.Context(), cluster.New(), time.Time{})
		asked := authorization.New(cluster.New(), nil, release(t, "1.37"), chain, authorization.Asking{Backends: only(t, "authorization/first", h), Notes: notes})
		for range 2 {
			if decision, _, _ := asked.Authorize(context.Background(), getPods); decision != tt.decision {
				t.Errorf("%s: %v, want %v", tt.more, decision, tt.decision)
			}
		}
		if len(h.asked) != tt.calls {
			t.Errorf("%s: %d calls, want %d", tt.more, len(h.asked), tt.calls)
		}
	}
}

// only returns the backend for a single webhook.
func only(t *testing.T, name string, b dispatch.Backend) func(configuration, webhook string) dispatch.Backend {
	return func(configuration, webhook string) dispatch.Backend {
		if configuration+"/"+webhook != name {
			t.Errorf("got a request for the backend of %s/%s", configuration, webhook)
		}
		return b
	}
}
