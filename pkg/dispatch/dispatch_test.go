package dispatch

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/trace"
)

// A backendFunc is a backend written as a function.
type backendFunc func(c Call) Reply

func (f backendFunc) Call(_ context.Context, c Call) Reply { return f(c) }

// counter returns uids u1, u2, …
func counter() func() types.UID {
	var n atomic.Int64
	return func() types.UID { return types.UID(fmt.Sprintf("u%d", n.Add(1))) }
}

func mutatingHook(b Backend) Hook {
	return Hook{
		Configuration:  "cfg",
		Name:           "h.example.com",
		Phase:          trace.Mutating,
		Client:         admissionregistrationv1.WebhookClientConfig{URL: new("https://hook.example/mutate")},
		ReviewVersions: []string{"v1"},
		TimeoutSeconds: new(int32(10)),
		Backend:        b,
	}
}

func validatingHook(b Backend) Hook {
	h := mutatingHook(b)
	h.Phase = trace.Validating
	return h
}

func ignoring(h Hook) Hook {
	h.FailurePolicy = new(admissionregistrationv1.Ignore)
	return h
}

func podRequest() admission.Request {
	return admission.Request{
		Operation: admissionv1.Create,
		Resource:  schema.GroupVersionResource{Version: "v1", Resource: "pods"},
		Kind:      schema.GroupVersionKind{Version: "v1", Kind: "Pod"},
		Namespace: "shop",
		Name:      "cart",
		Options:   &metav1.CreateOptions{TypeMeta: metav1.TypeMeta{Kind: "CreateOptions", APIVersion: "meta.k8s.io/v1"}},
		User:      authenticationv1.UserInfo{Username: "alice", Groups: []string{"dev"}},
	}
}

func reviewOf(r admission.Request) *Review {
	return &Review{Request: r, Resource: r.Resource, Kind: r.Kind, ObjectJSON: Text([]byte(`{"kind":"Pod","apiVersion":"v1"}`))}
}

