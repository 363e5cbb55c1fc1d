package text

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/report/document"
)

func TestKubectlError(t *testing.T) {
	web := func(causes ...metav1.StatusCause) *metav1.StatusDetails {
		return &metav1.StatusDetails{Kind: "pods", Name: "web", Causes: causes}
	}
	for _, tt := range []struct {
		reason string
		status metav1.Status
		want   string
	}{
		{"a reason", metav1.Status{Reason: metav1.StatusReasonForbidden, Message: "not here"},
			"Error from server (Forbidden): not here\n"},
		{"none", metav1.Status{Message: "not here"},
			"Error from server: not here\n"},
		{"a code is no reason", metav1.Status{Code: 422, Message: "not here"},
			"Error from server: not here\n"},
		{"who is not known", metav1.Status{Reason: metav1.StatusReasonUnauthorized, Message: "Unauthorized"},
			"error: You must be logged in to the server (Unauthorized)\n"},
		{"of a policy: the cause has no field", metav1.Status{Reason: metav1.StatusReasonInvalid, Message: "pods \"web\" is forbidden: denied",
			Details: web(metav1.StatusCause{Message: "denied"})},
			"The pods \"web\" is invalid: : denied\n"},
		{"several causes, one of them twice", metav1.Status{Reason: metav1.StatusReasonInvalid, Message: "all of it",
			Details: web(metav1.StatusCause{Field: "spec.a", Message: "too long"}, metav1.StatusCause{Field: "spec.b", Message: "too short"}, metav1.StatusCause{Field: "spec.a", Message: "too long"})},
			"The pods \"web\" is invalid:\n* spec.a: too long\n* spec.b: too short\n"},
		{"of a webhook: the message is not shown beside a name", metav1.Status{Reason: metav1.StatusReasonInvalid, Message: "not here", Details: web()},
			"The pods \"web\" is invalid\n"},
		{"of a webhook, without details", metav1.Status{Reason: metav1.StatusReasonInvalid, Message: "not here"},
			"The request is invalid: not here\n"},
		{"of a webhook that says nothing", metav1.Status{Reason: metav1.StatusReasonInvalid, Details: &metav1.StatusDetails{}},
			"The request is invalid\n"},
	} {
		p := newPage(document.Options{})
		kubectlErrorOf(&tt.status).write(p, 0)
		if diff := cmp.Diff(tt.want, p.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}
