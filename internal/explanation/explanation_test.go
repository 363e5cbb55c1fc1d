package explanation

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/trace"
)

// Mutating webhooks hang one after the other, validating webhooks at the same time, and all of them only as long as the
// request has time.
func TestHanging(t *testing.T) {
	hook := func(name, called, policy string, seconds int32) document.WebhookExplanation {
		return document.WebhookExplanation{Name: name, Called: called, FailurePolicy: policy, TimeoutSeconds: seconds}
	}
	by := func(plugin, name string) *report.Decider { return &report.Decider{Plugin: plugin, Name: name} }
	after := func(d time.Duration) metav1.Duration { return metav1.Duration{Duration: d} }
	type hooks = []document.WebhookExplanation
	for _, tt := range []struct {
		reason               string
		mutating, validating hooks
		limit                time.Duration
		want                 *document.Hanging
	}{
		{reason: "nothing is called"},
		{reason: "a webhook that is not called does not hang", mutating: hooks{hook("a", document.No, "Fail", 10)}, limit: time.Minute},
		{reason: "webhooks with failure policy Ignore take their time", mutating: hooks{hook("a", document.Yes, "Ignore", 10), hook("b", document.Depends, "Ignore", 5)},
			validating: hooks{hook("c", document.Yes, "Ignore", 7), hook("d", document.Yes, "Ignore", 3)}, limit: time.Minute,
			want: &document.Hanging{After: after(22 * time.Second)}},
		{reason: "the first webhook that fails ends the request", mutating: hooks{hook("a", document.Yes, "Ignore", 10), hook("b", document.Yes, "Fail", 5), hook("c", document.Yes, "Fail", 5)},
			limit: time.Minute, want: &document.Hanging{After: after(15 * time.Second), Refused: true, By: by(document.MutatingWebhooks, "b")}},
		{reason: "all validating webhooks are waited for", validating: hooks{hook("a", document.Yes, "Fail", 2), hook("b", document.Yes, "Fail", 9)},
			limit: time.Minute, want: &document.Hanging{After: after(9 * time.Second), Refused: true, By: by(document.ValidatingWebhooks, "a")}},
		{reason: "the time of the request is over first", mutating: hooks{hook("a", document.Yes, "Ignore", 20), hook("b", document.Yes, "Fail", 20)},
			limit: 30 * time.Second, want: &document.Hanging{After: after(30 * time.Second), Refused: true}},
		{reason: "the limit of the request may be shorter than the timeout", validating: hooks{hook("a", document.Yes, "Ignore", 30)},
			limit: 10 * time.Second, want: &document.Hanging{After: after(10 * time.Second), Refused: true}},
		{reason: "a request without a limit", mutating: hooks{hook("a", document.Yes, "Ignore", 30), hook("b", document.Yes, "Ignore", 30)},
			want: &document.Hanging{After: after(time.Minute)}},
	} {
		if diff := cmp.Diff(tt.want, hanging(tt.mutating, tt.validating, tt.limit)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

func TestBeforeWebhooks(t *testing.T) {
	for _, tt := range []struct {
		reason   string
		admitted bool
		refused  *trace.Step
		want     bool
	}{
		{"it does not come to admission", false, nil, true},
		{"the server, after admission", true, nil, false},
		{"a plugin in front of the webhooks", true, &trace.Step{Phase: trace.Mutating, Plugin: "NamespaceLifecycle"}, true},
		{"the webhooks", true, &trace.Step{Phase: trace.Mutating, Plugin: document.MutatingWebhooks}, false},
		{"the second round", true, &trace.Step{Phase: trace.Mutating, Plugin: "LimitRanger", Round: 1}, false},
		{"a validating plugin", true, &trace.Step{Phase: trace.Validating, Plugin: "ResourceQuota"}, false},
	} {
		if got := beforeWebhooks(tt.admitted, tt.refused); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.reason, got, tt.want)
		}
	}
}
