package conformance

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// Objects are shared, not copied: a state shares them with the previous one, a trace with the state. So nobody may
// modify an object that somebody else can see. This compares, over all recordings, each object as it was first seen
// with what it is in the end.
func TestObjectsAreNotChanged(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine does everything")
	}
	recordings := quick(load(t, recorded))
	seen := sights{}
	for i := range recordings {
		r := &recordings[i]
		backends, err := backendsOf(r)
		if err != nil {
			t.Fatal(err)
		}
		sim, err := world(context.Background(), r, webhooks{backends: backends, clientConfig: mockedAt(r)})
		if err != nil {
			t.Fatal(err)
		}
		seen.state(t, r.ID+" at the start", sim.State())
		for i := range r.Requests {
			name := r.ID + "/" + r.Requests[i].ID
			req, err := r.Requests[i].request(sim)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			result, err := sim.Do(context.Background(), req)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			seen.object(t, name+", the answer", result.Object)
			seen.admissions(t, name, result.Admissions)
			seen.state(t, name, result.Next.State())
			sim = result.Next
		}
	}
	for object, before := range seen {
		if d := cmp.Diff(before.json, encoded(t, object)); d != "" {
			t.Errorf("an object of %s was changed afterwards (-was +is):\n%s", before.where, d)
		}
	}
}

// sights maps the objects that were seen to what they were then.
type sights map[runtime.Object]sight

type sight struct{ where, json string }

func (s sights) object(t *testing.T, where string, o runtime.Object) {
	if o == nil {
		return
	}
	if _, known := s[o]; !known {
		s[o] = sight{where: where, json: encoded(t, o)}
	}
}

func (s sights) state(t *testing.T, where string, state *cluster.State) {
	for o := range state.All() {
		s.object(t, where, o.Object)
	}
}

func (s sights) admissions(t *testing.T, where string, admissions []trace.Admission) {
	for _, a := range admissions {
		s.object(t, where+", as it entered the chain", a.Request.Object)
		s.object(t, where+", the old object", a.Request.OldObject)
		s.object(t, where+", as the chain left it", a.Object)
		for _, step := range a.Steps {
			s.object(t, where+", before "+step.Plugin, step.Before)
			s.object(t, where+", after "+step.Plugin, step.After)
		}
	}
}

func encoded(t *testing.T, o runtime.Object) string {
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
