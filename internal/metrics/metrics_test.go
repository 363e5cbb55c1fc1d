package metrics_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/metrics"
	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// page returns the lines of /metrics that begin with apiserver_ and one of the words, without buckets and sums.
func page(m *metrics.Metrics, words ...string) (lines []string) {
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for line := range strings.Lines(w.Body.String()) {
		line = strings.TrimSpace(line)
		isCount := !strings.Contains(line, `le="`) && !strings.Contains(line, "_sum{")
		if isCount && slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(line, "apiserver_"+word) }) {
			lines = append(lines, strings.TrimPrefix(line, "apiserver_"))
		}
	}
	return lines
}

func released(t *testing.T, version string) *kubeversion.Release {
	t.Helper()
	r, err := kubeversion.Parse(version)
	if err != nil {
		t.Fatal(errors.Join(errors.New(version), err))
	}
	return r
}

// create returns the answer to the creation of a ConfigMap with these steps of admission.
func create(t testing.TB, r *kubeversion.Release, steps ...trace.Step) *serve.Answered {
	t.Helper()
	sim, err := simulator.New(simulator.Options{Release: r})
	if err != nil {
		t.Fatal(err)
	}
	of := trace.Admission{Request: admission.Request{Operation: admissionv1.Create}, Steps: steps}
	return &serve.Answered{
		HTTP: httptest.NewRequest(http.MethodPost, "/api/v1/namespaces/shop/configmaps?dryRun=All", nil), Verb: rest.Create, Found: sim, Code: 201,
		Request:          rest.Request{Verb: rest.Create, Resource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Namespace: "shop"},
		Result:           &simulator.Result{Response: rest.Response{Admissions: []trace.Admission{of}}},
		AuditAnnotations: map[string]string{"authorization.k8s.io/decision": "allow"},
	}
}

// Requests that only read what the caches of the server do not have are counted as any other, with the labels that a
// kube-apiserver 1.37.2 has.
func TestLookups(t *testing.T) {
	r := released(t, "1.37")
	m := metrics.New(r)
	a := create(t, r)
	a.Result.Sent = []trace.Sent{
		{Verb: "list", Resource: schema.GroupVersionResource{Version: "v1", Resource: "limitranges"}, Namespace: "shop", Code: 200},
		{Verb: "get", Resource: schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, Name: "shop", Code: 404},
	}
	m.Answered(a)
	want := []string{
		`request_total{code="200",component="apiserver",dry_run="",group="",resource="limitranges",scope="namespace",subresource="",verb="LIST",version="v1"} 1`,
		`request_total{code="201",component="apiserver",dry_run="All",group="",resource="configmaps",scope="resource",subresource="",verb="POST",version="v1"} 1`,
		`request_total{code="404",component="apiserver",dry_run="",group="",resource="namespaces",scope="resource",subresource="",verb="GET",version="v1"} 1`,
	}
	if diff := cmp.Diff(want, page(m, "request_total")); diff != "" {
		t.Errorf("the metrics differ (-want +got):\n%s", diff)
	}
}

