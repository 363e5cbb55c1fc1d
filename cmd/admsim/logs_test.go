package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/admsim/admsim/internal/serving"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/admsimtest"
	"github.com/admsim/admsim/pkg/simulator"
)

// A fakeTest is a test whose end the caller controls.
type fakeTest struct {
	failed   bool
	cleanups []func()
	logged   strings.Builder
}

func (t *fakeTest) Helper()                      {}
func (t *fakeTest) Cleanup(f func())             { t.cleanups = append(t.cleanups, f) }
func (t *fakeTest) Failed() bool                 { return t.failed }
func (t *fakeTest) Logf(f string, values ...any) { fmt.Fprintf(&t.logged, f, values...) }

func (t *fakeTest) end() string {
	for _, f := range slices.Backward(t.cleanups) {
		f()
	}
	return t.logged.String()
}

// A failed test shows what the server did to its requests, and no others; a passed test shows nothing.
func TestExplain(t *testing.T) {
	sim, err := simulator.New(simulator.Options{State: simulator.Bootstrap()})
	if err != nil {
		t.Fatal(err)
	}
	l := logs{warn: func(err error) { t.Error(err) }}
	cluster, err := serving.Start(sim, serving.Options{Logs: l.serve, Answered: l.answered})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	config := &rest.Config{Host: "https://admsim.invalid", Transport: cluster.Transport(admission.Administrator())}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	create := func(name, data string) {
		t.Helper()
		answer, err := client.Post(config.Host+"/api/v1/namespaces/default/secrets", "application/json",
			strings.NewReader(fmt.Sprintf(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":%q},"stringData":{"k":%q}}`, name, data)))
		if err != nil || answer.StatusCode != http.StatusCreated {
			t.Fatal(answer, err)
		}
		answer.Body.Close()
	}
	create("before", "x")
	failing, passing := &fakeTest{failed: true}, &fakeTest{}
	admsimtest.Explain(failing, config)
	admsimtest.Explain(passing, config)
	create("during", "hunter2")
	got := failing.end()
	if !strings.Contains(got, "create secrets default/during") || strings.Contains(got, "before") || strings.Contains(got, "hunter2") {
		t.Errorf("a test that failed: %s", got)
	}
	if got := passing.end(); got != "" {
		t.Errorf("a test that passed: %s", got)
	}
	if len(l.open) != 0 {
		t.Errorf("%d logs are still open", len(l.open))
	}

	other, err := serving.Start(sim, serving.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	foreign := &fakeTest{failed: true}
	admsimtest.Explain(foreign, &rest.Config{Host: "https://admsim.invalid", Transport: other.Transport(admission.Administrator())})
	if got := foreign.end(); !strings.Contains(got, "the server is not admsim's") {
		t.Errorf("a server that has no logs: %s", got)
	}
}

// The servers of several test packages may write to one log at the same time.
func TestSharedLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	sim, err := simulator.New(simulator.Options{State: simulator.Bootstrap()})
	if err != nil {
		t.Fatal(err)
	}
	var ends []func() error
	var creates []func(name string)
	for range 2 {
		flags := logFlags{path: path, format: "text", shared: true}
		l, err := flags.open(nil, nil, func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		cluster, err := serving.Start(sim, serving.Options{Answered: l.answered})
		if err != nil {
			t.Fatal(err)
		}
		defer cluster.Close()
		ends = append(ends, l.close)
		creates = append(creates, func(name string) {
			body := strings.NewReader(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"` + name + `"}}`)
			client := http.Client{Transport: cluster.Transport(admission.Administrator())}
			answer, err := client.Post("https://admsim.invalid/api/v1/namespaces/default/configmaps", "application/json", body)
			if err != nil || answer.StatusCode != http.StatusCreated {
				t.Fatal(answer, err)
			}
		})
	}
	creates[0]("one")
	creates[1]("two")
	creates[0]("three")
	for _, end := range ends {
		if err := end(); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "admitted  create") || strings.Contains(line, "requests:") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	want := []string{
		"admitted  create configmaps default/one", "admitted  create configmaps default/two", "admitted  create configmaps default/three",
		"2 requests: 2 admitted, 0 denied",
	}
	if !slices.Equal(got, want) {
		t.Errorf("log %q, want %q", got, want)
	}
}
