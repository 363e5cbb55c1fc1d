package dispatch

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/trace"
)

const recordedUID = types.UID("00000000-0000-0000-0000-000000000001")

// Every fault of a webhook has the effect that a real server recorded. The effects of patches are tested elsewhere.
func TestRecordedFaults(t *testing.T) {
	seen, patches := 0, 0
	for id, s := range recordedScenarios(t, "fault-*") {
		hooks := recordedHooks(t, s)
		for _, r := range s.Requests {
			var object metav1.PartialObjectMetadata
			if err := json.Unmarshal(r.Object, &object); err != nil {
				t.Fatal(err)
			}
			fault := object.Labels["fault"]
			h, ok := hooks[fault+".example.com"]
			if !ok {
				t.Fatalf("%s: no webhook for fault %q", id, fault)
			}
			m, err := NewMock(nil, s.Webhooks["f/"+h.Name]...)
			if err != nil {
				t.Fatal(err)
			}
			h.Backend = m
			configmaps := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
			kind := schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
			review := &Review{
				Request:    admission.Request{Operation: admissionv1.Create, Resource: configmaps, Kind: kind, Name: object.Name, Namespace: id},
				Resource:   configmaps,
				Kind:       kind,
				ObjectJSON: Text(r.Object),
			}
			d := New(func() types.UID { return recordedUID })
			outcomes := []Outcome{}
			if h.Phase == trace.Validating {
				outcomes, err = d.CallAll(t.Context(), []Hook{h}, []*Review{review})
			} else {
				var o Outcome
				o, err = d.Call(t.Context(), h, review)
				outcomes = append(outcomes, o)
			}
			if err != nil {
				t.Fatal(err)
			}
			seen++
			if outcomes[0].Patch != nil {
				patches++
				continue
			}
			expect := recordedVerdict{Code: r.Expect.Code, Annotations: map[string]string{}}
			for k, v := range r.Expect.AuditAnnotations {
				if !strings.HasPrefix(k, "mutation.") {
					expect.Annotations[k] = v
				}
			}
			if expect.Code >= 400 {
				if err := json.Unmarshal(r.Expect.Body, &expect.Status); err != nil {
					t.Fatal(err)
				}
				expect.Status.TypeMeta = metav1.TypeMeta{}
			}
			expect.Warnings = r.Expect.Warnings
			got := verdictOf(outcomes[0].Hook)
			if diff := cmp.Diff(expect.comparable(), got.comparable()); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", id, fault, diff)
			}
		}
	}
	if seen == patches {
		t.Errorf("none of %d replies was compared", seen)
	}
}

// recordedHooks returns the webhooks of a scenario by name, with the URLs of its recorder.
func recordedHooks(t *testing.T, s scenario) map[string]Hook {
	t.Helper()
	hooks := map[string]Hook{}
	for _, text := range s.Configs {
		var c admissionregistrationv1.ValidatingWebhookConfiguration // mutating configurations look the same
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatal(err)
		}
		phase := trace.Mutating
		if c.Kind == "ValidatingWebhookConfiguration" {
			phase = trace.Validating
		}
		for i, w := range c.Webhooks {
			port := "4443"
			if w.Name == "refuse.example.com" {
				port = "1"
			}
			hooks[w.Name] = Hook{
				Configuration:  c.Name,
				Name:           w.Name,
				Index:          i,
				Phase:          phase,
				Client:         admissionregistrationv1.WebhookClientConfig{URL: new(fmt.Sprintf("https://127.0.0.1:%s/%s/%s/%s", port, phase, c.Name, w.Name))},
				ReviewVersions: w.AdmissionReviewVersions,
				TimeoutSeconds: w.TimeoutSeconds,
				FailurePolicy:  w.FailurePolicy,
				SideEffects:    w.SideEffects,
			}
		}
	}
	return hooks
}

// A recordedVerdict is the part of an answer that one webhook decides.
type recordedVerdict struct {
	Code        int
	Status      metav1.Status
	Warnings    []string
	Annotations map[string]string
}

func verdictOf(h trace.Hook) recordedVerdict {
	v := recordedVerdict{Code: 201, Annotations: map[string]string{}}
	if h.Denial != nil {
		v.Code, v.Status = int(h.Denial.Code), *h.Denial
	}
	var warnings admission.Warnings
	for _, w := range h.Warnings {
		warnings.Add(w)
	}
	v.Warnings = warnings.List()
	for _, a := range h.Annotations {
		v.Annotations[a.Key] = a.Value
	}
	return v
}

// comparable removes what is not compared: the messages of transports, and where a scheme was created.
func (v recordedVerdict) comparable() recordedVerdict {
	v.Annotations = maps.Clone(v.Annotations)
	v.Status = *v.Status.DeepCopy()
	if v.Status.ResourceVersion != "" {
		v.Status.ResourceVersion = "1" // as in all recordings
	}
	texts := []*string{&v.Status.Message}
	if v.Status.Details != nil {
		for i := range v.Status.Details.Causes {
			texts = append(texts, &v.Status.Details.Causes[i].Message)
		}
	}
	for _, text := range texts {
		*text = strings.ReplaceAll(*text, "127.0.0.1:4443", "127.0.0.1:port")
		for _, end := range []string{" in scheme", "x509: certificate signed by unknown authority"} {
			*text, _, _ = strings.Cut(*text, end)
		}
	}
	return v
}