// The labels and numbers are those that a kube-apiserver 1.37.2 has after the same calls.
func TestWebhooks(t *testing.T) {
	denied := &metav1.Status{Code: 403}
	hooks := []trace.Hook{
		{Name: "allows", Outcome: trace.Allowed, Called: true, Calls: []trace.Call{{Status: 200}}},
		{Name: "denies", Outcome: trace.Denied, Called: true, Denial: denied},
		{Name: "denies-oddly", Outcome: trace.Denied, Called: true, Denial: &metav1.Status{Code: 700}},
		{Name: "refuses", Outcome: trace.Failed, Called: true, Calls: []trace.Call{{Error: "refused"}}},
		{Name: "is-broken", Outcome: trace.FailedOpen, Called: true, Calls: []trace.Call{{Status: 502}}},
		{Name: "patches-badly", Outcome: trace.Failed, Called: true, PatchFault: "remove", Calls: []trace.Call{{Status: 200}}},
		{Name: "skips", Outcome: trace.Skipped, Decided: trace.Criterion{Part: trace.MatchConditions, Condition: "c"}},
		{Name: "fails", Outcome: trace.Skipped, Decided: trace.Criterion{Part: trace.MatchConditions, Failed: true}, Expressions: []trace.Expression{{Field: "matchConditions[0].expression", Error: "no such key"}}},
		{Name: "others", Outcome: trace.Skipped, Decided: trace.Criterion{Part: trace.Rules}},
	}
	r := released(t, "1.37")
	m := metrics.New(r)
	m.Answered(create(t, r,
		trace.Step{Phase: trace.Mutating, Plugin: "MutatingAdmissionWebhook", Outcome: trace.Changed, Hooks: hooks[:1]},
		trace.Step{Phase: trace.Validating, Plugin: "ValidatingAdmissionWebhook", Outcome: trace.Denied, Hooks: hooks[1:]},
	))
	want := strings.Split(strings.TrimSpace(`
admission_controller_admission_duration_seconds_count{name="MutatingAdmissionWebhook",operation="CREATE",rejected="false",type="admit"} 1
admission_controller_admission_duration_seconds_count{name="ValidatingAdmissionWebhook",operation="CREATE",rejected="true",type="validate"} 1
admission_match_condition_evaluation_errors_total{kind="webhook",name="fails",operation="CREATE",type="validating"} 1
admission_match_condition_evaluation_seconds_count{kind="webhook",name="fails",operation="CREATE",type="validating"} 1
admission_match_condition_evaluation_seconds_count{kind="webhook",name="skips",operation="CREATE",type="validating"} 1
admission_match_condition_exclusions_total{kind="webhook",name="skips",operation="CREATE",type="validating"} 1
admission_step_admission_duration_seconds_count{operation="CREATE",rejected="false",type="admit"} 1
admission_step_admission_duration_seconds_count{operation="CREATE",rejected="true",type="validate"} 1
admission_step_admission_duration_seconds_summary_count{operation="CREATE",rejected="false",type="admit"} 1
admission_step_admission_duration_seconds_summary_count{operation="CREATE",rejected="true",type="validate"} 1
admission_webhook_admission_duration_seconds_count{name="allows",operation="CREATE",rejected="false",type="admit"} 1
admission_webhook_admission_duration_seconds_count{name="denies",operation="CREATE",rejected="true",type="validating"} 1
admission_webhook_admission_duration_seconds_count{name="denies-oddly",operation="CREATE",rejected="true",type="validating"} 1
admission_webhook_admission_duration_seconds_count{name="is-broken",operation="CREATE",rejected="false",type="validating"} 1
admission_webhook_admission_duration_seconds_count{name="patches-badly",operation="CREATE",rejected="true",type="validating"} 1
admission_webhook_admission_duration_seconds_count{name="refuses",operation="CREATE",rejected="true",type="validating"} 1
admission_webhook_fail_open_count{name="is-broken",type="validating"} 1
admission_webhook_rejection_count{error_type="apiserver_internal_error",name="patches-badly",operation="CREATE",rejection_code="0",type="validating"} 1
admission_webhook_rejection_count{error_type="calling_webhook_error",name="refuses",operation="CREATE",rejection_code="503",type="validating"} 1
admission_webhook_rejection_count{error_type="no_error",name="denies",operation="CREATE",rejection_code="403",type="validating"} 1
admission_webhook_rejection_count{error_type="no_error",name="denies-oddly",operation="CREATE",rejection_code="600",type="validating"} 1
admission_webhook_request_total{code="0",name="patches-badly",operation="CREATE",rejected="true",type="validating"} 1
admission_webhook_request_total{code="200",name="allows",operation="CREATE",rejected="false",type="admit"} 1
admission_webhook_request_total{code="403",name="denies",operation="CREATE",rejected="true",type="validating"} 1
admission_webhook_request_total{code="502",name="is-broken",operation="CREATE",rejected="false",type="validating"} 1
admission_webhook_request_total{code="503",name="refuses",operation="CREATE",rejected="true",type="validating"} 1
admission_webhook_request_total{code="600",name="denies-oddly",operation="CREATE",rejected="true",type="validating"} 1`), "\n")
	if diff := cmp.Diff(want, page(m, "admission")); diff != "" {
		t.Errorf("the metrics of admission (-want +got):\n%s", diff)
	}
	want = []string{
		`request_duration_seconds_count{component="apiserver",dry_run="All",group="",resource="configmaps",scope="resource",subresource="",verb="POST",version="v1"} 1`,
		`request_total{code="201",component="apiserver",dry_run="All",group="",resource="configmaps",scope="resource",subresource="",verb="POST",version="v1"} 1`,
	}
	if diff := cmp.Diff(want, page(m, "request")); diff != "" {
		t.Errorf("the metrics of requests (-want +got):\n%s", diff)
	}
}

