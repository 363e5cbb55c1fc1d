package dispatch

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// answers decodes answers from JSON, as recordings have them.
func answers(t *testing.T, text string) []Answer {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	var list []Answer
	if err := d.Decode(&list); err != nil {
		t.Fatal(err)
	}
	return list
}

func mock(t *testing.T, text string) *Mock {
	t.Helper()
	m, err := NewMock(expression.New(kubeversion.Default()), answers(t, text)...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func aCall() Call {
	r := reviewOf(podRequest())
	r.ObjectJSON = Text(json.RawMessage(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"cart","labels":{"a":"1"}}}`))
	r.Object = &unstructured.Unstructured{Object: map[string]any{"kind": "Pod", "apiVersion": "v1", "metadata": map[string]any{"name": "cart"}}}
	return Call{Configuration: "cfg", Webhook: "h.example.com", Phase: trace.Mutating, UID: "u1", Version: v1, Review: r, URL: "https://hook.example/?timeout=10s"}
}

// The bodies of answers are those that the webhook would send.
func TestMockBodies(t *testing.T) {
	response := func(members string) string {
		return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u1"` + members + `}}`
	}
	encoded := func(patch string) string { return base64.StdEncoding.EncodeToString([]byte(patch)) }
	for _, tt := range []struct{ answer, want string }{
		{`{}`, response(`,"allowed":true`)},
		{`{"allow":false}`, response(`,"allowed":false`)},
		{`{"deny":{"code":403,"message":"no"}}`, response(`,"allowed":false,"status":{"metadata":{},"message":"no","code":403}`)},
		{`{"warnings":["w"],"auditAnnotations":{"k":"v"}}`, response(`,"allowed":true,"auditAnnotations":{"k":"v"},"warnings":["w"]`)},
		{`{"patch":[{"op":"remove","path":"/x"}]}`, response(`,"allowed":true,"patch":"` + encoded(`[{"op":"remove","path":"/x"}]`) + `","patchType":"JSONPatch"`)},
		{`{"patch":[],"patchType":"MergePatch"}`, response(`,"allowed":true,"patch":"W10=","patchType":"MergePatch"`)},
		{`{"patch":"not json"}`, response(`,"allowed":true,"patch":"` + encoded("not json") + `","patchType":"JSONPatch"`)},
		{`{"merge":{"metadata":{"labels":{"a":null,"b":"2"}}}}`, response(`,"allowed":true,"patch":"` + encoded(`[{"op":"remove","path":"/metadata/labels/a"},{"op":"add","path":"/metadata/labels/b","value":"2"}]`) + `","patchType":"JSONPatch"`)},
		{`{"merge":{"metadata":{"labels":{"a":"1"}}}}`, response(`,"allowed":true`)},
		{`{"response":{"allowed":true,"uid":"other"}}`, response(`,"allowed":true`)},
		{`{"response":{}}`, response(``)},
		{`{"response":{"allowed":true,"patch":[{"op":"test","path":""}]}}`, response(`,"allowed":true,"patch":"` + encoded(`[{"op":"test","path":""}]`) + `","patchType":"JSONPatch"`)},
		{`{"response":{"allowed":true,"patch":"W10=","patchType":"JSONPatch"}}`, response(`,"allowed":true,"patch":"W10=","patchType":"JSONPatch"`)},
		{`{"response":{"allowed":true,"patch":"W10="}}`, response(`,"allowed":true,"patch":"W10="`)},
		{`{"review":{"response":{"uid":"$uid"}}}`, `{"response":{"uid":"u1"}}`},
		{`{"raw":"$uid"}`, `$uid`},
		{`{"raw":""}`, ``},
		{`{"fault":"malformed"}`, `this is no AdmissionReview`},
		{`{"fault":"wronguid","allow":false}`, strings.Replace(response(`,"allowed":false`), "u1", "not-u1", 1)},
	} {
		r := mock(t, "["+tt.answer+"]").Call(t.Context(), aCall())
		if diff := cmp.Diff(tt.want, string(r.Body)); diff != "" || r.Err != nil || r.Status != 200 {
			t.Errorf("%s: status %d, error %v, body (-want +got):\n%s", tt.answer, r.Status, r.Err, diff)
		}
		if r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: Content-Type %q", tt.answer, r.Header.Get("Content-Type"))
		}
	}
}