// callPod calls h for one pod.
func callPod(t *testing.T, h Hook) Outcome {
	t.Helper()
	o, err := New(counter()).Call(t.Context(), h, reviewOf(podRequest()))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// says returns a backend that sends response, with the uid added, in a v1 review.
func says(response string) Backend {
	return backendFunc(func(c Call) Reply {
		return Reply{Body: fmt.Appendf(nil, `{"apiVersion":"admission.k8s.io/%s","kind":"AdmissionReview","response":{"uid":%q,%s}}`, c.Version, c.UID, response)}
	})
}

// sends returns a backend that sends body, with $uid replaced.
func sends(body string) Backend {
	return backendFunc(func(c Call) Reply {
		return Reply{Body: []byte(strings.ReplaceAll(body, "$uid", string(c.UID)))}
	})
}

func httpAnswer(status int, contentType, body string) Backend {
	return backendFunc(func(Call) Reply {
		return Reply{Status: status, Header: http.Header{"Content-Type": {contentType}}, Body: []byte(body)}
	})
}

func TestReplies(t *testing.T) {
	const review = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",`
	const pod = "/mutate?timeout=10s"
	for _, tt := range []struct {
		rule   string
		about  string
		reply  Backend
		phase  trace.Phase // empty: mutating
		accept string      // empty: v1
		want   string      // the reason of the failure; empty: allowed
	}{
		{"W-163", "any status up to 206 is a success", backendFunc(func(c Call) Reply {
			r := says(`"allowed":true`).Call(t.Context(), c)
			r.Status = 206
			return r
		}), "", "", ""},
		{"W-163", "no content", httpAnswer(204, "application/json", ""), "", "", "failed to call webhook: 0-length response with status code: 204 and content type: application/json"},
		{"W-163", "no content and no content type", backendFunc(func(Call) Reply { return Reply{} }), "", "", "failed to call webhook: 0-length response with status code: 200 and content type: application/json"},
		{"W-164", "YAML is read too", sends("apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nresponse: {uid: $uid, allowed: true}"), "", "", ""},
		{"W-164", "a content type that is none", httpAnswer(200, "/", "{}"), "", "", "failed to call webhook: Internal error occurred: mime: no media type"},
		{"W-165", "400", httpAnswer(400, "text/plain", "x"), "", "", "failed to call webhook: the server rejected our request for an unknown reason"},
		{"W-165", "401", httpAnswer(401, "text/plain", "x"), "", "", "failed to call webhook: the server has asked for the client to provide credentials"},
		{"W-165", "403 repeats text", httpAnswer(403, "text/plain", " go away\n"), "", "", "failed to call webhook: go away"},
		{"W-165", "403 does not repeat what is no text", httpAnswer(403, "application/json", "go away"), "", "", "failed to call webhook: unknown"},
		{"W-165", "404", httpAnswer(404, "text/plain", "x"), "", "", "failed to call webhook: the server could not find the requested resource"},
		{"W-165", "405", httpAnswer(405, "text/plain", "x"), "", "", "failed to call webhook: the server does not allow this method on the requested resource"},
		{"W-165", "406", httpAnswer(406, "text/plain", ""), "", "", "failed to call webhook: the server was unable to respond with a content type that the client supports"},
		{"W-165", "409", httpAnswer(409, "text/plain", "x"), "", "", "failed to call webhook: the server reported a conflict"},
		{"W-165", "415", httpAnswer(415, "text/plain", "not JSON"), "", "", "failed to call webhook: not JSON"},
		{"W-165", "422", httpAnswer(422, "text/plain", "x"), "", "", "failed to call webhook: the server rejected our request due to an error in our request"},
		{"W-165", "429", httpAnswer(429, "text/plain", "x"), "", "", "failed to call webhook: the server has received too many requests and has asked us to try again later"},
		{"W-165", "503", httpAnswer(503, "text/plain", "x"), "", "", "failed to call webhook: the server is currently unable to handle the request"},
		{"W-165", "504", httpAnswer(504, "text/plain", "x"), "", "", "failed to call webhook: the server was unable to return a response in the time allotted, but may still be processing the request"},
		{"W-165", "500 of text", httpAnswer(500, "text/plain; charset=utf-8", "boom\n"), "", "", `failed to call webhook: an error on the server ("boom") has prevented the request from succeeding`},
		{"W-165", "500 of no text", httpAnswer(500, "application/json", "boom"), "", "", `failed to call webhook: an error on the server ("unknown") has prevented the request from succeeding`},
		{"W-165", "a redirect without a location", httpAnswer(302, "text/plain", ""), "", "", "failed to call webhook: the server responded with the status code 302 but did not return more information"},
		{"W-165", "text is cut", httpAnswer(403, "text/plain", strings.Repeat("x", 3000)), "", "", "failed to call webhook: " + strings.Repeat("x", 2048)},
		{"W-166", "a Status speaks for itself", httpAnswer(500, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"own words"}`), "", "", "failed to call webhook: own words"},
		{"W-166", "a Status without version", httpAnswer(500, "application/json", `{"kind":"Status","status":"Failure","message":"own words"}`), "", "", "failed to call webhook: own words"},
		{"W-166", "not one of success", httpAnswer(500, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Success","message":"own words"}`), "", "", `failed to call webhook: an error on the server ("unknown") has prevented the request from succeeding`},
		{"W-167", "a beta review for a v1 request", sends(`{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","response":{"uid":"$uid","allowed":true}}`), "", "", "failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion"},
		{"W-167", "a v1 review for a beta request", sends(review + `"response":{"uid":"$uid","allowed":true}}`), "", "v1beta1", "failed to call webhook: converting (v1.AdmissionReview) to (v1beta1.AdmissionReview): unknown conversion"},
		{"W-167", "a Status", sends(`{"kind":"Status","apiVersion":"v1","status":"Success"}`), "", "", "failed to call webhook: converting (v1.Status) to (v1.AdmissionReview): unknown conversion"},
		{"W-167", "a list", sends(`[]`), "", "", `failed to call webhook: couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`},
		{"W-167", "text", sends(`this is not json`), "", "", `failed to call webhook: couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`},
		{"W-167", "a wrong type", says(`"allowed":"true"`), "", "", "failed to call webhook: json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool"},
		{"W-167", "a patch that is not base64", says(`"allowed":true,"patch":"***","patchType":"JSONPatch"`), "", "", "failed to call webhook: illegal base64 data at input byte 0"},
		{"W-168", "unknown fields", sends(review + `"surprise":1,"response":{"uid":"$uid","allowed":true,"colour":"red"}}`), "", "", ""},
		{"W-168", "but those of the kind are not", sends(review + `"response":{"uid":"$uid","allowed":true},"KIND":"Pod"}`), "", "", `failed to call webhook: no kind "Pod" is registered for version "admission.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"`},
		{"W-168", "nor escaped", sends(review + `"response":{"uid":"$uid","allowed":true},"\u004bind" : "Pod"}`), "", "", `failed to call webhook: no kind "Pod" is registered for version "admission.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"`},
		{"W-168", "nor those of the version", sends(review + `"response":{"uid":"$uid","allowed":true},"apiversion":"v1"}`), "", "", `failed to call webhook: no kind "AdmissionReview" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"`},
		{"W-168", "keys are case sensitive", sends(review + `"Response":{"uid":"$uid","allowed":true}}`), "", "", "received invalid webhook response: webhook response was absent"},
		{"W-170", "no response", sends(review + `"request":{}}`), "", "", "received invalid webhook response: webhook response was absent"},
		{"W-170", "null", sends(`null`), "", "", "received invalid webhook response: webhook response was absent"},
		{"W-170", "no response, beta", sends(`{}`), "", "v1beta1", "received invalid webhook response: webhook response was absent"},
		{"W-171", "another uid", sends(review + `"response":{"uid":"other","allowed":true}}`), "", "", `received invalid webhook response: expected response.uid="u1", got "other"`},
		{"W-171", "another uid, beta", sends(`{"response":{"uid":"other","allowed":true}}`), "", "v1beta1", ""},
		{"W-172", "no kind", sends(`{"response":{"uid":"$uid","allowed":true}}`), "", "", "received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind="},
		{"W-173", "the uid is looked at before the kind", sends(`{"response":{"allowed":true}}`), "", "", `received invalid webhook response: expected response.uid="u1", got ""`},
		{"W-173", "also where it denies", sends(review + `"response":{"uid":"other","allowed":false}}`), "", "", `received invalid webhook response: expected response.uid="u1", got "other"`},
		{"W-174", "patch without type", says(`"allowed":true,"patch":"W10="`), "", "", "received invalid webhook response: webhook returned response.patch but not response.patchType"},
		{"W-174", "also where it denies", says(`"allowed":false,"patch":"W10="`), "", "", "received invalid webhook response: webhook returned response.patch but not response.patchType"},
		{"W-174", "type without patch", says(`"allowed":true,"patchType":"JSONPatch"`), "", "", "received invalid webhook response: webhook returned response.patchType but not response.patch"},
		{"W-174", "empty type", says(`"allowed":true,"patch":"W10=","patchType":""`), "", "", `received invalid webhook response: webhook returned invalid response.patchType of ""`},
		{"W-175", "a patch of a validating webhook", says(`"allowed":true,"patch":"W10=","patchType":"JSONPatch"`), trace.Validating, "", "received invalid webhook response: validating webhook may not return response.patch"},
		{"W-175", "a patch type of one", says(`"allowed":true,"patchType":""`), trace.Validating, "", "received invalid webhook response: validating webhook may not return response.patchType"},
		{"W-176", "beta knows no patch type", says(`"allowed":true,"patchType":"JSONPatch"`), "", "v1beta1", ""},
		{"W-176", "nor minds a patch when validating", says(`"allowed":true,"patch":"W3t9XQ=="`), trace.Validating, "v1beta1", ""},
		{"W-177", "the status of an allowed request", says(`"allowed":true,"status":{"code":500}`), "", "", ""},
		{"W-204", "an empty list", says(`"allowed":true,"patch":"W10=","patchType":"MergePatch"`), "", "", ""},
		{"W-204", "null", says(`"allowed":true,"patch":"bnVsbA==","patchType":"JSONPatch"`), "", "", ""},
		{"W-205", "no JSON", says(`"allowed":true,"patch":"bm90IGpzb24=","patchType":"JSONPatch"`), "", "", "received undecodable patch in webhook response: invalid character 'o' in literal null (expecting 'u')"},
		{"W-207", "another type", says(`"allowed":true,"patch":"W3t9XQ==","patchType":"MergePatch"`), "", "", `unsupported patch type "MergePatch"`},
		{"W-130", "no known version", says(`"allowed":true`), "", "v2", "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)"},
		{"W-144", "no connection", backendFunc(func(Call) Reply {
			return Reply{Err: fmt.Errorf("dial tcp 10.0.0.1:443: connect: connection refused")}
		}), "", "", `failed to call webhook: Post "https://hook.example` + pod + `": dial tcp 10.0.0.1:443: connect: connection refused`},
	} {
		t.Run(tt.rule+" "+tt.about, func(t *testing.T) {
			h := mutatingHook(tt.reply)
			if tt.phase != "" {
				h.Phase = tt.phase
			}
			if tt.accept != "" {
				h.ReviewVersions = []string{tt.accept}
			}
			o := callPod(t, h)
			if tt.want == "" {
				if o.Hook.Outcome != trace.Allowed || o.Hook.Denial != nil || o.Patch != nil {
					t.Fatalf("outcome %s (%s), denial %v, %d bytes of patch; want plain allowed", o.Hook.Outcome, o.Hook.Because, o.Hook.Denial, len(o.Patch))
				}
				return
			}
			if diff := cmp.Diff(internalError("h.example.com", tt.want), o.Hook.Denial); diff != "" {
				t.Errorf("denial under Fail (-want +got):\n%s", diff)
			}
			if o.Hook.Outcome != trace.Failed {
				t.Errorf("outcome under Fail: %s", o.Hook.Outcome)
			}

			o = callPod(t, ignoring(h))
			if o.Hook.Outcome != trace.FailedOpen || o.Hook.Denial != nil {
				t.Errorf("under Ignore: outcome %s, denial %v", o.Hook.Outcome, o.Hook.Denial)
			}
		})
	}
}