// Requests are counted by their methods, except where one method has several verbs.
func TestMethods(t *testing.T) {
	r := released(t, "1.37")
	for _, tt := range []struct{ method, verb, name, subresource, content, want string }{
		{http.MethodGet, "get", "a", "", "", "GET"},
		{http.MethodGet, "list", "", "", "", "LIST"},
		{http.MethodGet, "watch", "", "", "", "WATCH"},
		{http.MethodHead, "get", "a", "", "", "GET"},
		{http.MethodHead, "list", "", "", "", "LIST"},
		{http.MethodDelete, "deletecollection", "", "", "", "DELETE"},
		{http.MethodPut, "update", "a", "", "", "PUT"},
		{http.MethodPatch, "patch", "a", "", "application/merge-patch+json", "PATCH"},
		{http.MethodPatch, "patch", "a", "", "application/apply-patch+yaml", "APPLY"},
		{http.MethodGet, "get", "a", "exec", "", "CONNECT"},
		{http.MethodOptions, "", "a", "", "", "other"},
	} {
		m, a := metrics.New(r), create(t, r)
		a.HTTP = httptest.NewRequest(tt.method, "/", nil)
		a.HTTP.Header.Set("Content-Type", tt.content)
		a.Verb, a.Request.Name, a.Request.Subresource = tt.verb, tt.name, tt.subresource
		m.Answered(a)
		if got := page(m, "request_total"); len(got) != 1 || !strings.Contains(got[0], `verb="`+tt.want+`"`) {
			t.Errorf("%s %s is counted as %q, want %s", tt.method, tt.verb, got, tt.want)
		}
	}
}

