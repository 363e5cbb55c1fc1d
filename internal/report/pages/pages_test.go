package pages

import (
	"bytes"
	"encoding/json"
	"html"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/reporttest"
	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/whatif/diff"
	"github.com/admsim/admsim/internal/whatif/outage"
	"github.com/admsim/admsim/internal/whatif/trouble"
)

// pages returns a page of each command, by name, with everything that it may contain.
func pages(t testing.TB) map[string]string {
	t.Helper()
	return map[string]string{
		"run":     pageOf(t, reporttest.Answers(t, reporttest.Pods)),
		"run -v":  pageIn(t, reporttest.Answers(t, reporttest.Pods), document.Options{Verbose: true}, document.Reviews),
		"test":    suitesPage(t, reporttest.Results(t)),
		"diff":    diffPage(t, differences().Document("as it is", "as it would be <b>"), nil),
		"outage":  whatifPage(t, outages().Document("what a cluster needs <b>")),
		"check":   whatifPage(t, checked()),
		"latency": whatifPage(t, delayed()),
		"replay":  replayPageOf(t),
		"survey":  whatifPage(t, surveyed()),

		"diff, requests":   changedPage(t),
		"replay, requests": realReplay(t, 1),
	}
}

// whatifPage returns the page of an answer.
func whatifPage(t testing.TB, answer document.Whatif) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteWhatif(&b, answer, document.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func diffPage(t testing.TB, d *document.Diff, requests *DiffRows) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteDiff(&b, d, requests, document.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func replayPage(t testing.TB, s lines.Summary, requests *ReplayRows) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteReplay(&b, s, requests, document.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Two webhooks, and requests that they are asked about.
var (
	images = document.Actor{Plugin: "ValidatingAdmissionWebhook", Configuration: "policy", Name: "images.shop.example", Source: "head.yaml:19"}
	mirror = document.Actor{Plugin: "MutatingAdmissionWebhook", Configuration: "mirror", Name: "images.mirror.example", Source: "head.yaml:9"}
)

func asked(name string) document.Sample {
	return document.Sample{Source: "requests.yaml:1", Label: reporttest.Hostile, User: "alice", Verb: "create", Resource: "pods", Namespace: "shop", Name: name}
}

func differences() *diff.Result {
	counts := []document.Count{{Value: "alice", Count: 2}, {Value: reporttest.Hostile, Count: 1}}
	return &diff.Result{
		Requests: 10, Changed: 6, Undecided: 1,
		ByChange: map[document.DiffChange]int{document.NewlyDenied: 3, document.NewlyAllowed: 1, document.DifferentObject: 2, document.DifferentCalls: 4, document.DifferentLatency: 4},
		Groups: []document.DiffGroup{
			{Change: document.NewlyDenied, What: reporttest.Hostile, By: images, Requests: 3, Users: counts, Namespaces: counts, Resources: counts, Samples: []document.DiffSample{
				{Request: asked("web"), Base: "admitted", Head: "denied (400): " + reporttest.Hostile},
			}},
			{Change: document.NewlyAllowed, What: "no digest", By: images, Requests: 1, Samples: []document.DiffSample{{Request: asked("old"), Base: "denied (400): no digest", Head: "admitted"}}},
			{Change: document.DifferentObject, What: "/spec/containers/*/image", By: mirror, Requests: 2, Samples: []document.DiffSample{{Request: asked("web"), Base: `"nginx"`, Head: `"mirror.example/nginx"`}}},
			{Change: document.DifferentCalls, What: "more", By: images, Requests: 4, Samples: []document.DiffSample{{Request: asked("web"), Base: "0", Head: "1"}}},
			{Change: document.DifferentLatency, What: "longer", Requests: 4, Samples: []document.DiffSample{{Request: asked("web"), Base: "10ms", Head: "40ms"}}},
		},
		Calls:  []document.DiffCalls{{Webhook: images, Base: 1000, Head: 1204}},
		Errors: []whatif.RequestError{{Request: asked("broken"), Err: errHostile{}}},
	}
}

type errHostile struct{}

func (errHostile) Error() string { return reporttest.Hostile }

func outages() *outage.Result {
	timeout := int32(10)
	down := trouble.Webhook{Webhook: &dependency.Webhook{Configuration: "policy", ValidatingWebhook: admissionregistrationv1.ValidatingWebhook{Name: "images.shop.example", TimeoutSeconds: &timeout}, Source: "world.yaml:40"}, Mode: trouble.Down}
	return &outage.Result{
		Requests: 20, Undecided: 1, Errors: []whatif.RequestError{{Request: asked("broken"), Err: errHostile{}}},
		Denied: outage.Losses{Requests: 1, Samples: []outage.Loss{{Request: asked("denied-anyway"), Message: "no"}}},
		Outages: []outage.Outcome{
			{
				Situation: trouble.Situation{Name: "service shop/webhooks is down", Troubles: []trouble.Webhook{down}}, Asked: 12, Longest: 34 * time.Second,
				Fail:      outage.Losses{Requests: 5, Samples: []outage.Loss{{Request: asked("web"), By: []document.Actor{images}, Message: reporttest.Hostile, Took: 34 * time.Second, Ignored: true}}},
				Unchecked: outage.Losses{Requests: 3, Samples: []outage.Loss{{Request: asked("job"), By: []document.Actor{mirror}}}},
				Delayed:   outage.Losses{Requests: 2, Samples: []outage.Loss{{Request: asked("cron"), Took: 10 * time.Second, Usually: time.Second}}},
			},
			{Situation: trouble.Situation{Troubles: []trouble.Webhook{down}}, Asked: 1},
		},
		Deadlocks: []document.Deadlock{{
			Links:  []document.DeadlockLink{{Service: "shop/webhooks", Workloads: []string{"Deployment shop/webhooks"}, Needs: []document.DeadlockNeed{{What: "create pods", Webhook: images}}}},
			Breaks: []document.Break{{Webhook: images, Namespace: "shop"}, {Webhook: images, Namespace: "shop"}},
		}},
		Budget: outage.Budget{
			Worst: asked("web"), Sum: 45 * time.Second, Limit: 34 * time.Second, Over: 2,
			Serial:   []outage.TimeoutOf{{Webhook: mirror, Timeout: 30 * time.Second}},
			Parallel: []outage.TimeoutOf{{Webhook: images, Timeout: 15 * time.Second}, {Webhook: images, Timeout: 5 * time.Second}},
		},
	}
}

func replayPageOf(t testing.TB) string {
	s, requests := replayed(t)
	return replayPage(t, s, requests)
}

func replayed(t testing.TB) (s lines.Summary, requests *ReplayRows) {
	requests = NewReplayRows(document.Options{})
	line := lines.Line{File: "/var/log/kube/audit.log", Line: 7, Verb: "create", Resource: "pods", Namespace: "shop", Name: "web", User: "alice", Webhooks: []string{"policy/images.shop.example"}}
	with := func(outcome lines.Outcome, differences ...lines.Difference) {
		l := line
		l.Outcome, l.Differences = outcome, differences
		switch outcome {
		case lines.Skipped, lines.CannotTell, lines.Broken:
			l.Reason = &lines.Reason{Code: recording.Code(reporttest.Hostile), Detail: reporttest.Hostile}
		}
		s.Add(&l)
		addReplayed(t, requests, &l)
	}
	value := func(text string) json.RawMessage {
		data, _ := json.Marshal(text)
		return data
	}
	for range 7 {
		with(lines.Agrees)
	}
	with(lines.Differs, lines.Difference{What: lines.Object, Path: "spec.containers[0].image", Recorded: value("nginx"), Simulated: value(reporttest.Hostile)})
	with(lines.Differs, lines.Difference{What: lines.Object, Path: "spec.containers[1].image", Recorded: value("envoy")})
	with(lines.Differs, lines.Difference{What: lines.Webhooks, Webhook: "policy/images.shop.example", Simulated: value("called")})
	with(lines.CannotTell)
	with(lines.Skipped)
	with(lines.Broken)
	return s, requests
}

// Pages about changes, outages and differences use the words of the text format.
func TestPagesTell(t *testing.T) {
	all := pages(t)
	for command, wants := range map[string][]string{
		"run -v": {"the review sent", `  "kind": "AdmissionReview",`, "the reply", `"allowed": true`, "the patch as sent", "more had nothing to say"},
		"diff": {
			"<h1>6 of 10 requests changed</h1>", "from as it is (base) to as it would be <b> (head); 1 more request could not be answered",
			`<th scope="row" title="newly denied">newly denied</th>`, `<rect class="f-denied" x="0%" width="30%"`,
			`<del class="good">admitted</del>`, `<ins class="bad">denied (400): `, `<ins class="good">admitted</ins>`,
			"<del>nginx</del>", "<ins>mirror.example/nginx</ins>", "set by mirror/images.mirror.example, head.yaml:9",
			`<span class="name">policy/images.shop.example is called more often</span>`, "<td>1,000</td><td>1,204</td><td>+204</td>",
		},
		"outage": {
			`<td class="n">5 fail, 3 unchecked, 2 longer of 20</td>`,
			"<h1>1 deadlock</h1>", "<b>Service shop/webhooks</b> <span class=\"dim\">in front of Deployment shop/webhooks</span>",
			"create pods needs <b>policy/images.shop.example</b> <code>head.yaml:19</code>", "kubectl delete validatingwebhookconfiguration policy</pre>",
			`<span class="name">service shop/webhooks is down</span>`, "policy/images.shop.example is down: failurePolicy Fail, timeout 10s, world.yaml:40",
			"5 requests fail", "3 requests pass unchecked", "2 requests take longer", "though failurePolicy is Ignore",
			`<rect class="f-denied" x="0%" width="25%"`, `<rect class="f-changed" x="25%" width="15%"`,
			"If they hang, 2 requests fail, with any failurePolicy.", `<b class="over">over</b>`, "denied-anyway",
		},
		"survey": {
			"<h1>as it is → as it would be <b>: 1 of 2 webhooks and policies are asked for other requests</h1>",
			`<span class="name">CREATE, UPDATE pods, in namespaces with team=<i></span><span class="note">validating webhook shop/pods.shop.example</span>`,
			"<li>in namespaces with team=<i></li>", "<code>object.spec.hostNetwork</code>", "There are more conditions than this says.",
			"<b>create pods shop/example</b>, if object.spec.hostNetwork is true", "shop/same.shop.example",
		},
		"replay": {
			"<h1>7 of 10 requests agree with what was recorded</h1>", "13 records, 70.00 % agree",
			`<span class="name">object spec.containers[*].image</span>`, `<span class="took">2 requests</span>`,
			`<dt>recorded</dt><dd><del>"nginx"</del>`, "<dt>admsim</dt><dd><ins>nothing</ins>", "webhook policy/images.shop.example",
			"Could not be read", `<th scope="row"><span title="/var/log/kube/audit.log:7">audit.log:7</span> </th>`, "Not run, because", `<details class="panel" open><summary>Webhooks `,
			`<span class="name">create pods shop/web</span><span class="note">object spec.containers[0].image</span>`,
			`<span title="/var/log/kube/audit.log:7">audit.log:7</span> by alice`, "webhooks called: policy/images.shop.example", `<span class="badge b-changed">cannot tell</span>`,
		},
	} {
		page := html.UnescapeString(all[command])
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s: there is no %s", command, want)
			}
		}
	}
}

// surveyed returns an answer about all requests.
func surveyed() *document.Survey {
	return &document.Survey{
		Question: document.SurveyOfChanges, Base: "as it is", World: "as it would be <b>",
		Subjects: []document.SurveySubject{{
			Kind: "validating webhook", Webhook: document.Actor{Configuration: "shop", Name: "pods.shop.example", Source: "head.yaml:5"}, Change: "changed",
			Regions: []document.SurveyRegion{
				{
					What: document.NewlyAsked, Operations: []string{"CREATE", "UPDATE"}, Resources: []string{"pods"}, Where: []string{"in namespaces with team=<i>"},
					Text: "CREATE, UPDATE pods, in namespaces with team=<i>", Open: []string{"object.spec.hostNetwork"},
					Witness: &document.SurveyWitness{
						Request:  document.Sample{Verb: "create", Resource: "pods", Namespace: "shop", Name: "example"},
						Manifest: []byte(`{"apiVersion": "v1", "kind": "List", "items": [{"team": "<i>"}]}`), Needs: []string{"object.spec.hostNetwork is true"},
					},
				},
				{What: document.NewlyRefused, Operations: []string{"DELETE"}, Resources: []string{"pods"}, Text: "DELETE pods", Vague: true},
			},
		}},
		Same: []document.Actor{{Configuration: "shop", Name: "same.shop.example"}},
	}
}

// A check with a finding, a webhook that could not be tried, and a request without an answer.
func checked() *document.Check {
	by := document.Actor{Plugin: document.MutatingWebhooks, Configuration: "m", Name: "a.m.example", Source: "m.yaml:3"}
	request := document.Sample{Verb: "create", Resource: "pods", Namespace: "shop", Name: "<b>web", Source: "pods.yaml:1"}
	return &document.Check{
		Checks: []string{"idempotence", "order", "bypass"}, Requests: 3, Tried: 2, Mutations: 2,
		Unanswered: []document.Actor{{Plugin: document.ValidatingWebhooks, Configuration: "v", Name: "<i>v.example"}},
		Errors:     []document.DiffError{{Request: request, Error: "no <b>answer"}},
		Findings: []document.CheckFinding{{
			Check: "idempotence", Webhook: by, Field: "/spec/<b>", Message: "adds one more <b>", Remedy: "look first <b>", Requests: 2,
			Samples: []document.CheckSample{{Request: request, Detail: "two <b>"}},
		}},
	}
}

// Latencies of two webhooks, one of which is too late now and then.
func delayed() *document.Latency {
	at := func(ms ...int) (all []document.Percentile) {
		for i, percent := range []float64{50, 95, 99, 99.9} {
			d := metav1.Duration{Duration: time.Duration(ms[i]) * time.Millisecond}
			all = append(all, document.Percentile{Percent: percent, Is: d, Low: d, High: d})
		}
		return all
	}
	some := document.Chance{Of: 1, In: 100, Is: 0.01, Low: 0.001, High: 0.05}
	return &document.Latency{
		Request: document.Sample{Verb: "create", Resource: "pods", Namespace: "shop", Name: "<b>web", Source: "pods.yaml:1"}, Requests: 2, Samples: 100, Random: true,
		Total: at(20, 200, 9000, 10000), Limit: metav1.Duration{Duration: 34 * time.Second},
		Phases:  []document.PhaseLatency{{Phase: "mutating", Total: at(10, 100, 9000, 10000)}, {Phase: "validating", Total: at(0, 0, 0, 0)}},
		Timeout: some, Fails: some, Over: document.Chance{In: 100}, Unchecked: document.Chance{In: 100},
		Webhooks: []document.WebhookLatency{
			{Webhook: document.Actor{Plugin: document.MutatingWebhooks, Configuration: "m", Name: "<b>a.m.example"}, Calls: 1.5, Known: true, Total: at(10, 100, 9000, 10000), Timeouts: some},
			{Webhook: document.Actor{Plugin: document.ValidatingWebhooks, Configuration: "v", Name: "v.example"}, Calls: 1, Total: at(0, 0, 0, 0), Decides: some},
		},
	}
}

// If there is nothing to show, the page says so.
func TestPagesOfNothing(t *testing.T) {
	for want, page := range map[string]string{
		"Nothing changes for 10 requests":  diffPage(t, (&diff.Result{Requests: 10}).Document("a", "b"), nil),
		"No request fails":                 whatifPage(t, (&outage.Result{Requests: 10}).Document("requests")),
		"No request asks a webhook in tro": whatifPage(t, (&outage.Result{Requests: 10, Outages: []outage.Outcome{{Situation: trouble.Situation{Name: "shop is down"}}}}).Document("requests")),
		"There are no webhooks that could": whatifPage(t, (&outage.Result{Requests: 10}).Document("requests")),
		"Nothing was checked":              whatifPage(t, &document.Check{Checks: []string{"order"}}),
		"Nothing ran":                      replayPage(t, lines.Summary{}, nil),
		"Nothing differs from what was re": replayPage(t, lines.Summary{}, nil),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("a page does not say %q", want)
		}
		if !strings.Contains(want, "asks") && strings.Contains(page, `id="tools"`) {
			t.Errorf("there is a search field although there are no rows: %q", want)
		}
	}
}

// A page about one case has no list, and names the case at its top.
func TestSuitesHTMLOfOne(t *testing.T) {
	r := &outcome.Results{Suites: []outcome.Suite{{Name: "pods", Cases: []outcome.Case{{Suite: "pods", Name: "denied", Outcome: outcome.Failed}}}}}
	if text, want := suitesPage(t, r), `<p class="sub">pods/denied: 1 failed</p>`; !strings.Contains(text, want) {
		t.Errorf("there is no %s in\n%s", want, text)
	}
}

func suitesPage(t testing.TB, r *outcome.Results) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteSuites(&b, r, document.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