// Requests other than AdmissionReviews, such as ConversionReviews, can only be answered in their own form.
func TestMockOfNoAdmissionReview(t *testing.T) {
	for _, tt := range []struct {
		answer, body string
		status       int // 0: no answer
	}{
		{`{"review":{"response":{"uid":"$uid"}}}`, `{"response":{"uid":"u1"}}`, 200},
		{`{"raw":"x"}`, "x", 200},
		{`{"http":500}`, "", 500},
		{`{}`, "", 0},
		{`{"merge":{"a":"b"}}`, "", 0},
		{`{"when":"true"}`, "", 0},
	} {
		c := aCall()
		c.Review = nil
		r := mock(t, "["+tt.answer+"]").Call(t.Context(), c)
		failed := (*AnswerError)(nil)
		if string(r.Body) != tt.body || r.Status != tt.status || errors.As(r.Err, &failed) != (tt.status == 0) {
			t.Errorf("%s: status %d, %s, %v; want %d, %s", tt.answer, r.Status, r.Body, r.Err, tt.status, tt.body)
		}
	}
	c := aCall()
	c.Review = nil
	if r := new(Mock).Call(t.Context(), c); !errors.As(r.Err, new(*NoAnswerError)) {
		t.Errorf("a mock without answers: %v", r.Err)
	}
}

