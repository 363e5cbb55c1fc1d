package whatif_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/whatif"
)

const mesh = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: mesh}
webhooks:
- name: sidecar.mesh.example
  clientConfig: {service: {name: mesh, namespace: mesh}}
  rules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [pods]}]
  sideEffects: None
  admissionReviewVersions: [v1]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: guard}
webhooks:
- name: pods.guard.example
  clientConfig: {service: {name: guard, namespace: guard}}
  rules: [{operations: [CREATE, UPDATE], apiGroups: [""], apiVersions: [v1], resources: [pods, configmaps]}]
  sideEffects: None
  admissionReviewVersions: [v1]
---
apiVersion: admsim.dev/v1alpha1
kind: Backends
backends:
- webhook: sidecar.mesh.example
  mock:
  - patch: [{op: add, path: /spec/containers/-, value: {name: proxy, image: "proxy:1"}}]
- webhook: pods.guard.example
  mock:
  - when: object.metadata.name.endsWith("7")
    deny: {message: no sevens}
  - allowed: true
`

// reviews is a recording of n requests, three of four to create a pod, the others a
// ConfigMap.
func reviews(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		resource, kind := "pods", "Pod"
		object := fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-%d","namespace":"shop","uid":"u%d","labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"nginx:1.29","env":[{"name":"A","value":"1"}],"resources":{"requests":{"cpu":"100m","memory":"64Mi"}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"default","securityContext":{},"schedulerName":"default-scheduler"}}`, i, i)
		if i%4 == 3 {
			resource, kind = "configmaps", "ConfigMap"
			object = fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"conf-%d","namespace":"shop"},"data":{"a":"1"}}`, i)
		}
		fmt.Fprintf(&b, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"%d","kind":{"group":"","version":"v1","kind":"%s"},"resource":{"group":"","version":"v1","resource":"%s"},"namespace":"shop","operation":"CREATE","userInfo":{"username":"user-%d","groups":["system:authenticated"]},"object":%s,"oldObject":null,"dryRun":false,"options":{"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1"}}}`+"\n", i, kind, resource, i%5, object)
	}
	return b.Bytes()
}

func corpusOf(tb testing.TB, data []byte) traffic.Corpus {
	tb.Helper()
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	reader, err := recording.NewReader([]recording.Source{{Name: "rec.jsonl", Open: open}}, recording.Options{Ahead: 1})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(reader.Close)
	return traffic.Recorded(reader, nil)
}

func TestDiffSame(t *testing.T) {
	a, b := readWorld(t, mesh), readWorld(t, mesh)
	got, err := whatif.Diff(context.Background(), a.make, b.make, corpusOf(t, reviews(200)), whatif.DiffOptions{Jobs: 4})
	if err != nil {
		t.Fatal(err)
	}
	if got.Requests != 200 || got.Changed != 0 || len(got.Groups) != 0 {
		t.Errorf("the same world changes %d of %d requests: %+v", got.Changed, got.Requests, got.Groups)
	}
}