// internalError returns the denial of a call that failed (W-169).
func internalError(hook, reason string) *metav1.Status {
	text := fmt.Sprintf("failed calling webhook %q: %s", hook, reason)
	return &metav1.Status{
		Status:  "Failure",
		Code:    500,
		Reason:  "InternalError",
		Message: "Internal error occurred: " + text,
		Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Message: text}}},
	}
}

func TestRejections(t *testing.T) {
	for _, tt := range []struct {
		rule     string
		response string
		want     metav1.Status
	}{
		{"W-182", `"allowed":false`, metav1.Status{Code: 400, Message: " without explanation"}},
		{"W-177", `"status":{"message":"allowed is missing"}`, metav1.Status{Code: 400, Message: ": allowed is missing"}},
		{"W-180", `"allowed":false,"status":{"code":200,"message":"no"}`, metav1.Status{Code: 400, Message: ": no"}},
		{"W-180", `"allowed":false,"status":{"code":-5,"message":"no"}`, metav1.Status{Code: 400, Message: ": no"}},
		{"W-180", `"allowed":false,"status":{"code":600,"message":"no"}`, metav1.Status{Code: 600, Message: ": no"}},
		{"W-181", `"allowed":false,"status":{"status":"Success","message":"no"}`, metav1.Status{Code: 400, Message: ": no"}},
		{"W-182", `"allowed":false,"status":{"code":403}`, metav1.Status{Code: 403, Message: " without explanation"}},
		{"W-183", `"allowed":false,"status":{"reason":"NotFound"}`, metav1.Status{Code: 400, Reason: "NotFound", Message: ": NotFound"}},
		{"W-179, W-184", `"allowed":false,"status":{"kind":"Odd","metadata":{"resourceVersion":"5"},"details":{"name":"n","retryAfterSeconds":7}}`,
			metav1.Status{Code: 400, Message: " without explanation", ListMeta: metav1.ListMeta{ResourceVersion: "5"}, Details: &metav1.StatusDetails{Name: "n", RetryAfterSeconds: 7}}},
		{"W-177", `"allowed":false,"patch":"W3t9XQ==","patchType":"JSONPatch","status":{"message":"patched"}`, metav1.Status{Code: 400, Message: ": patched"}},
	} {
		t.Run(tt.rule+" "+tt.response, func(t *testing.T) {
			tt.want.Status = "Failure"
			tt.want.Message = `admission webhook "h.example.com" denied the request` + tt.want.Message
			o := callPod(t, ignoring(mutatingHook(says(tt.response)))) // the policy does not matter
			if diff := cmp.Diff(&tt.want, o.Hook.Denial); diff != "" {
				t.Errorf("denial (-want +got):\n%s", diff)
			}
			if o.Hook.Outcome != trace.Denied || o.Patch != nil {
				t.Errorf("outcome %s, %d bytes of patch", o.Hook.Outcome, len(o.Patch))
			}
		})
	}
}

