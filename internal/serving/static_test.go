package serving_test

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/admsim/admsim/internal/serving"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/simulator"
)

const policies = "ValidatingAdmissionPolicy"

// refusing is a static policy that refuses every ConfigMap, with its binding.
func refusing(message string) []simulator.Manifest {
	const binding = `{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
		"metadata": {"name": "b.static.k8s.io"}, "spec": {"policyName": "p.static.k8s.io", "validationActions": ["Deny"]}}`
	policy := `{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "p.static.k8s.io"},
		"spec": {"matchConstraints": {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}]},
			"validations": [{"expression": "false", "message": "` + message + `"}]}}`
	return []simulator.Manifest{{File: "/p/a.yaml", JSON: []byte(policy), Source: "p/a.yaml:1"}, {File: "/p/b.yaml", JSON: []byte(binding), Source: "p/b.yaml:1"}}
}

// A running cluster and its forks use the static manifests that are read again. After a mistake in them, they go on with
// those from before (W-049).
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := refusing("at first")
		sim, err := simulator.New(simulator.Options{
			State: simulator.AssumeControllers(simulator.Bootstrap()),
			Plugins: simulator.Plugins{
				Configuration: map[string][]byte{policies: []byte(`{"apiVersion": "apiserver.config.k8s.io/v1", "kind": "ValidatingAdmissionPolicyConfiguration", "staticManifestsDir": "/p"}`)},
				Manifests:     map[string][]simulator.Manifest{policies: begin},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		cluster, err := serving.Start(sim, serving.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer cluster.Close()
		client := &http.Client{Transport: cluster.Transport(admission.Administrator())}
		post := func(path, body string) string {
			t.Helper()
			answer, err := client.Post("http://admsim"+path, "application/json", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			text := make([]byte, 1000)
			n, _ := answer.Body.Read(text)
			return answer.Status + " " + string(text[:n])
		}
		post("/forks/before", "")
		now, unread := begin, error(nil)
		var said []string
		var lock sync.Mutex // of these
		folder := serving.Folder{Plugin: policies, Loaded: begin, Read: func() ([]simulator.Manifest, error) {
			lock.Lock()
			defer lock.Unlock()
			return now, unread
		}}
		say := func(text string) {
			lock.Lock()
			defer lock.Unlock()
			said = append(said, text)
		}
		go cluster.Follow(t.Context(), []serving.Folder{folder}, time.Second,
			func(plugin string, _ []simulator.Manifest) { say(plugin) }, func(_ string, err error) { say(err.Error()) })
		broken := refusing("broken")
		broken[1].JSON = []byte(strings.ReplaceAll(string(broken[1].JSON), "Deny", "No"))
		for _, step := range []struct {
			what      string
			manifests []simulator.Manifest
			err       error
			said      string // since the step before
			want      string // in the answer
		}{
			{"nothing changes", begin, nil, "", "request: at first"},
			{"another message", refusing("later"), nil, policies, "request: later"},
			{"a mistake", broken, nil, `p/b.yaml:1: reloading static policy manifests from "/p": error loading /p/b.yaml`, "request: later"},
			{"the folder is gone", nil, errors.New("no such folder"), "no such folder", "request: later"},
			{"it is empty", nil, nil, policies, "201 Created"},
			{"the policy is back", begin, nil, policies, "request: at first"},
		} {
			lock.Lock()
			now, unread, said = step.manifests, step.err, nil
			lock.Unlock()
			time.Sleep(3500 * time.Millisecond)
			synctest.Wait()
			post("/forks/after", "")
			if got := strings.Join(said, "; "); !strings.HasPrefix(got, step.said) || len(said) > 1 || step.said == "" && got != "" {
				t.Errorf("%s: said %q, want %q", step.what, got, step.said)
			}
			for _, at := range []string{"", "/forks/before", "/forks/after"} {
				got := post(at+"/api/v1/namespaces/default/configmaps", `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "a-"}}`)
				if !strings.Contains(got, step.want) {
					t.Errorf("%s, in %q: %s, want %s", step.what, at, got, step.want)
				}
			}
			request, _ := http.NewRequest(http.MethodDelete, "http://admsim/forks/after", nil)
			answer, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
		}
	})
}