// However many run side by side, the counts and samples are the same, and exact.
func TestDiffCounts(t *testing.T) {
	a := readWorld(t, mesh)
	b := readWorld(t, strings.NewReplacer(`endsWith("7")`, `endsWith("8")`, "proxy:1", "proxy:2").Replace(mesh))
	n := 400
	if testing.Short() {
		n = 100
	}
	var first *whatif.DiffResult
	for _, jobs := range []int{1, 4} {
		got, err := whatif.Diff(context.Background(), a.make, b.make, corpusOf(t, reviews(n)), whatif.DiffOptions{Jobs: jobs})
		if err != nil {
			t.Fatal(err)
		}
		if first != nil {
			if diff := cmp.Diff(first, got); diff != "" {
				t.Errorf("with %d jobs (-1 job +%d jobs):\n%s", jobs, jobs, diff)
			}
			continue
		}
		first = got
		count := map[document.DiffChange]int{}
		for _, g := range got.Groups {
			count[g.Change] += g.Requests
			sum := 0
			for _, u := range g.Users {
				sum += u.Count
			}
			if sum != g.Requests {
				t.Errorf("%s %s: %d requests, and %d by user", g.Change, g.What, g.Requests, sum)
			}
		}
		want := map[document.DiffChange]int{
			document.NewlyDenied:  n / 10, // end in 8
			document.NewlyAllowed: n / 10, // end in 7
			// All other pods have another proxy: three in four, but for those that end in 7, which
			// are pods or ConfigMaps, and those in 8.
			document.DifferentObject: n * 6 / 10,
		}
		if diff := cmp.Diff(want, count); diff != "" {
			t.Errorf("changes (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, got.ByChange); diff != "" { // each is in one group of a change
			t.Errorf("requests by change (-want +got):\n%s", diff)
		}
	}
}

// A request that changes in the same way for two reasons is in two groups, and is one request.
func TestDiffCountsRequestsOnce(t *testing.T) {
	a := readWorld(t, mesh)
	b := readWorld(t, strings.NewReplacer("proxy:1", "proxy:2", `patch: [`, `patch: [{op: add, path: /metadata/labels/mesh, value: "on"}, `).Replace(mesh))
	got, err := whatif.Diff(context.Background(), a.make, b.make, corpusOf(t, reviews(4)), whatif.DiffOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n := got.ByChange[document.DifferentObject]; len(got.Groups) != 2 || n != 3 || n != got.Changed {
		t.Errorf("%d groups are of %d requests with another object, of %d that change", len(got.Groups), n, got.Changed)
	}
}

// A request that is denied comes to an end: that further webhooks are not called, do not warn and take
// no time is no difference of its own. What the world that denies has more is one.
func TestDiffOfDenied(t *testing.T) {
	asked := strings.Replace(mesh, "  - allowed: true", "  - {allowed: true, latency: 1s, warnings: [watch out]}", 1)
	denies := strings.Replace(asked, "patch: [{op: add, path: /spec/containers/-, value: {name: proxy, image: \"proxy:1\"}}]", "deny: {message: no sidecars}", 1)
	slow := strings.Replace(denies, "- deny: {message: no sidecars}", "- {deny: {message: no sidecars}, latency: 9s, warnings: [no more]}", 1)
	tests := []struct {
		base, head, reason string
		want               map[document.DiffChange]int
	}{
		{asked, denies, "only that it is denied", map[document.DiffChange]int{document.NewlyDenied: 3}},
		{denies, asked, "only that it is admitted", map[document.DiffChange]int{document.NewlyAllowed: 3}},
		{asked, slow, "the denial has a warning, and takes longer", map[document.DiffChange]int{document.NewlyDenied: 3, document.DifferentWarning: 3, document.DifferentLatency: 3}},
		{slow, asked, "the denial had a warning, and took longer", map[document.DiffChange]int{document.NewlyAllowed: 3, document.DifferentWarning: 3, document.DifferentLatency: 3}},
	}
	for _, tt := range tests {
		a, b := readWorld(t, tt.base), readWorld(t, tt.head)
		got, err := whatif.Diff(context.Background(), a.make, b.make, corpusOf(t, reviews(4)), whatif.DiffOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got.ByChange); diff != "" {
			t.Errorf("%s: requests by change (-want +got):\n%s", tt.reason, diff)
		}
		var calls int // of all webhooks, those that were not made included
		for _, c := range got.Calls {
			calls += c.Base - c.Head
		}
		if calls != 3 && calls != -3 {
			t.Errorf("%s: %d calls fewer in head, want 3 in one of the two: %v", tt.reason, calls, got.Calls)
		}
	}
}

func BenchmarkDiff(b *testing.B) {
	data := reviews(2000)
	for _, worlds := range []int{1, 2} {
		b.Run(fmt.Sprintf("worlds=%d", worlds), func(b *testing.B) {
			one, two := readWorld(b, mesh), readWorld(b, mesh)
			for b.Loop() {
				var err error
				if worlds == 1 {
					_, err = whatif.Play(context.Background(), one.make, corpusOf(b, data), 1)
				} else {
					_, err = whatif.Diff(context.Background(), one.make, two.make, corpusOf(b, data), whatif.DiffOptions{Jobs: 1})
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2000, "ns/request")
		})
	}
}