func TestMockHTTP(t *testing.T) {
	r := mock(t, `[{"http":503,"raw":"busy","headers":{"retry-after":"1","content-type":"text/plain"},"delay":"300ms"}]`).Call(t.Context(), aCall())
	want := Reply{
		Status:  503,
		Header:  http.Header{"Retry-After": {"1"}, "Content-Type": {"text/plain"}},
		Body:    []byte("busy"),
		Latency: 300 * time.Millisecond,
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// With some statuses a server sends no body, whatever the webhook writes.
func TestMockWithoutBody(t *testing.T) {
	for _, answer := range []string{`{"http":204,"raw":"x"}`, `{"http":204}`, `{"http":304,"review":{}}`} {
		if r := mock(t, "["+answer+"]").Call(t.Context(), aCall()); len(r.Body) > 0 || r.Err != nil {
			t.Errorf("%s: body %q, error %v", answer, r.Body, r.Err)
		}
	}
}

// The answer of a mock has the version of the review.
func TestMockBeta(t *testing.T) {
	h := mutatingHook(mock(t, `[{}]`))
	h.ReviewVersions = []string{"v1beta1"}
	if o := callPod(t, h); o.Hook.Outcome != trace.Allowed {
		t.Errorf("outcome %s: %s", o.Hook.Outcome, o.Hook.Because)
	}
}

// Each fault has the server's error message.
func TestFaults(t *testing.T) {
	far := admissionregistrationv1.WebhookClientConfig{Service: &admissionregistrationv1.ServiceReference{Namespace: "ns", Name: "svc"}}
	near := admissionregistrationv1.WebhookClientConfig{URL: new("https://127.0.0.1:8443/x")}
	const post = `failed to call webhook: Post "https://svc.ns.svc:443/?timeout=10s": `
	const postNear = `failed to call webhook: Post "https://127.0.0.1:8443/x?timeout=10s": `
	for _, tt := range []struct {
		fault  Fault
		client admissionregistrationv1.WebhookClientConfig
		want   string
		took   time.Duration
	}{
		{Refuse, far, post + "dial tcp svc.ns.svc:443: connect: connection refused", 0},
		{Refuse, near, postNear + "dial tcp 127.0.0.1:8443: connect: connection refused", 0},
		{Refuse, admissionregistrationv1.WebhookClientConfig{URL: new("https://far.example")}, `failed to call webhook: Post "https://far.example/?timeout=10s": dial tcp far.example:443: connect: connection refused`, 0},
		{BadCA, far, post + "tls: failed to verify certificate: x509: certificate signed by unknown authority", 0},
		{Close, far, post + "EOF", 0},
		{Close, near, postNear + "stream error: stream ID 1; INTERNAL_ERROR; received from peer", 0},
		{Hang, far, post + "context deadline exceeded", 10 * time.Second},
		{Malformed, far, `failed to call webhook: couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`, 0},
		{WrongUID, far, `received invalid webhook response: expected response.uid="u1", got "not-u1"`, 0},
	} {
		m, err := NewMock(nil, Answer{Fault: tt.fault})
		if err != nil {
			t.Fatal(err)
		}
		h := validatingHook(m)
		h.Client = tt.client
		o := callPod(t, h)
		if diff := cmp.Diff(internalError("h.example.com", tt.want), o.Hook.Denial); diff != "" || o.Hook.Duration != tt.took {
			t.Errorf("%s: took %v, want %v; denial (-want +got):\n%s", tt.fault, o.Hook.Duration, tt.took, diff)
		}
	}
	m, err := NewMock(nil, Answer{Fault: PanicFault})
	if err != nil {
		t.Fatal(err)
	}
	if o := callPod(t, validatingHook(m)); o.Hook.Denial == nil || !strings.Contains(o.Hook.Denial.Message, "has panicked") {
		t.Errorf("panic: denial %v", o.Hook.Denial)
	}
}

func TestMockChooses(t *testing.T) {
	denials := func(m *Mock, numbers ...int) string {
		var got []string
		for _, n := range numbers {
			c := aCall()
			c.Number = n
			r := m.Call(t.Context(), c)
			if unknown := (*NoAnswerError)(nil); errors.As(r.Err, &unknown) {
				got = append(got, "unknown")
				continue
			}
			var review struct {
				Response struct{ Status metav1.Status }
			}
			if err := json.Unmarshal(r.Body, &review); err != nil {
				t.Fatal(err)
			}
			got = append(got, review.Response.Status.Message)
		}
		return strings.Join(got, " ")
	}
	for _, tt := range []struct {
		about, answers, want string
		unused               []int
	}{
		{"in turn, the last one repeats", `[{"deny":{"message":"a"}},{"deny":{"message":"b"}}]`, "a b b", nil},
		{"the first condition that holds", `[{"deny":{"message":"a"},"when":"request.operation == 'DELETE'"},{"deny":{"message":"b"},"when":"object.metadata.name == 'cart'"},{"deny":{"message":"c"},"when":"true"}]`, "b b b", []int{0, 2}},
		{"conditions before counting", `[{"deny":{"message":"a"}},{"deny":{"message":"b"}},{"deny":{"message":"c"},"when":"call == 2"}]`, "a c b", nil},
		{"no condition holds", `[{"deny":{"message":"a"},"when":"call == 1"}]`, "a unknown unknown", nil},
		{"a condition that fails", `[{"when":"object.nothing == 1"}]`, "unknown unknown unknown", []int{0}},
	} {
		m := mock(t, tt.answers)
		if got := denials(m, 0, 1, 2); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.about, got, tt.want)
		}
		if diff := cmp.Diff(tt.unused, m.Unused()); diff != "" {
			t.Errorf("%s: unused (-want +got):\n%s", tt.about, diff)
		}
	}
	if got := denials(mock(t, `[]`), 0); got != "" {
		t.Errorf("a mock without answers: %s", got)
	}
}

// On DELETE there is no object that a merge patch could apply to. The author of the mock gets an error.
func TestMergeWithoutObject(t *testing.T) {
	c := aCall()
	c.Review.ObjectJSON = nil
	r := mock(t, `[{"merge":{}}]`).Call(t.Context(), c)
	if unknown := (*NoAnswerError)(nil); !errors.As(r.Err, &unknown) {
		t.Errorf("error %v", r.Err)
	}
}

