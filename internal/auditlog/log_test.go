package auditlog_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/admsim/admsim/internal/auditlog"
	"github.com/admsim/admsim/internal/auditlog/policy"
	"github.com/admsim/admsim/internal/golden"
	"github.com/admsim/admsim/internal/manifest"
	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// changing matches what differs from run to run.
var changing = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z|"auditID":"[^"]*"`)

// Each archive holds a policy and requests: a line with method, path and headers, and the body in the next line. The
// golden text is the audit log, without times, and the warnings.
func TestLog(t *testing.T) {
	golden.Folders(t, "testdata/log/*.txtar", func(t *testing.T, files fstest.MapFS) string {
		release := kubeversion.Default()
		if file, ok := files["release"]; ok {
			var err error
			if release, err = kubeversion.Parse(strings.TrimSpace(string(file.Data))); err != nil {
				t.Fatal(err)
			}
		}
		p, _, err := policy.Load("policy.yaml", release, manifest.Options{FS: files})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		log := auditlog.NewLog(p, &b, func(err error) { fmt.Fprintf(&b, "warning: %v\n", err) })
		sim, err := simulator.New(simulator.Options{
			Release: release, State: simulator.AssumeControllers(simulator.Bootstrap()), NewUID: simulator.CountUIDs(), Authorization: []string{"RBAC"},
		})
		if err != nil {
			t.Fatal(err)
		}
		s, err := store.New(sim, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		h := serve.New(s, serve.Options{Staged: log.Staged, Tokens: map[string]authenticationv1.UserInfo{
			"admin": {Username: "admin", Groups: []string{"system:masters", "system:authenticated"}},
		}})
		for request := range strings.SplitSeq(strings.TrimSpace(string(files["requests"].Data)), "\n\n") {
			line, body, _ := strings.Cut(request, "\n")
			words := strings.Split(line, " ")
			r := httptest.NewRequest(words[0], words[1], strings.NewReader(body))
			r.RemoteAddr = "10.0.0.9:41000"
			r.Header.Set("Authorization", "Bearer admin")
			for _, word := range words[2:] {
				name, value, _ := strings.Cut(word, "=")
				r.Header.Set(name, strings.ReplaceAll(value, "~", " "))
			}
			fmt.Fprintf(&b, "# %s\n", line)
			h.ServeHTTP(httptest.NewRecorder(), r)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		return changing.ReplaceAllStringFunc(b.String(), func(text string) string {
			if strings.HasPrefix(text, `"`) {
				return `"auditID":"…"`
			}
			return "…"
		})
	})
}

var everything = &policy.Policy{Policy: auditv1.Policy{Rules: []auditv1.PolicyRule{{Level: auditv1.LevelRequestResponse}}}}

func answered(t *testing.T, of serve.Answered) *serve.Answered {
	t.Helper()
	sim, err := simulator.New(simulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	of.Found, of.ID, of.HTTP = sim, "1", httptest.NewRequest(http.MethodPost, "/api/v1/namespaces/shop/configmaps", nil)
	of.Verb, of.Request = rest.Create, rest.Request{Verb: rest.Create, Resource: configMaps, Namespace: "shop"}
	return &of
}

// A server that panics says so, and gives no answer.
func TestLogOfPanic(t *testing.T) {
	var b strings.Builder
	log := auditlog.NewLog(everything, &b, func(err error) { t.Error(err) })
	log.Staged(auditv1.StagePanic, answered(t, serve.Answered{Code: 500, Panic: "oh"}))
	if want := `"message":"APIServer panic'd: oh","reason":"InternalError","code":500}`; !strings.Contains(b.String(), want) || !strings.Contains(b.String(), `"stage":"Panic"`) {
		t.Errorf("the log is %s, want %s", &b, want)
	}
}

// A slow request says how long its webhooks took: mutating ones one after the other, validating ones at the same time.
func TestLogOfLatencies(t *testing.T) {
	hooks := func(took ...time.Duration) (all []trace.Hook) {
		for _, d := range took {
			all = append(all, trace.Hook{Calls: []trace.Call{{Duration: d}}})
		}
		return all
	}
	steps := []trace.Step{{Phase: trace.Mutating, Hooks: hooks(100*time.Millisecond, 200*time.Millisecond)}, {Phase: trace.Validating, Hooks: hooks(400*time.Millisecond, 50*time.Millisecond)}}
	result := &simulator.Result{Response: rest.Response{Admissions: []trace.Admission{{Steps: steps}}}}
	for _, tt := range []struct {
		took time.Duration
		want bool
	}{{time.Second, true}, {0, false}} {
		var b strings.Builder
		log := auditlog.NewLog(everything, &b, func(err error) { t.Error(err) })
		log.Staged(auditv1.StageResponseComplete, answered(t, serve.Answered{Began: time.Now().Add(-tt.took), Code: 201, Result: result}))
		want := `"apiserver.latency.k8s.io/mutating-webhook":"300ms","apiserver.latency.k8s.io/total":"1`
		if got := strings.Contains(b.String(), want); got != tt.want {
			t.Errorf("after %v: the log is %s; it has %s: %v, want %v", tt.took, &b, want, got, tt.want)
		}
		if got := strings.Contains(b.String(), `"apiserver.latency.k8s.io/validating-webhook":"400ms"`); got != tt.want {
			t.Errorf("after %v: the log is %s, want 400ms: %v", tt.took, &b, tt.want)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// A log that cannot be written says so once.
func TestLogFails(t *testing.T) {
	var reported []string
	log := auditlog.NewLog(everything, full{}, func(err error) { reported = append(reported, err.Error()) })
	for range 3 {
		log.Staged(auditv1.StageResponseComplete, answered(t, serve.Answered{Code: 201}))
	}
	if want := "the audit log is not complete: disk full"; len(reported) != 1 || reported[0] != want {
		t.Errorf("reported %q, want %q once", reported, want)
	}
}

// What a controller did comes after the request that it reacts to.
func TestLogOfControllers(t *testing.T) {
	var b strings.Builder
	log := auditlog.NewLog(everything, &b, func(err error) { t.Error(err) })
	began := time.Now()
	first := answered(t, serve.Answered{Began: began, Code: 201})
	second := answered(t, serve.Answered{Began: began.Add(time.Millisecond), Code: 201})
	third := answered(t, serve.Answered{Began: began.Add(2 * time.Millisecond), Code: 201})
	first.ID, second.ID, third.ID = "first", "controller", "third"
	log.Wrote(second)
	log.Staged(auditv1.StageResponseComplete, first)
	log.Staged(auditv1.StageResponseComplete, third)
	var ids []string
	for _, m := range regexp.MustCompile(`"auditID":"(\w+)","stage":"(\w+)"`).FindAllStringSubmatch(b.String(), -1) {
		ids = append(ids, m[1]+" "+m[2])
	}
	want := "first ResponseComplete, controller RequestReceived, controller ResponseComplete, third ResponseComplete"
	if got := strings.Join(ids, ", "); got != want {
		t.Errorf("the events are of %s, want %s", got, want)
	}
}

// When a request is received, it has the annotations of its token and its fork; others come with the answer.
func TestLogOfAnnotations(t *testing.T) {
	var b strings.Builder
	log := auditlog.NewLog(everything, &b, func(err error) { t.Error(err) })
	log.Staged(auditv1.StageRequestReceived, answered(t, serve.Answered{Fork: "try", AuditAnnotations: map[string]string{"a.b/token": "t"}}))
	log.Wrote(answered(t, serve.Answered{Fork: "try", Code: 201, AuditAnnotations: map[string]string{"a.b/later": "l"}}))
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range regexp.MustCompile(`"stage":"(\w+)".*"annotations":(\{.*?\})`).FindAllStringSubmatch(b.String(), -1) {
		got = append(got, m[1]+" "+m[2])
	}
	want := []string{
		`RequestReceived {"a.b/token":"t","admsim.dev/fork":"try"}`, `RequestReceived {"admsim.dev/fork":"try"}`, `ResponseComplete {"a.b/later":"l","admsim.dev/fork":"try"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
}
