package admsimtest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/admsimtest"
	"github.com/admsim/admsim/pkg/dispatch"
)

// broken is a webhook with a bug.
func broken(context.Context, *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
	var response *admissionv1.AdmissionResponse
	response.Allowed = true
	return response
}

// The log of the test says where a handler panics: the server only sees that the connection closes.
func TestPanic(t *testing.T) {
	f := &failing{TB: t}
	o := options()
	o.Webhooks["label.*"] = admsimtest.Func(broken)
	admsimtest.New(f, o).Create(settings("a")).Denied("EOF")
	said := strings.Join(f.said, "\n")
	if !strings.Contains(said, "/label.shop.example panics: runtime error") || !strings.Contains(said, "admsimtest_test.broken") {
		t.Errorf("the log says %q, want where the handler panics", said)
	}
}

// With NoTimeouts a webhook has no deadline; by default its timeoutSeconds is the deadline.
func TestNoTimeouts(t *testing.T) {
	for _, endless := range []bool{false, true} {
		deadline, called := false, false
		o := options()
		o.NoTimeouts = endless
		o.Webhooks["label.*"] = admsimtest.Func(func(ctx context.Context, r *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
			_, deadline = ctx.Deadline()
			called = true
			return labelled(ctx, r)
		})
		admsimtest.New(t, o).Create(settings("a")).Admitted()
		if !called || deadline == endless {
			t.Errorf("with NoTimeouts: %v, called: %v, with a deadline: %v", endless, called, deadline)
		}
	}
}

// A name in Options.Webhooks that never matches a webhook is misspelt, and its handler was not tested. Configurations
// may be created later, and in subtests.
func TestNamesOfWebhooks(t *testing.T) {
	for _, tt := range []struct {
		reason, name string
		ask          func(t *testing.T, c *admsimtest.Cluster)
		want         string
	}{
		{"misspelt", "lable.shop.example", nil, `no webhook is called "lable.shop.example", which Options.Webhooks answer for; did you mean "label.shop.example"?`},
		{"a glob", "*s.shop.example", nil, ""},
		{"created by a request", "later.shop.example", func(_ *testing.T, c *admsimtest.Cluster) { c.Create(later()).Admitted() }, ""},
		{"created by a request in a subtest", "later/later.shop.example", func(t *testing.T, c *admsimtest.Cluster) {
			t.Run("later", func(t *testing.T) { c.For(t).Create(later()).Admitted() })
		}, ""},
	} {
		f := &failing{}
		t.Run(tt.reason, func(t *testing.T) {
			f.TB = t
			o := options()
			o.Webhooks[tt.name] = admsimtest.Func(labelled)
			c := admsimtest.New(f, o)
			if tt.ask != nil {
				tt.ask(t, c)
			}
		})
		said := strings.Join(f.said, "\n")
		if tt.want == "" && said != "" || !strings.Contains(said, tt.want) {
			t.Errorf("%s: the test says %q, want %q", tt.reason, said, tt.want)
		}
	}
}

func later() *admissionregistrationv1.ValidatingWebhookConfiguration {
	none, url := admissionregistrationv1.SideEffectClassNone, "https://later.shop.example/"
	return &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "later"},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "later.shop.example", SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
			ClientConfig: admissionregistrationv1.WebhookClientConfig{URL: &url},
		}},
	}
}

// The hint for a webhook without a handler refers to the Go options.
func TestUnanswered(t *testing.T) {
	for name, want := range map[string]string{
		"labels.shop.example": `there is a backend of "labels.shop.example": did you mean that one?`,
		"names.shop.example":  "give the test a Handler, name the webhook in Webhooks",
	} {
		f := &failing{TB: t}
		c := admsimtest.New(f, admsimtest.Options{Manifests: []string{"testdata/webhook"}, Webhooks: map[string]admsimtest.Webhook{name: admsimtest.Func(labelled)}})
		c.Create(settings("a"))
		if said := strings.Join(f.said, "\n"); !strings.Contains(said, "hint: "+want) {
			t.Errorf("%s: the test says %q, want %q", name, said, want)
		}
	}
}

// A nil object is reported, with the place of the call.
func TestNil(t *testing.T) {
	for want, ask := range map[string]func(t testing.TB){
		"admsimtest: object 1: nil is no object": func(t testing.TB) { admsimtest.New(t, admsimtest.Options{Objects: []runtime.Object{nil}}) },
		"admsimtest: Webhooks[\"a.b.c\"] is nil": func(t testing.TB) {
			admsimtest.New(t, admsimtest.Options{Webhooks: map[string]admsimtest.Webhook{"a.b.c": nil}})
		},
	} {
		f := &failing{TB: t}
		if ask(f); len(f.said) != 1 || !strings.HasPrefix(f.said[0], want) {
			t.Errorf("the test says %q, want %q", f.said, want)
		}
	}
}

// The effect of a failurePolicy can be tested with a webhook that does not answer, without waiting.
func ExampleFault() {
	var t testing.TB = quiet{}

	c := admsimtest.New(t, admsimtest.Options{
		Manifests: []string{"testdata/webhook"},
		Webhooks: map[string]admsimtest.Webhook{
			"label.shop.example": admsimtest.Fault(dispatch.Hang),
			"names.shop.example": admsimtest.Func(labelled),
		},
	})
	result := c.Create(settings("a")).Denied("context deadline exceeded").DeniedByWebhook("label.shop.example")
	for _, hook := range result.Hooks("label.shop.example") {
		fmt.Println(hook.Outcome, hook.Duration.Duration)
	}
	// Output:
	// failed 10s
}