func TestMockIsSafe(t *testing.T) {
	m := mock(t, `[{"when":"call == 9"},{"merge":{"a":1}},{}]`)
	var running sync.WaitGroup
	for n := range 20 {
		running.Go(func() {
			c := aCall()
			c.Number = n % 2
			if r := m.Call(t.Context(), c); r.Err != nil {
				t.Error(r.Err)
			}
		})
	}
	running.Wait()
	if diff := cmp.Diff([]int{0}, m.Unused()); diff != "" {
		t.Errorf("unused (-want +got):\n%s", diff)
	}
}

func TestBadAnswers(t *testing.T) {
	for _, tt := range []struct{ answer, want string }{
		{`{"raw":"x","review":{}}`, "review and raw exclude each other"},
		{`{"allow":true,"response":{}}`, "allow, deny, patch, merge, warnings, auditAnnotations and response exclude each other"},
		{`{"allow":true,"deny":{}}`, "allow: true and deny exclude each other"},
		{`{"patch":[],"merge":{}}`, "patch and merge exclude each other"},
		{`{"merge":{},"patchType":"JSONPatch"}`, "merge and patchType exclude each other: it is always sent as a JSONPatch"},
		{`{"patch":{}}`, "patch: want a list of operations"},
		{`{"response":{"patch":{}}}`, "response: patch: want a list of operations"},
		{`{"response":[]}`, "response: want an object, as in an AdmissionReview"},
		{`{"fault":"hangs"}`, `fault: "hangs" is unknown, want one of refuse, badca, close, hang, malformed, wronguid, panic`},
		{`{"fault":"hang","raw":"x"}`, "fault hang leaves no room for raw"},
		{`{"http":7}`, "http: 7 is no status"},
		{`{"delay":"-1s"}`, "delay: -1s is in the past"},
		{`{"when":"objekt == 1"}`, "when: "},
	} {
		_, err := NewMock(expression.New(kubeversion.Default()), answers(t, "[{},"+tt.answer+"]")...)
		if err == nil || !strings.HasPrefix(err.Error(), "answer 2: "+tt.want) {
			t.Errorf("%s: error %v, want answer 2: %s", tt.answer, err, tt.want)
		}
	}
}

func TestBackends(t *testing.T) {
	one, two, three := new(Mock), new(Mock), new(Mock)
	b, err := NewBackends(
		Route{Webhook: "cfg/exact.example.com", Backend: one, At: "mocks.yaml:4"},
		Route{Webhook: "*.example.com", Backend: two},
		Route{Webhook: "istio-*/*", Backend: three},
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		configuration, webhook string
		want                   Backend
	}{
		{"cfg", "exact.example.com", one},
		{"other", "exact.example.com", two},
		{"cfg", "more.example.com", two},
		{"istio-main", "h.istio.io", three},
		{"kyverno", "h.kyverno.svc", nil},
	} {
		got := b.Backend(tt.configuration, tt.webhook)
		reply := Reply{}
		if _, is := got.(noBackend); is {
			reply = got.Call(t.Context(), Call{Configuration: tt.configuration, Webhook: tt.webhook})
			got = nil
		}
		if got != tt.want {
			t.Errorf("%s/%s has another backend", tt.configuration, tt.webhook)
		}
		nobody := (*NoBackendError)(nil)
		if tt.want == nil && (!errors.As(reply.Err, &nobody) || len(nobody.Known) != 3) {
			t.Errorf("%s/%s: %v", tt.configuration, tt.webhook, reply.Err)
		}
	}
	for _, bad := range []string{"a/b/c", "[", "a/["} {
		if _, err := NewBackends(Route{Webhook: bad, Backend: one}); err == nil {
			t.Errorf("pattern %q was accepted", bad)
		}
	}
}
