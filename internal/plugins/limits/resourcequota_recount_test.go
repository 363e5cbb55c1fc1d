package limits

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/pluginworld"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// TestRecountQuotas counts everything in the namespace for a quota without a status, everything in scope for a quota
// with scopes, and only what is missing for a quota that has a status.
func TestRecountQuotas(t *testing.T) {
	w := pluginworld.New(t, kubeversion.Default(), []byte(`apiVersion: v1
kind: ResourceQuota
metadata: {name: all, namespace: shop}
spec: {hard: {pods: 10, requests.cpu: 4, requests.memory: 1Gi, services.nodeports: 3, configmaps: 5, count/deployments.apps: 2, persistentvolumeclaims: 1}}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: besteffort, namespace: shop}
spec: {hard: {pods: 10}, scopes: [BestEffort]}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: half, namespace: shop}
spec: {hard: {pods: 10, configmaps: 3}}
status: {hard: {pods: 8, configmaps: 3}, used: {configmaps: 2}}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: whole, namespace: shop}
spec: {hard: {pods: 10}}
status: {hard: {pods: 8}, used: {pods: 7}}
---
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: shop}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 500m, memory: 256Mi}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: b, namespace: shop}
spec: {containers: [{name: c, image: i}]}
---
apiVersion: v1
kind: Pod
metadata: {name: done, namespace: shop}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]}
status: {phase: Succeeded}
---
apiVersion: v1
kind: Pod
metadata: {name: elsewhere, namespace: web}
spec: {containers: [{name: c, image: i}]}
---
apiVersion: v1
kind: Service
metadata: {name: s, namespace: shop}
spec: {type: NodePort, ports: [{port: 80}, {name: b, port: 81}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: d, namespace: shop}
spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: m, namespace: shop}
`))
	recount := func(s *cluster.State) (*cluster.State, error) {
		return RecountQuotas(s, kubeversion.Default(), w.Resources, w.Types, time.Now)
	}
	before := fmt.Sprint(statuses(w))
	state, err := recount(w.State)
	if err != nil {
		t.Fatal(err)
	}
	if after := fmt.Sprint(statuses(w)); after != before {
		t.Error("the original state changed")
	}
	if again, err := recount(state); err != nil || again != state {
		t.Errorf("counting again returned another state; %v", err)
	}
	w.State = state
	want := []string{
		"all: configmaps=1/5,count/deployments.apps=1/2,persistentvolumeclaims=0/1,pods=2/10,requests.cpu=500m/4,requests.memory=256Mi/1Gi,services.nodeports=2/3",
		"besteffort: pods=1/10",
		"half: configmaps=2/3,pods=2/8",
		"whole: pods=7/8",
	}
	if diff := cmp.Diff(want, statuses(w)); diff != "" {
		t.Errorf("used/hard (-want +got):\n%s", diff)
	}
}

func statuses(w *pluginworld.World) []string {
	var all []string
	for o := range w.State.List(quotaKind, "") {
		q := o.Object.(*corev1.ResourceQuota)
		var parts []string
		for _, pair := range strings.Split(quantities(q.Status.Used), ",") {
			name, _, _ := strings.Cut(pair, "=")
			hard := q.Status.Hard[corev1.ResourceName(name)]
			parts = append(parts, pair+"/"+hard.String())
		}
		all = append(all, q.Name+": "+strings.Join(parts, ","))
	}
	return all
}
