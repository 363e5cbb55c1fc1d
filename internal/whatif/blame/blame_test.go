package blame_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic/traffictest"
	"github.com/admsim/admsim/internal/whatif/blame"
)

// The blame contains the whole object and nothing else, and names who set each field.
func TestBlame(t *testing.T) {
	w := traffictest.Read(t, traffictest.Mesh+traffictest.Pod)
	asked, err := w.Ask(w.Simulator(), w.Bag.Requests[0], scenario.Defaults{})
	if err != nil {
		t.Fatal(err)
	}
	result, err := asked.Answer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	blame, err := blame.New(asked, result)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := json.Marshal(result.Object)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(decoded(t, stored), plain(t, blame.Object)); diff != "" {
		t.Errorf("the blame has another object (-object +blame):\n%s", diff)
	}
	for path, want := range map[string]string{
		"spec/containers/0/image":                  "user",
		"spec/terminationGracePeriodSeconds":       "user",
		"spec/containers/0/imagePullPolicy":        "default",
		"spec/containers/1/image":                  "webhook mesh/sidecar.mesh.example",
		"spec/containers/1/imagePullPolicy":        "default",
		"spec/containers/0/resources/requests/cpu": "plugin LimitRanger",
		"spec/serviceAccountName":                  "plugin ServiceAccount",
		"metadata/uid":                             "server",
		"metadata/resourceVersion":                 "server",
	} {
		f := blame.Object
		for _, step := range bytes.Split([]byte(path), []byte("/")) {
			f = part(f, string(step))
		}
		if got := f.By.String(); got != want {
			t.Errorf("%s was set by %s, want %s", path, got, want)
		}
	}
}

func part(f document.Field, step string) document.Field {
	if f.IsList {
		return f.Parts[step[0]-'0']
	}
	for _, p := range f.Parts {
		if p.Name == step {
			return p
		}
	}
	return document.Field{}
}

func plain(t *testing.T, f document.Field) any {
	t.Helper()
	switch {
	case f.IsMap:
		m := map[string]any{}
		for _, p := range f.Parts {
			m[p.Name] = plain(t, p)
		}
		return m
	case f.IsList:
		l := []any{}
		for _, p := range f.Parts {
			l = append(l, plain(t, p))
		}
		return l
	}
	return decoded(t, f.Value)
}

func decoded(t *testing.T, data []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
