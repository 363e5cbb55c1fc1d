package space

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/conformance"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/matcher"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// In the recorded random-match of all releases, for every request and every webhook, the reason decides, and the
// smallest change makes the difference.
func TestReasonsOfRecordings(t *testing.T) {
	folders, err := filepath.Glob("../../testdata/recorded/releases/*")
	if err != nil {
		t.Fatal(err)
	}
	reasons, changes := map[trace.Part]int{}, 0
	for _, folder := range append(folders, "../../testdata/recorded") {
		recordings, err := conformance.Load(folder)
		if err != nil {
			t.Fatal(err)
		}
		for i := range recordings {
			if r := &recordings[i]; r.Theme() == "random-match" {
				changes += checkRecording(t, r, reasons)
			}
		}
	}
	for part, least := range map[trace.Part]int{trace.NamespaceSelector: 1000, trace.ObjectSelector: 1000, trace.Rules: 1000, trace.MatchPolicy: 3, trace.MatchConditions: 20} {
		if reasons[part] < least {
			t.Errorf("%s decided %d times, which is too few for this test", part, reasons[part])
		}
	}
	if changes < 400 {
		t.Errorf("%d changes are too few for this test", changes)
	}
	t.Log(reasons, changes)
}

// checkRecording returns how many changes it checked.
func checkRecording(t *testing.T, r *conformance.Recording, reasons map[trace.Part]int) (changes int) {
	release := kubeversion.Default()
	if r.Kubernetes != "" {
		var err error
		if release, err = kubeversion.Parse(r.Kubernetes); err != nil {
			t.Fatal(err)
		}
	}
	sim, err := simulator.New(simulator.Options{Release: release, Backends: func(string, string) dispatch.Backend { return &dispatch.Mock{} }})
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]json.RawMessage{r.Cluster, r.Configs} {
		for _, one := range list {
			stored, err := sim.Stored(one)
			if err == nil {
				sim, err = sim.With(sim.State().With(cluster.Object{Object: stored}))
			}
			if err != nil {
				continue // the release does not have its kind
			}
		}
	}
	var hooks []Hook
	for o := range sim.WebhookConfigurations() {
		for _, one := range objects.Webhooks(o.Object) {
			h := Hook{Mutating: one.Mutating != nil, FailurePolicy: one.FailurePolicy, Criteria: []matcher.Criteria{matcher.Webhook(one.ValidatingWebhook, nil)}}
			if release.Has(kubeversion.MatchConditions) {
				h.Conditions = one.MatchConditions
			}
			hooks = append(hooks, h)
		}
	}
	spaces, regions := map[string]*Space{}, map[*Space][]Requests{}
	for i := range r.Requests {
		q := &r.Requests[i]
		query, err := url.ParseQuery(q.Query)
		if err != nil {
			t.Fatal(err)
		}
		result, err := sim.Do(t.Context(), rest.Request{
			Verb: q.Verb, Resource: schema.GroupVersionResource{Group: q.Group, Version: q.Version, Resource: q.Resource}, Subresource: q.Subresource,
			Namespace: q.Namespace, Name: q.Name, Body: q.Object, PatchType: q.PatchType, Query: query, User: q.Sender(),
		})
		if err != nil {
			continue // its object was created by a request that is not repeated here
		}
		for _, a := range result.Admissions {
			req := a.Request
			req.Object = a.Object
			s := spaces[req.Namespace]
			if s == nil { // in which the labels of its namespace are not fixed
				state := sim.State().Without(namespaceKey(req.Namespace))
				s = New([]World{{Release: release, State: state, Resources: sim.Resources()}}, hooks)
				spaces[req.Namespace] = s
				for j := range hooks {
					regions[s] = append(regions[s], s.Region(0, &hooks[j]).Asked)
				}
			}
			for at := range s.endpoints {
				e := &s.endpoints[at]
				if e.Operation != req.Operation || e.Resource != req.Resource || e.Subresource != req.Subresource {
					continue
				}
				for j := range hooks {
					region := regions[s][j]
					reasons[checkReason(t, s, region, &hooks[j], at, req, sim.State())]++
					if checkChange(t, s, region, &hooks[j], req, sim.State()) > 0 {
						changes++
					}
				}
			}
		}
		sim = result.Next
	}
	return changes
}
