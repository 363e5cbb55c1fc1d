package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	imagepolicyv1alpha1 "k8s.io/api/imagepolicy/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"github.com/admsim/admsim/pkg/admission"
)

func imageCodec(t *testing.T) runtime.Codec {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := imagepolicyv1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return serializer.NewCodecFactory(scheme).LegacyCodec(imagepolicyv1alpha1.SchemeGroupVersion)
}

// A callback is called again if its failure may pass, and time is counted without waiting.
func TestCallback(t *testing.T) {
	tests := []struct {
		reason  string
		answers string // as mocks read them
		timeout time.Duration

		allowed bool
		why     string // of the review
		calls   int
		took    time.Duration
		failed  string
	}{
		{reason: "no answers allow", answers: `[]`, allowed: true, calls: 1},
		{reason: "an answer in the form of webhooks", answers: `[{"deny":{"message":"unsigned"}}]`, why: "unsigned", calls: 1},
		{reason: "a denial with a reason only", answers: `[{"deny":{"reason":"Forbidden"}}]`, why: "Forbidden", calls: 1},
		{
			reason:  "a whole review, late",
			answers: `[{"review":{"apiVersion":"imagepolicy.k8s.io/v1alpha1","kind":"ImageReview","status":{"allowed":true}},"delay":"2s"}]`,
			allowed: true, calls: 1, took: 2 * time.Second,
		},
		{
			reason:  "500 may pass",
			answers: `[{"http":500},{"http":500},{}]`, allowed: true, calls: 3, took: 2500 * time.Millisecond, // 1 s and 1.5 s
		},
		{
			reason:  "at most five times",
			answers: `[{"http":500}]`, calls: 5, took: 8125 * time.Millisecond, // 1, 1.5, 2.25 and 3.375 s
			failed: `an error on the server ("unknown") has prevented the request from succeeding`,
		},
		{
			reason:  "each of these repeats as often as the webhook asks for",
			answers: `[{"http":429,"headers":{"Retry-After":"0"}}]`, calls: 55, took: 8125 * time.Millisecond,
			failed: `the server has received too many requests and has asked us to try again later`,
		},
		{reason: "404 does not pass", answers: `[{"http":404}]`, calls: 1, failed: "the server could not find the requested resource"},
		{
			reason:  "a call may take 30 s",
			answers: `[{"fault":"hang"}]`, calls: 1, took: 30 * time.Second,
			failed: `Post "https://images.example.com/policy?timeout=30s": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
		},
		{
			reason:  "and no longer than the request",
			answers: `[{"fault":"hang"}]`, timeout: 10 * time.Second, calls: 1, took: 10 * time.Second,
			failed: `Post "https://images.example.com/policy?timeout=30s": context deadline exceeded`,
		},
		{
			reason:  "no calls after the request's time is over",
			answers: `[{"http":500,"delay":"9500ms"},{}]`, timeout: 10 * time.Second, calls: 1, took: 10500 * time.Millisecond,
			failed: `context deadline exceeded`,
		},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			var answers []Answer
			if err := json.Unmarshal([]byte(test.answers), &answers); err != nil {
				t.Fatal(err)
			}
			mock, err := NewMock(nil, answers...)
			if err != nil {
				t.Fatal(err)
			}
			b := Callback{
				Name: "imagepolicy", URL: "https://images.example.com/policy", Backend: mock,
				Codec: imageCodec(t), Version: ImageReviews, Backoff: time.Second,
			}
			var answer imagepolicyv1alpha1.ImageReview
			x, err := b.Ask(context.Background(), admission.Request{Timeout: test.timeout}, &imagepolicyv1alpha1.ImageReview{}, &answer)
			if err != nil {
				t.Fatal(err)
			}
			failed := ""
			if x.Failed != nil {
				failed = x.Failed.Error()
			}
			type result struct {
				Allowed bool
				Why     string
				Calls   int
				Took    time.Duration
				Failed  string
			}
			want := result{test.allowed, test.why, test.calls, test.took, test.failed}
			got := result{answer.Status.Allowed, answer.Status.Reason, len(x.Calls), x.Took, failed}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The URL of a callback is determined as for admission webhooks with the same client configuration (W-143..W-146).
func TestCallbackURL(t *testing.T) {
	service := func(path *string, port *int32) admissionregistrationv1.WebhookClientConfig {
		return admissionregistrationv1.WebhookClientConfig{Service: &admissionregistrationv1.ServiceReference{Namespace: "shop", Name: "hook", Path: path, Port: port}}
	}
	for _, tt := range []struct {
		callback Callback
		want     string // empty: an error
	}{
		{Callback{URL: "https://images.example.com"}, "https://images.example.com/?timeout=30s"},
		{Callback{URL: "https://images.example.com/policy/"}, "https://images.example.com/policy?timeout=30s"},
		{Callback{Client: admissionregistrationv1.WebhookClientConfig{URL: new("https://hook.example//convert/")}}, "https://hook.example/convert?timeout=30s"},
		{Callback{Client: service(nil, nil)}, "https://hook.shop.svc:443/?timeout=30s"},
		{Callback{Client: service(new("/convert/"), new(int32(8443)))}, "https://hook.shop.svc:8443/convert?timeout=30s"},
		{Callback{}, ""},
	} {
		b := tt.callback
		b.Codec, b.Backend = imageCodec(t), hangs()
		x, err := b.Ask(t.Context(), admission.Request{}, &imagepolicyv1alpha1.ImageReview{}, &imagepolicyv1alpha1.ImageReview{})
		if tt.want == "" {
			if err == nil {
				t.Error("a callback without a location is no error")
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := x.Calls[0].URL; got != tt.want {
			t.Errorf("called at %s, want %s", got, tt.want)
		}
	}
}

// A backend that does not know its answer ends the run, not the request.
func TestCallbackWithoutAnswer(t *testing.T) {
	b := Callback{Name: "imagepolicy", URL: "https://images.example.com", Backend: noBackend{errors.New("it has no backend")}, Codec: imageCodec(t)}
	_, err := b.Ask(context.Background(), admission.Request{}, &imagepolicyv1alpha1.ImageReview{}, &imagepolicyv1alpha1.ImageReview{})
	if err == nil {
		t.Error("an unknown answer is no error")
	}
}