func TestPatch(t *testing.T) {
	const ops = `[{"op":"add","path":"/metadata/labels","value":{}}]`
	const response = `"allowed":true,"patchType":"JSONPatch","patch":"W3sib3AiOiJhZGQiLCJwYXRoIjoiL21ldGFkYXRhL2xhYmVscyIsInZhbHVlIjp7fX1d"`
	o := callPod(t, mutatingHook(says(response)))
	if string(o.Patch) != ops || o.Hook.Outcome != trace.Allowed {
		t.Errorf("patch %s, outcome %s; want %s, allowed", o.Patch, o.Hook.Outcome, ops)
	}

	t.Run("W-206 there is nothing to change", func(t *testing.T) {
		request := podRequest()
		request.Operation = admissionv1.Delete
		review := reviewOf(request)
		review.ObjectJSON, review.OldObjectJSON = nil, review.ObjectJSON
		o, err := New(counter()).Call(t.Context(), ignoring(mutatingHook(says(strings.Replace(response, "JSONPatch", "Odd", 1)))), review)
		if err != nil {
			t.Fatal(err)
		}
		want := `Internal error occurred: admission webhook "h.example.com" attempted to modify the object, which is not supported for this operation`
		if o.Hook.Denial == nil || o.Hook.Denial.Message != want || o.Hook.Denial.Code != 500 || o.Patch != nil {
			t.Errorf("denial %v, %d bytes of patch; want 500 %s", o.Hook.Denial, len(o.Patch), want)
		}
	})
}

