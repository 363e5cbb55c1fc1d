package history_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/traffic/traffictest"
	"github.com/admsim/admsim/internal/whatif/history"
	"github.com/admsim/admsim/pkg/patch"
)

// A request that changes a label, and leaves out what others had set.
const update = `
---
apiVersion: admsim.dev/v1alpha1
kind: Request
object: {apiVersion: v1, kind: ConfigMap, metadata: {name: prices, namespace: shop, labels: {tier: gold, shop.example/team: a}}, data: {tea: "3", cake: "4"}}
---
apiVersion: admsim.dev/v1alpha1
kind: Request
verb: update
object: {apiVersion: v1, kind: ConfigMap, metadata: {name: prices, namespace: shop, labels: {tier: silver}}, data: {tea: "3"}}
`

// setters returns who set the fields below f, by path.
func setters(f document.Field, path string, into map[string]string) map[string]string {
	if len(f.Parts) == 0 {
		into[path] = f.By.String()
	}
	for i, part := range f.Parts {
		name := part.Name
		if f.IsList {
			name = fmt.Sprint(i)
		}
		setters(part, path+"/"+name, into)
	}
	return into
}

// In an update, what the author did not change was there before, and what is gone was removed by the author.
func TestNew(t *testing.T) {
	updated := traffictest.Read(t, traffictest.Mesh+update).Answers(t)[1]
	h, err := history.New(nil, updated.Admissions[0])
	if err != nil {
		t.Fatal(err)
	}
	got := setters(h.Object(), "", map[string]string{})
	for path, want := range map[string]string{
		"/data/tea":             "stored",
		"/metadata/labels/tier": "user",
		"/metadata/uid":         "stored", // the author left it out, and the server put it back
	} {
		if got[path] != want {
			t.Errorf("%s was set by %q, want %q", path, got[path], want)
		}
	}
	var removed []string
	for _, r := range h.Removed() {
		if strings.HasPrefix(r.Path, "/metadata/managedFields/") {
			continue
		}
		removed = append(removed, r.Path+" by "+r.By.String())
	}
	slices.Sort(removed)
	if want := []string{"/data/cake by user", "/metadata/labels/shop.example~1team by user"}; !cmp.Equal(removed, want) {
		t.Errorf("removed: %q, want %q", removed, want)
	}
}

// A value that the server writes differently still belongs to the author; a value that was empty or left out is a
// default.
func TestNormalised(t *testing.T) {
	const pod = `
---
apiVersion: admsim.dev/v1alpha1
kind: Request
object:
  apiVersion: v1
  kind: Pod
  metadata: {name: p, namespace: shop}
  spec:
    containers:
    - name: a
      image: nginx
      terminationMessagePath: ""
      resources: {requests: {cpu: 1, memory: 1024Mi}, limits: {cpu: 1000m}}
`
	answers := traffictest.Read(t, traffictest.Mesh+pod).Answers(t)
	h, err := history.New([]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"shop"},"spec":{"containers":[
		{"name":"a","image":"nginx","terminationMessagePath":"","resources":{"requests":{"cpu":1,"memory":"1024Mi"},"limits":{"cpu":"1000m"}}}]}}`), answers[0].Admissions[0])
	if err != nil {
		t.Fatal(err)
	}
	got := setters(h.Object(), "", map[string]string{})
	for path, want := range map[string]string{
		"/resources/requests/cpu":    "user",
		"/resources/requests/memory": "user",
		"/resources/limits/cpu":      "user",
		"/terminationMessagePath":    "default",
		"/terminationMessagePolicy":  "default",
	} {
		if path = "/spec/containers/0" + path; got[path] != want {
			t.Errorf("%s was set by %q, want %q", path, got[path], want)
		}
	}
}

// A deletion has no object to follow.
func TestNoObject(t *testing.T) {
	deleted := traffictest.Read(t, traffictest.Mesh+update+"---\napiVersion: admsim.dev/v1alpha1\nkind: Request\nverb: delete\nresource: configmaps\nname: prices\nnamespace: shop\n").Answers(t)[2]
	if _, err := history.New(nil, deleted.Admissions[0]); err == nil {
		t.Error("a request without an object has a history")
	}
}

// For a field in which two answers differ, Between finds who set it in head or, if it is gone there, who removed it or
// had set it in base.
func TestBetween(t *testing.T) {
	pod := traffictest.Pod
	base := traffictest.Read(t, traffictest.Mesh+pod).Answers(t)[0]
	head := traffictest.Read(t, pod[len("\n---"):]+"---\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n").Answers(t)[0]
	x, y := encoded(t, base.Object), encoded(t, head.Object)
	operations, err := patch.Diff(x, y)
	if err != nil {
		t.Fatal(err)
	}
	between := history.Between(base, head)
	by := map[string]string{}
	for _, o := range operations {
		by[o.Op+" "+o.Path] = between.Of(o).String()
	}
	if got, want := by["remove /spec/containers/1"], "mesh/sidecar.mesh.example"; got != want {
		t.Errorf("the sidecar that is gone was set by %q, want %q; all: %v", got, want, by)
	}
}

func encoded(t *testing.T, o any) []byte {
	t.Helper()
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
