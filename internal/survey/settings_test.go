package survey

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/cluster"
)

// Changes that do not affect which requests a webhook is asked about are reported; changes that regions show are not.
func TestChangedSettings(t *testing.T) {
	ignore, fail, seconds := admissionregistrationv1.Ignore, admissionregistrationv1.Fail, int32(3)
	before := admissionregistrationv1.ValidatingWebhook{Name: "a", FailurePolicy: &ignore, MatchConditions: []admissionregistrationv1.MatchCondition{{Name: "x", Expression: "true"}}}
	after := admissionregistrationv1.ValidatingWebhook{Name: "a", FailurePolicy: &fail, TimeoutSeconds: &seconds}
	actor := document.Actor{Configuration: "shop", Name: "a"}
	o := cluster.Object{Source: "h.yaml:1"}
	got := changedSettings(&hook{settings: settingsOf(before, o, "")}, &hook{settings: settingsOf(after, o, "")}, actor)
	want := []document.SettingChange{
		{Webhook: actor, Field: "failurePolicy", From: "Ignore", To: "Fail", Source: "h.yaml:1"},
		{Webhook: actor, Field: "timeoutSeconds", To: "3", Source: "h.yaml:1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