func TestWarningsAndAnnotations(t *testing.T) {
	const extra = `,"warnings":["w","",""],"auditAnnotations":{"b":"2","a.b":"1","bad key":"x","a/b":"x","":"x"}`
	for _, tt := range []struct {
		rule, response string
		outcome        trace.Outcome
	}{
		{"W-178", `"allowed":true` + extra, trace.Allowed},
		{"W-178", `"allowed":false` + extra, trace.Denied},
		{"W-186", `"allowed":true,"patch":"e30=","patchType":"JSONPatch"` + extra, trace.Failed},
	} {
		o := callPod(t, mutatingHook(says(tt.response)))
		if o.Hook.Outcome != tt.outcome {
			t.Errorf("%s: outcome %s, want %s", tt.rule, o.Hook.Outcome, tt.outcome)
		}
		if diff := cmp.Diff([]string{"w", "", ""}, o.Hook.Warnings); diff != "" {
			t.Errorf("%s: warnings (-want +got):\n%s", tt.rule, diff)
		}
		// without annotations whose key is not valid (W-248)
		want := []trace.Annotation{{Key: "h.example.com/a.b", Value: "1"}, {Key: "h.example.com/b", Value: "2"}}
		if diff := cmp.Diff(want, o.Hook.Annotations); diff != "" {
			t.Errorf("%s: annotations (-want +got):\n%s", tt.rule, diff)
		}
	}
}

