package limits

import (
	"context"
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/pluginworld"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// A request waits 10s for its usage to be written. The server goes on writing then (RQ-24).
func TestSlowWrites(t *testing.T) {
	const timedOut = "Internal error occurred: resource quota evaluation timed out"
	for _, tt := range []struct {
		reason   string
		took     time.Duration // each write
		refusal  string
		duration time.Duration
		because  string
		message  string
		writes   int
	}{
		{reason: "in time", took: 4 * time.Second, duration: 8 * time.Second, because: `fits into quota "a": pods=1; quota "b": pods=1`, writes: 2},
		{reason: "at the last moment", took: 5 * time.Second, duration: 10 * time.Second, because: "writing its usage into the quotas takes 10s or longer", message: timedOut, writes: 2},
		{reason: "too slow", took: 20 * time.Second, duration: 10 * time.Second, because: "writing its usage into the quotas takes 10s or longer", message: timedOut, writes: 2},
		{reason: "refused", took: time.Second, refusal: "no", duration: 8 * time.Second, because: `its usage could not be written into quota "b"`, message: "b: no"},
		{reason: "refused slowly", took: 2 * time.Second, refusal: "no", duration: 10 * time.Second, because: "writing its usage into the quotas takes 10s or longer", message: timedOut},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			w := pluginworld.New(t, kubeversion.Default(), []byte(`apiVersion: v1
kind: ResourceQuota
metadata: {name: a, namespace: shop}
status: {hard: {pods: 1}, used: {pods: 0}}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: b, namespace: shop}
status: {hard: {pods: 1}, used: {pods: 0}}
`))
			send := func(_ context.Context, _ *cluster.State, _, _ string, object runtime.Object) (trace.Sent, []cluster.Object, error) {
				sent := trace.Sent{Code: http.StatusOK, Object: object, Admissions: []trace.Admission{{Elapsed: tt.took}}}
				if tt.refusal == "" {
					return sent, []cluster.Object{{Object: object}}, nil
				}
				sent.Code, sent.Object = http.StatusForbidden, &metav1.Status{Message: object.(*corev1.ResourceQuota).Name + ": " + tt.refusal}
				return sent, nil, nil
			}
			p, err := NewResourceQuota(kubeversion.Default(), w.Types, nil, time.Now, send)
			if err != nil {
				t.Fatal(err)
			}
			step, err := p.Validate(t.Context(), w.State, w.Request(t, "create pods shop/web", []byte("apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop}\nspec: {containers: [{name: c, image: i}]}\n")))
			if err != nil {
				t.Fatal(err)
			}
			message := ""
			if step.Denial != nil {
				message = step.Denial.Message
			}
			if step.Because != tt.because || message != tt.message || step.Duration != tt.duration || len(step.Did().Writes) != tt.writes {
				t.Errorf("%q, %q after %s with %d writes; want %q, %q after %s with %d writes",
					step.Because, message, step.Duration, len(step.Did().Writes), tt.because, tt.message, tt.duration, tt.writes)
			}
		})
	}
}