// Documents are counted under the name that the server has for them, as by a kube-apiserver 1.37.2.
func TestDocuments(t *testing.T) {
	m := metrics.New(released(t, "1.37"))
	for _, one := range []struct {
		method, path string
		code         int
		annotations  map[string]string
		document     *serve.Counted
	}{
		{method: "GET", path: "/healthz?dryRun=x", code: 200, document: &serve.Counted{Subresource: "/healthz"}},
		{method: "DELETE", path: "/livez", code: 200, document: &serve.Counted{Subresource: "/livez"}},
		{method: "GET", path: "/apis", code: 304, document: &serve.Counted{Subresource: "apis", Component: "apiserver"}},
		{method: "GET", path: "/version", code: 200},
		{method: "HEAD", path: "/statusz", code: 200, document: &serve.Counted{Resource: "statusz", Component: "apiserver"}},
		{method: "FOO", path: "/statusz", code: 406, document: &serve.Counted{Resource: "statusz", Component: "apiserver"}},
		{method: "GET", path: "/flagz", code: 200, annotations: map[string]string{"k8s.io/deprecated": "true"},
			document: &serve.Counted{Group: "config.k8s.io", Version: "v1alpha1", Resource: "flagz", Component: "apiserver"}},
		{method: "GET", path: "/flagz", code: 403, annotations: map[string]string{"authorization.k8s.io/decision": "forbid"}},
	} {
		a := create(t, released(t, "1.37"))
		a.HTTP, a.Verb, a.Code, a.Document = httptest.NewRequest(one.method, one.path, nil), strings.ToLower(one.method), one.code, one.document
		a.Request, a.Result = rest.Request{}, nil
		maps.Copy(a.AuditAnnotations, one.annotations)
		m.Answered(a)
	}
	want := []string{
		`request_total{code="200",component="",dry_run="",group="",resource="",scope="",subresource="/livez",verb="DELETE",version=""} 1`,
		`request_total{code="200",component="",dry_run="invalid",group="",resource="",scope="",subresource="/healthz",verb="GET",version=""} 1`,
		`request_total{code="200",component="apiserver",dry_run="",group="",resource="statusz",scope="",subresource="",verb="GET",version=""} 1`,
		`request_total{code="200",component="apiserver",dry_run="",group="config.k8s.io",resource="flagz",scope="",subresource="",verb="GET",version="v1alpha1"} 1`,
		`request_total{code="304",component="apiserver",dry_run="",group="",resource="",scope="",subresource="apis",verb="GET",version=""} 1`,
		`request_total{code="406",component="apiserver",dry_run="",group="",resource="statusz",scope="",subresource="",verb="other",version=""} 1`,
		`requested_deprecated_apis{group="config.k8s.io",removed_release="",resource="flagz",subresource="",version="v1alpha1"} 1`,
	}
	if diff := cmp.Diff(want, page(m, "request_total{", "requested_deprecated_apis{")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Requests that authorizers refuse are not counted, as by the server.
func TestRefusedRequests(t *testing.T) {
	r := released(t, "1.37")
	m := metrics.New(r)
	a := create(t, r)
	a.AuditAnnotations["authorization.k8s.io/decision"] = "forbid"
	m.Answered(a)
	if got := page(m, "request"); len(got) > 0 {
		t.Errorf("the metrics are %q, want none", got)
	}
}

// Older releases describe metrics in other words, and have fewer.
func TestReleases(t *testing.T) {
	for _, tt := range []struct{ version, words, want string }{
		{"1.37", "admission_webhook_request_total", `admission_webhook_request_total{code="503",name="w",operation="CREATE",rejected="true",type="validating"} 1`},
		{"1.22", "admission_webhook_request_total", ""},
		{"1.22", "admission_webhook_rejection_count", `admission_webhook_rejection_count{error_type="calling_webhook_error",name="w",operation="CREATE",rejection_code="503",type="validating"} 1`},
		{"1.15", "admission_webhook_rejection_count", ""},
	} {
		r := released(t, tt.version)
		m := metrics.New(r)
		m.Answered(create(t, r, trace.Step{Phase: trace.Validating, Plugin: "ValidatingAdmissionWebhook", Outcome: trace.Failed, Hooks: []trace.Hook{{Name: "w", Outcome: trace.Failed, Called: true}}}))
		if got := strings.Join(page(m, tt.words), "\n"); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.version, got, tt.want)
		}
	}
	for version, want := range map[string]string{"1.37": "[STABLE] Admission controller", "1.20": "[ALPHA] Admission controller", "1.15": "Admission controller"} {
		r := released(t, version)
		m := metrics.New(r)
		m.Answered(create(t, r, trace.Step{Phase: trace.Mutating, Plugin: "LimitRanger", Outcome: trace.Allowed}))
		w := httptest.NewRecorder()
		m.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		if want = "# HELP apiserver_admission_controller_admission_duration_seconds " + want; !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: the page has no %q", version, want)
		}
	}
}