// A failure policy that is not set is Fail (W-187).
func TestNoFailurePolicy(t *testing.T) {
	h := validatingHook(httpAnswer(500, "", ""))
	h.FailurePolicy = nil
	if o := callPod(t, h); o.Hook.Denial == nil || o.Hook.Denial.Code != 500 {
		t.Errorf("denial %v, want a 500", o.Hook.Denial)
	}
}

func TestFailedOpenAnnotation(t *testing.T) {
	h := ignoring(mutatingHook(sends("")))
	h.Index, h.Round = 2, 1
	want := []trace.Annotation{{Key: "failed-open.mutation.webhook.admission.k8s.io/round_1_index_2", Value: "h.example.com"}}
	if diff := cmp.Diff(want, callPod(t, h).Hook.Annotations); diff != "" {
		t.Errorf("W-246 (-want +got):\n%s", diff)
	}

	// a validating hook is counted among those that apply (W-242)
	h = ignoring(validatingHook(sends("")))
	h.Index = 7
	r := reviewOf(podRequest())
	outcomes, err := New(counter()).CallAll(t.Context(), []Hook{validatingHook(says(`"allowed":true`)), h}, []*Review{r, r})
	if err != nil {
		t.Fatal(err)
	}
	want = []trace.Annotation{{Key: "failed-open.validating.webhook.admission.k8s.io/round_0_index_1", Value: "h.example.com"}}
	if diff := cmp.Diff(want, outcomes[1].Hook.Annotations); diff != "" {
		t.Errorf("W-247 (-want +got):\n%s", diff)
	}
}

func TestDryRun(t *testing.T) {
	const unsupported = `admission webhook "h.example.com" does not support dry run`
	for _, tt := range []struct {
		rule    string
		effects *admissionregistrationv1.SideEffectClass
		outcome trace.Outcome
		called  bool
		code    int32
		message string
	}{
		{"W-191", new(admissionregistrationv1.SideEffectClassNone), trace.Allowed, true, 0, ""},
		{"W-191", new(admissionregistrationv1.SideEffectClassNoneOnDryRun), trace.Allowed, true, 0, ""},
		{"W-192", new(admissionregistrationv1.SideEffectClassSome), trace.Failed, false, 400, unsupported},
		{"W-192", new(admissionregistrationv1.SideEffectClassUnknown), trace.Failed, false, 400, unsupported},
		{"W-193", nil, trace.FailedOpen, false, 0, ""},
	} {
		h := ignoring(mutatingHook(says(`"allowed":true`)))
		h.SideEffects = tt.effects
		request := podRequest()
		request.DryRun = true
		o, err := New(counter()).Call(t.Context(), h, reviewOf(request))
		if err != nil {
			t.Fatal(err)
		}
		if o.Hook.Outcome != tt.outcome || o.Hook.Called != tt.called {
			t.Errorf("%s %v: outcome %s, called %t; want %s, %t", tt.rule, tt.effects, o.Hook.Outcome, o.Hook.Called, tt.outcome, tt.called)
		}
		if d := o.Hook.Denial; (tt.code != 0) != (d != nil) || d != nil && (d.Code != tt.code || d.Message != tt.message || d.Reason != "BadRequest") {
			t.Errorf("%s: denial %v, want %d %s", tt.rule, d, tt.code, tt.message)
		}
	}
}

func TestPanics(t *testing.T) {
	b := backendFunc(func(Call) Reply { return Reply{Panic: "ouch"} })
	o := callPod(t, validatingHook(b))
	const text = "ValidatingAdmissionWebhook/h.example.com has panicked: ouch"
	want := &metav1.Status{
		Status: "Failure", Code: 500, Reason: "InternalError", Message: "Internal error occurred: " + text,
		Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Message: text}}},
	}
	if diff := cmp.Diff(want, o.Hook.Denial); diff != "" {
		t.Errorf("W-240 under Fail (-want +got):\n%s", diff)
	}
	if o := callPod(t, ignoring(validatingHook(b))); o.Hook.Outcome != trace.FailedOpen || len(o.Hook.Annotations) != 1 {
		t.Errorf("W-240 under Ignore: outcome %s, annotations %v", o.Hook.Outcome, o.Hook.Annotations)
	}
	o = callPod(t, ignoring(mutatingHook(b)))
	if o.Hook.Denial == nil || o.Hook.Denial.Code != 500 || o.Hook.Denial.Message != "This request caused apiserver to panic. Look in the logs for details." {
		t.Errorf("W-190: denial %v", o.Hook.Denial)
	}
}

