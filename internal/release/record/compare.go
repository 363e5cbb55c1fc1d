package record

import (
	"encoding/json"
	"reflect"

	"github.com/admsim/admsim/internal/conformance"
)

// A Difference is how the answer to a request differs from the recorded one. Diff is empty if it does not.
type Difference struct {
	Name, Diff string
}

// Compare compares the new answers with a recording of the same scenario.
func Compare(recorded, played *conformance.Recording) []Difference {
	var all []Difference
	answers := map[string]*conformance.Request{}
	for i := range played.Requests {
		answers[played.Requests[i].ID] = &played.Requests[i]
	}
	for i := range recorded.Requests {
		r := &recorded.Requests[i]
		d := Difference{Name: recorded.ID + "/" + r.ID}
		switch answer, ok := answers[r.ID]; {
		case !ok:
			d.Diff = "it was not played\n"
		case !reflect.DeepEqual(answer.Expect, r.Expect):
			got, _ := answer.Expect.(map[string]any)
			d.Diff = conformance.Compare(recorded, r, got)
		}
		all = append(all, d)
	}
	return all
}

// CompareClusters compares the clusters that the requests find.
func CompareClusters(recorded, played *conformance.Recording) Difference {
	return Difference{recorded.ID + ", the cluster", conformance.Difference(decoded(recorded), decoded(played))}
}

func decoded(r *conformance.Recording) []any {
	var objects []any
	for _, raw := range r.Cluster {
		var v any
		_ = json.Unmarshal(raw, &v) // both were read from JSON before
		objects = append(objects, v)
	}
	return objects
}
