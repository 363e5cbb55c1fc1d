package survey

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/space"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/plugins/policy"
	"github.com/admsim/admsim/pkg/plugins/webhook"
	"github.com/admsim/admsim/pkg/simulator"
)

var hookPlugins = []string{"MutatingAdmissionPolicy", "MutatingAdmissionWebhook", "ValidatingAdmissionPolicy", "ValidatingAdmissionWebhook"}

// In the clusters of the recorded random-match, and as one of them becomes the next, the engine treats every witness as
// its region says.
func TestWitnessesOfRecordedWorlds(t *testing.T) {
	files, err := filepath.Glob("../../testdata/recorded/releases/1.37/random-match-*.json")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d recordings: %v", len(files), err)
	}
	tried := 0
	var before *simulator.Simulator
	for _, file := range files {
		sim := recordedWorld(t, file)
		w := NewWorld(file, sim, hookPlugins)
		shown, err := Explain(&w, "*")
		if err != nil {
			t.Fatal(err)
		}
		for _, subject := range shown.Subjects {
			for _, r := range subject.Regions {
				if r.What == document.IsAsked && len(r.Witness.Needs) == 0 {
					tried++
					if !asks(t, sim, subject, r) {
						t.Errorf("%s: %s is not asked about the witness of %q", file, subject.Title(), r.Text)
					}
				}
			}
		}
		if before != nil {
			base := NewWorld("before", before, hookPlugins)
			changes, err := Diff(&base, &w)
			if err != nil {
				t.Fatal(err)
			}
			for _, subject := range changes.Subjects {
				old := subject
				if subject.Before != nil {
					old.Webhook = *subject.Before
				}
				for _, r := range subject.Regions {
					if len(r.Witness.Needs) > 0 || r.What != document.NewlyAsked && r.What != document.NoLongerAsked {
						continue
					}
					tried++
					if askedBefore, askedNow := asks(t, before, old, r), asks(t, sim, subject, r); askedBefore == askedNow || askedNow != (r.What == document.NewlyAsked) {
						t.Errorf("%s: %s: witness of %q, which is %s: asked before: %v, now: %v", file, subject.Title(), r.Text, r.What, askedBefore, askedNow)
					}
				}
			}
		}
		before = sim
	}
	if tried < 50 {
		t.Errorf("%d witnesses are too few for this test", tried)
	}
	t.Logf("%d witnesses", tried)
}

// The plugin treats every witness of a policy with params as its region says, and the requests that are in no region.
func TestWitnessesWithParams(t *testing.T) {
	files, err := filepath.Glob("../../testdata/recorded/vap-params*.json")
	if err != nil {
		t.Fatal(err)
	}
	tried := map[string]int{}
	for _, file := range files {
		sim := recordedWorld(t, file)
		w := NewWorld(file, sim, hookPlugins)
		s := spaceOf(&w)
		for i := range w.hooks {
			h := &w.hooks[i]
			if !h.Policy || h.ParamKind == nil {
				continue
			}
			subject := subjectOf(s, h, nil)
			r := s.Region(0, &h.Hook)
			neither := s.Minus(s.Minus(s.Everything(), r.Asked), r.Refused)
			for what, part := range map[string]space.Requests{document.IsAsked: r.Asked, document.IsRefused: s.Minus(r.Refused, r.Asked), document.IsUnseen: neither} {
				for _, region := range regions(s, what, part, nil) {
					if len(region.Witness.Needs) > 0 {
						continue
					}
					tried[what]++
					if asked := asks(t, sim, subject, region); asked != (what == document.IsAsked) {
						t.Errorf("%s: witness of %q of %s: %s, but asked: %v", file, region.Text, subject.Title(), what, asked)
					}
				}
			}
		}
	}
	for _, what := range []string{document.IsAsked, document.IsRefused, document.IsUnseen} {
		if tried[what] < 3 {
			t.Errorf("%d witnesses that are %s are too few for this test", tried[what], what)
		}
	}
	t.Log(tried)
}

// recordedWorld returns the cluster of a recording, with its webhooks and policies.
func recordedWorld(t *testing.T, file string) *simulator.Simulator {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var recording struct {
		Cluster []json.RawMessage `json:"cluster"`
		Configs []json.RawMessage `json:"configs"`
	}
	if err := json.Unmarshal(data, &recording); err != nil {
		t.Fatal(err)
	}
	sim, err := simulator.New(simulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range append(recording.Cluster, recording.Configs...) {
		sim = with(t, sim, one)
	}
	return sim
}

func with(t *testing.T, sim *simulator.Simulator, object []byte) *simulator.Simulator {
	stored, err := sim.Stored(object)
	if err == nil {
		sim, err = sim.With(sim.State().With(cluster.Object{Object: stored}))
	}
	if err != nil {
		t.Fatal(err)
	}
	return sim
}

// asks reports whether the subject is asked about the witness of a region.
func asks(t *testing.T, sim *simulator.Simulator, subject document.SurveySubject, r document.SurveyRegion) bool {
	var manifest struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(r.Witness.Manifest, &manifest); err != nil {
		t.Fatal(err)
	}
	last := len(manifest.Items) - 1
	for _, one := range manifest.Items[:last] {
		sim = with(t, sim, one)
	}
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(manifest.Items[last], &review); err != nil {
		t.Fatal(err)
	}
	req, err := scenario.Request{Review: review.Request}.Admission(sim.Resources(), sim.View().Types(), scenario.Defaults{})
	if err != nil {
		return false // the other world defines the resource
	}
	e, err := sim.ExplainAdmission(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	by := subject.Webhook
	for _, list := range [][]webhook.Explanation{e.Mutating, e.Validating} {
		for _, one := range list {
			if one.Configuration == by.Configuration && one.Name == by.Name && one.Called == webhook.Yes {
				return true
			}
		}
	}
	for _, list := range [][]policy.Explanation{e.MutatingPolicies, e.ValidatingPolicies} {
		for _, one := range list {
			if one.Policy == by.Configuration && one.Binding == by.Name && one.Asked == policy.Yes {
				return true
			}
		}
	}
	return false
}