// A panic of a backend is not a panic of the server, so no failure policy may hide it. It propagates to the caller,
// even if the webhook was called concurrently with others.
func TestBackendPanics(t *testing.T) {
	h := ignoring(validatingHook(backendFunc(func(Call) Reply { panic("ouch") })))
	r := reviewOf(podRequest())
	for name, call := range map[string]func(){
		"alone":         func() { _, _ = New(counter()).Call(t.Context(), h, r) },
		"beside others": func() { _, _ = New(counter()).CallAll(t.Context(), []Hook{h, h, h}, []*Review{r, r, r}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if v := fmt.Sprint(recover()); !strings.HasPrefix(v, "ouch") {
					t.Errorf("panics with %q, want ouch", v)
				}
			}()
			call()
			t.Error("no panic")
		})
	}
}

// An unknown answer is not a verdict, whatever the failure policy says.
func TestNoAnswer(t *testing.T) {
	b, err := NewBackends()
	if err != nil {
		t.Fatal(err)
	}
	r := reviewOf(podRequest())
	h := ignoring(validatingHook(b.Backend("cfg", "h.example.com")))
	if _, err := New(counter()).Call(t.Context(), h, r); err == nil {
		t.Error("a webhook without a backend was given an outcome")
	}
	if _, err := New(counter()).CallAll(t.Context(), []Hook{h}, []*Review{r}); err == nil {
		t.Error("a webhook without a backend was given an outcome in CallAll")
	}
	h.Backend = nil
	if _, err := New(counter()).Call(t.Context(), h, r); err == nil {
		t.Error("a hook without a backend was given an outcome")
	}

	ctx, cancel := context.WithCancel(t.Context())
	h.Backend = backendFunc(func(Call) Reply { cancel(); return Reply{} })
	if _, err := New(counter()).Call(ctx, h, r); err == nil {
		t.Error("a cancelled call was given an outcome")
	}
}

func TestCallAll(t *testing.T) {
	const hooks = 50
	slow := func(latency time.Duration, response string) Backend {
		return backendFunc(func(c Call) Reply {
			r := says(response).Call(t.Context(), c)
			r.Latency = latency
			return r
		})
	}
	var all []Hook
	var reviews []*Review
	r := reviewOf(podRequest())
	for i := range hooks {
		h := validatingHook(slow(time.Duration(hooks-i/2)*time.Millisecond, `"allowed":false`))
		h.Name = fmt.Sprintf("h%d.example.com", i)
		all, reviews = append(all, h), append(reviews, r)
	}
	outcomes, err := New(counter()).CallAll(t.Context(), all, reviews)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range outcomes { // every hook was called and answered (W-237, W-239)
		if o.Hook.Name != all[i].Name || o.Hook.Outcome != trace.Denied {
			t.Errorf("outcome %d is for %s: %s", i, o.Hook.Name, o.Hook.Outcome)
		}
		if want := fmt.Sprintf(`"uid":"u%d"`, i+1); !strings.Contains(string(o.Hook.Calls[0].Review.Bytes()), want) {
			t.Errorf("hook %d: review lacks %s", i, want)
		}
	}
	var order []string
	for _, o := range ByCompletion(outcomes)[:4] {
		order = append(order, o.Hook.Name)
	}
	if diff := cmp.Diff([]string{"h48.example.com", "h49.example.com", "h46.example.com", "h47.example.com"}, order); diff != "" {
		t.Errorf("W-256: order of completion (-want +got):\n%s", diff)
	}
}