// The buckets of durations, and what descriptions say about labels, are those of the release.
func TestDetailsOfReleases(t *testing.T) {
	for _, tt := range []struct {
		version string
		buckets int
		types   string // in two descriptions; empty: the release does not have them
	}{
		{"1.22", 37, ""},
		{"1.24", 21, "(validating or mutating)"},
		{"1.25", 23, "(validating or mutating)"},
		{"1.31", 23, "(validating or mutating)"},
		{"1.32", 23, "(validating or admit)"},
	} {
		r := released(t, tt.version)
		m := metrics.New(r)
		a := create(t, r, trace.Step{Phase: trace.Validating, Plugin: "ValidatingAdmissionWebhook", Outcome: trace.FailedOpen, Hooks: []trace.Hook{{Name: "w", Outcome: trace.FailedOpen, Called: true}}})
		m.Answered(a)
		w := httptest.NewRecorder()
		m.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		if got := strings.Count(w.Body.String(), "apiserver_request_duration_seconds_bucket{") - 1; got != tt.buckets {
			t.Errorf("%s: %d buckets, want %d", tt.version, got, tt.buckets)
		}
		for _, text := range []string{"Admission webhook fail open count, identified by name and broken out for each admission type " + tt.types + ".", "Admission webhook request total, identified by name and broken out for each admission type " + tt.types + " and operation."} {
			if strings.Contains(w.Body.String(), text) != (tt.types != "") {
				t.Errorf("%s: %q on the page is not what is wanted:\n%s", tt.version, text, w.Body.String())
			}
		}
	}
}

// In 1.26, bindings do not say what they do about a failed validation, which is a denial.
func TestPoliciesWithoutActions(t *testing.T) {
	r := released(t, "1.26")
	m := metrics.New(r)
	a := create(t, r, trace.Step{Phase: trace.Validating, Plugin: "ValidatingAdmissionPolicy", Outcome: trace.Denied, Hooks: []trace.Hook{{
		Configuration: "p", Name: "b", Outcome: trace.Denied, Expressions: []trace.Expression{{Field: "validations[0].expression", Message: "no"}},
	}}})
	binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: "b"}}
	binding.SetGroupVersionKind(admissionregistrationv1.SchemeGroupVersion.WithKind("ValidatingAdmissionPolicyBinding"))
	var err error
	if a.Found, err = a.Found.With(cluster.New(cluster.Object{Object: binding})); err != nil {
		t.Fatal(err)
	}
	m.Answered(a)
	want := []string{`validating_admission_policy_check_total{enforcement_action="deny",policy="p",policy_binding="b",state="active"} 1`}
	if diff := cmp.Diff(want, page(m, "validating_admission_policy_check_total")); diff != "" {
		t.Errorf("the checks of the policy (-want +got):\n%s", diff)
	}
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if want := "labeled by policy and further identified by binding, enforcement action taken, and state.\n"; !strings.Contains(w.Body.String(), want) {
		t.Errorf("the description of checks does not say %q", want)
	}
}

// What static manifests contain is known by its hash, and only the latest is there.
func TestReloads(t *testing.T) {
	m := metrics.New(released(t, "1.37"))
	const plugin = "ValidatingAdmissionPolicy"
	m.Reloaded(plugin, []byte("a"))
	m.NotReloaded(plugin)
	m.Reloaded(plugin, []byte("b"))
	got := page(m, "manifest_admission_config_controller_automatic_reloads_total", "manifest_admission_config_controller_last_config_info")
	const id = "sha256:af3c07f5139604e5ae196580961053556b558184901429c627057c359498a936"
	want := []string{
		fmt.Sprintf(`manifest_admission_config_controller_automatic_reloads_total{apiserver_id_hash=%q,plugin=%q,status="failure"} 1`, id, plugin),
		fmt.Sprintf(`manifest_admission_config_controller_automatic_reloads_total{apiserver_id_hash=%q,plugin=%q,status="success"} 2`, id, plugin),
		fmt.Sprintf(`manifest_admission_config_controller_last_config_info{apiserver_id_hash=%q,hash="sha256:3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d",plugin=%q} 1`, id, plugin),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the metrics of manifests (-want +got):\n%s", diff)
	}
}

