package pages

import (
	"bytes"
	"encoding/json"
	"html"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/replay"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/reporttest"
	"github.com/admsim/admsim/internal/suite"
	"github.com/admsim/admsim/internal/whatif"
)

// pages are one of each command, by its name, with everything that may be on it.
func pages(t testing.TB) map[string]string {
	t.Helper()
	return map[string]string{
		"run":    pageOf(t, reporttest.Answers(t, reporttest.Pods)),
		"run -v": pageIn(t, reporttest.Answers(t, reporttest.Pods), document.Options{Verbose: true}, document.Reviews),
		"test":   suitesPage(t, reporttest.Results(t)),
		"diff":   diffPage(t, document.NewDiff("as it is", "as it would be <b>", differences()), nil),
		"outage": whatifPage(t, document.NewOutage("what a cluster needs <b>", outages())),
		"replay": replayPageOf(t),

		"diff, requests":   changedPage(t),
		"replay, requests": realReplay(t, 1),
	}
}

// verbosePage is that of admsim run -v.
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

func replayPage(t testing.TB, s replay.Summary, requests *ReplayRows) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteReplay(&b, s, requests, document.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Two webhooks, and requests that they are asked about.
var (
	images = whatif.Actor{Plugin: "ValidatingAdmissionWebhook", Configuration: "policy", Name: "images.shop.example", Source: "head.yaml:19"}
	mirror = whatif.Actor{Plugin: "MutatingAdmissionWebhook", Configuration: "mirror", Name: "images.mirror.example", Source: "head.yaml:9"}
)

func asked(name string) whatif.Sample {
	return whatif.Sample{Source: "requests.yaml:1", Label: reporttest.Hostile, User: "alice", Verb: "create", Resource: "pods", Namespace: "shop", Name: name}
}

func differences() *whatif.DiffResult {
	counts := []whatif.Count{{Value: "alice", Count: 2}, {Value: reporttest.Hostile, Count: 1}}
	return &whatif.DiffResult{
		Requests: 10, Changed: 6, Undecided: 1,
		ByChange: map[whatif.Change]int{whatif.NewlyDenied: 3, whatif.NewlyAllowed: 1, whatif.DifferentObject: 2, whatif.DifferentCalls: 4, whatif.DifferentLatency: 4},
		Groups: []whatif.DiffGroup{
			{Change: whatif.NewlyDenied, What: reporttest.Hostile, By: images, Requests: 3, Users: counts, Namespaces: counts, Resources: counts, Samples: []whatif.DiffSample{
				{Request: asked("web"), Base: "admitted", Head: "denied (400): " + reporttest.Hostile},
			}},
			{Change: whatif.NewlyAllowed, What: "no digest", By: images, Requests: 1, Samples: []whatif.DiffSample{{Request: asked("old"), Base: "denied (400): no digest", Head: "admitted"}}},
			{Change: whatif.DifferentObject, What: "/spec/containers/*/image", By: mirror, Requests: 2, Samples: []whatif.DiffSample{{Request: asked("web"), Base: `"nginx"`, Head: `"mirror.example/nginx"`}}},
			{Change: whatif.DifferentCalls, What: "more", By: images, Requests: 4, Samples: []whatif.DiffSample{{Request: asked("web"), Base: "0", Head: "1"}}},
			{Change: whatif.DifferentLatency, What: "longer", Requests: 4, Samples: []whatif.DiffSample{{Request: asked("web"), Base: "10ms", Head: "40ms"}}},
		},
		Calls:  []whatif.CallCount{{Webhook: images, Base: 1000, Head: 1204}},
		Errors: []whatif.DiffError{{Request: asked("broken"), Err: errHostile{}}},
	}
}

type errHostile struct{}

func (errHostile) Error() string { return reporttest.Hostile }

func outages() *whatif.OutageResult {
	trouble := whatif.Trouble{Webhook: &dependency.Webhook{Configuration: "policy", ValidatingWebhook: admissionregistrationv1.ValidatingWebhook{Name: "images.shop.example"}, Source: "world.yaml:40"}, Mode: whatif.Down}
	return &whatif.OutageResult{
		Requests: 20, Undecided: 1, Errors: []whatif.DiffError{{Request: asked("broken"), Err: errHostile{}}},
		Denied: whatif.Losses{Requests: 1, Samples: []whatif.Loss{{Request: asked("denied-anyway"), Message: "no"}}},
		Outages: []whatif.OutageOf{
			{
				Situation: whatif.Situation{Name: "service shop/webhooks is down", Troubles: []whatif.Trouble{trouble}}, Asked: 12, Longest: 34 * time.Second,
				Fail:      whatif.Losses{Requests: 5, Samples: []whatif.Loss{{Request: asked("web"), By: []whatif.Actor{images}, Message: reporttest.Hostile, Took: 34 * time.Second, Ignored: true}}},
				Unchecked: whatif.Losses{Requests: 3, Samples: []whatif.Loss{{Request: asked("job"), By: []whatif.Actor{mirror}}}},
				Delayed:   whatif.Losses{Requests: 2, Samples: []whatif.Loss{{Request: asked("cron"), Took: 10 * time.Second, Usually: time.Second}}},
			},
			{Situation: whatif.Situation{Troubles: []whatif.Trouble{trouble}}, Asked: 1},
		},
		Deadlocks: []whatif.Deadlock{{
			Links:  []whatif.DeadlockLink{{Service: "shop/webhooks", Workloads: []string{"Deployment shop/webhooks"}, Needs: []whatif.DeadlockNeed{{What: "create pods", Webhook: images}}}},
			Breaks: []whatif.Break{{Webhook: images, Namespace: "shop"}, {Webhook: images, Namespace: "shop"}},
		}},
		Budget: whatif.Budget{
			Worst: asked("web"), Sum: 45 * time.Second, Limit: 34 * time.Second, Over: 2,
			Serial:   []whatif.TimeoutOf{{Webhook: mirror, Timeout: 30 * time.Second}},
			Parallel: []whatif.TimeoutOf{{Webhook: images, Timeout: 15 * time.Second}, {Webhook: images, Timeout: 5 * time.Second}},
		},
	}
}

func replayPageOf(t testing.TB) string {
	s, requests := replayed(t)
	return replayPage(t, s, requests)
}

func replayed(t testing.TB) (s replay.Summary, requests *ReplayRows) {
	requests = NewReplayRows(document.Options{})
	line := replay.Line{File: "/var/log/kube/audit.log", Line: 7, Verb: "create", Resource: "pods", Namespace: "shop", Name: "web", User: "alice", Webhooks: []string{"policy/images.shop.example"}}
	with := func(outcome replay.Outcome, differences ...replay.Difference) {
		l := line
		l.Outcome, l.Differences = outcome, differences
		switch outcome {
		case replay.Skipped, replay.CannotTell, replay.Broken:
			l.Reason = &replay.Reason{Code: recording.Code(reporttest.Hostile), Detail: reporttest.Hostile}
		}
		s.Add(&l)
		addReplayed(t, requests, &l)
	}
	value := func(text string) json.RawMessage {
		data, _ := json.Marshal(text)
		return data
	}
	for range 7 {
		with(replay.Agrees)
	}
	with(replay.Differs, replay.Difference{What: replay.Object, Path: "spec.containers[0].image", Recorded: value("nginx"), Simulated: value(reporttest.Hostile)})
	with(replay.Differs, replay.Difference{What: replay.Object, Path: "spec.containers[1].image", Recorded: value("envoy")})
	with(replay.Differs, replay.Difference{What: replay.Webhooks, Webhook: "policy/images.shop.example", Simulated: value("called")})
	with(replay.CannotTell)
	with(replay.Skipped)
	with(replay.Broken)
	return s, requests
}

// What a page says of changes, outages and differences, in the words of its text.
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
			"If they hang, 2 requests fail, whatever the failurePolicy.", `<b class="over">over</b>`, "denied-anyway",
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

// Where there is nothing to show, that is said.
func TestPagesOfNothing(t *testing.T) {
	for want, page := range map[string]string{
		"Nothing changes for 10 requests":  diffPage(t, document.NewDiff("a", "b", &whatif.DiffResult{Requests: 10}), nil),
		"No request fails":                 whatifPage(t, document.NewOutage("requests", &whatif.OutageResult{Requests: 10})),
		"No request asks a webhook in tro": whatifPage(t, document.NewOutage("requests", &whatif.OutageResult{Requests: 10, Outages: []whatif.OutageOf{{Situation: whatif.Situation{Name: "shop is down"}}}})),
		"There is no webhook to be in":     whatifPage(t, document.NewOutage("requests", &whatif.OutageResult{Requests: 10})),
		"Nothing ran":                      replayPage(t, replay.Summary{}, nil),
		"Nothing differs from what was re": replayPage(t, replay.Summary{}, nil),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("a page does not say %q", want)
		}
		if !strings.Contains(want, "asks") && strings.Contains(page, `id="tools"`) {
			t.Errorf("where there is no row there is something to search: %q", want)
		}
	}
}

// A page about one case has no list, and says at its top which case that is.
func TestSuitesHTMLOfOne(t *testing.T) {
	r := &suite.Results{Suites: []suite.Result{{Name: "pods", Cases: []suite.CaseResult{{Suite: "pods", Name: "denied", Outcome: suite.Failed}}}}}
	if text, want := suitesPage(t, r), `<p class="sub">pods/denied: 1 failed</p>`; !strings.Contains(text, want) {
		t.Errorf("there is no %s in\n%s", want, text)
	}
}

func suitesPage(t testing.TB, r *suite.Results) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteSuites(&b, document.SuitesWithoutSecrets(r, nil), document.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
