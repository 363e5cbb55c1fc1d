package serve_test

import (
	"slices"
	"testing"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/admsim/admsim/internal/serve"
)

// Whoever is told of an answer gets the same answers to the requests that the server sent to itself.
func TestToItselfIsShared(t *testing.T) {
	var answered, staged []*serve.Answered
	s := newServerOfRelease(t, "1.37", nil, serve.Options{
		Answered: func(a *serve.Answered) { answered = a.ToItself() },
		Staged: func(stage serve.Stage, a *serve.Answered) {
			if stage == auditv1.StageResponseComplete {
				staged = a.ToItself()
			}
		},
	})
	s.do("POST", "/api/v1/namespaces/none/configmaps", `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}`)
	if len(answered) == 0 || !slices.Equal(answered, staged) {
		t.Fatalf("%d answers and %d answers, want the same, and some", len(answered), len(staged))
	}
	if a := answered[0]; a.Request.Resource.Resource != "namespaces" || a.Code != 404 {
		t.Errorf("the first is of %s with code %d, want namespaces and 404", a.Request.Resource.Resource, a.Code)
	}
}