// Health checks are counted on a page of their own, with the words of servers of 1.27.8, 1.28.15, 1.30.14 and 1.37.2.
func TestSLIs(t *testing.T) {
	for version, want := range map[string]struct {
		level string
		start bool
	}{"1.27": {"ALPHA", false}, "1.28": {"BETA", true}, "1.30": {"STABLE", true}} {
		m := metrics.New(released(t, version))
		page := func(method string) string {
			w := httptest.NewRecorder()
			m.ServeHTTP(w, httptest.NewRequest(method, "/metrics/slis", nil))
			return w.Body.String()
		}
		ask := httptest.NewRequest(http.MethodGet, "/livez", nil)
		for range 2 {
			m.Answered(&serve.Answered{HTTP: ask, Found: found(t, version), Code: 200, Checked: &serve.Checked{Endpoint: "livez", Names: []string{"ping", "etcd"}}})
		}
		text, start, hasStart := strings.Cut(page(http.MethodGet), "# HELP process_start_time_seconds [ALPHA] Start time of the process since unix epoch in seconds.\n")
		const counted = `# HELP kubernetes_healthcheck [LEVEL] This metric records the result of a single healthcheck.
# TYPE kubernetes_healthcheck gauge
kubernetes_healthcheck{name="etcd",type="livez"} 1
kubernetes_healthcheck{name="ping",type="livez"} 1
# HELP kubernetes_healthchecks_total [LEVEL] This metric records the results of all healthcheck.
# TYPE kubernetes_healthchecks_total counter
kubernetes_healthchecks_total{name="etcd",status="success",type="livez"} 2
kubernetes_healthchecks_total{name="ping",status="success",type="livez"} 2
`
		if diff := cmp.Diff(strings.ReplaceAll(counted, "LEVEL", want.level), text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", version, diff)
		}
		if hasStart != want.start || hasStart && !strings.HasPrefix(start, "# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds 1.") {
			t.Errorf("%s: the start is said to be %q", version, start)
		}
		if got := page(http.MethodDelete); got != "metrics reset\n" {
			t.Errorf("%s: a reset is answered with %q", version, got)
		}
		if got := page(http.MethodGet); got != "" {
			t.Errorf("%s: after a reset, there is %q", version, got)
		}
	}
}

// found returns a simulator of a release.
func found(t *testing.T, version string) *simulator.Simulator {
	t.Helper()
	sim, err := simulator.New(simulator.Options{Release: released(t, version)})
	if err != nil {
		t.Fatal(err)
	}
	return sim
}

// A DELETE resets all metrics with labels, up to 1.18 only those about requests. They count from zero again.
func TestReset(t *testing.T) {
	for version, left := range map[string]int{"1.37": 0, "1.19": 0, "1.18": 1} {
		r := released(t, version)
		m := metrics.New(r)
		step := trace.Step{Phase: trace.Validating, Plugin: "AlwaysDeny", Outcome: trace.Allowed}
		m.Answered(create(t, r, step))
		w := httptest.NewRecorder()
		m.ServeHTTP(w, httptest.NewRequest(http.MethodDelete, "/metrics", nil))
		if w.Body.String() != "metrics reset\n" || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%s: a reset is answered with %q as %s", version, w.Body, w.Header().Get("Content-Type"))
		}
		if got := page(m, "request_total"); len(got) > 0 {
			t.Errorf("%s: after a reset, there is %q", version, got)
		}
		const plugins = "admission_controller_admission_duration_seconds_count"
		if got := page(m, plugins); len(got) != left {
			t.Errorf("%s: after a reset, there is %q", version, got)
		}
		m.Answered(create(t, r, step))
		if got, want := page(m, plugins), fmt.Sprint(left+1); len(got) != 1 || !strings.HasSuffix(got[0], want) {
			t.Errorf("%s: later there is %q, want %s", version, got, want)
		}
	}
}
