package store_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

func newStore(t *testing.T, o store.Options) *store.Store {
	t.Helper()
	sim, err := simulator.New(simulator.Options{State: simulator.Bootstrap()})
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.New(sim, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func do(t *testing.T, s *store.Store, verb, name, body string) *simulator.Result {
	t.Helper()
	result, err := s.Do(context.Background(), rest.Request{
		Verb: verb, Resource: configMaps, Namespace: "default", Name: name, Body: []byte(body),
		User: authenticationv1.UserInfo{Username: "alice", Groups: []string{"system:masters"}}, PatchType: rest.MergePatch,
	})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func named(name string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q},"data":{"n":"0"}}`, name)
}

// Each write has a revision, which is the version of the object that it leaves. The writes since any revision can be
// read.
func TestRevisions(t *testing.T) {
	s := newStore(t, store.Options{})
	start := s.Latest().State().Writes()
	do(t, s, rest.Create, "", named("a"))
	second := do(t, s, rest.Create, "", named("b"))
	do(t, s, rest.Get, "a", "")
	do(t, s, rest.Create, "", named("a")) // already exists
	do(t, s, rest.Delete, "a", "")
	events, upTo, _, err := s.Since(start)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range events {
		got = append(got, fmt.Sprintf("%d %s %v→%v", e.Revision-start, e.Name, e.Before.Object != nil, e.After.Object != nil))
	}
	if want := "1 a false→true, 2 b false→true, 3 a true→false"; strings.Join(got, ", ") != want {
		t.Errorf("events %s, want %s", strings.Join(got, ", "), want)
	}
	if upTo != start+3 {
		t.Errorf("up to %d, want %d", upTo, start+3)
	}
	if m, _ := meta.Accessor(second.Object); m.GetResourceVersion() != strconv.FormatInt(start+2, 10) {
		t.Errorf("the second has version %s, want %d", m.GetResourceVersion(), start+2)
	}
	if sim, ok := s.At(start + 1); !ok || count(sim) != 1 {
		t.Error("the cluster after the first write is not known")
	}
	if sim, ok := s.At(start); !ok || count(sim) != 0 {
		t.Error("the cluster before the first write is not known")
	}
	if _, ok := s.At(start + 4); ok {
		t.Error("the cluster of the future is known")
	}
}

func count(sim *simulator.Simulator) (n int) {
	for range sim.State().List(schema.GroupKind{Kind: "ConfigMap"}, "default") {
		n++
	}
	return n
}

// The cluster can be read exactly as it was at each remembered revision, and at no other.
func TestAt(t *testing.T) {
	s := newStore(t, store.Options{History: 250})
	start := s.Latest().State().Writes()
	var then []*cluster.State
	for i := range 700 {
		then = append(then, s.Latest().State())
		switch name := fmt.Sprint("c", i%40); i / 40 % 3 {
		case 0:
			do(t, s, rest.Create, "", named(name))
		case 1:
			do(t, s, rest.Patch, name, fmt.Sprintf(`{"data":{"n":"%d"}}`, i))
		case 2:
			do(t, s, rest.Delete, name, "")
		}
	}
	known := 0
	for i, want := range then {
		sim, ok := s.At(start + int64(i))
		if !ok {
			if known > 0 {
				t.Fatalf("%d is not known, and an earlier one is", i)
			}
			continue
		}
		known++
		if d := cluster.Between(sim.State(), want); len(d) > 0 || sim.State().Writes() != want.Writes() {
			t.Fatalf("%d: %v, %d writes, want %d", i, d, sim.State().Writes(), want.Writes())
		}
	}
	if known < 250 || known > 650 {
		t.Errorf("%d of 700 are known", known)
	}
}

// The history is limited.
func TestHistory(t *testing.T) {
	s := newStore(t, store.Options{History: 4})
	start := s.Latest().State().Writes()
	for i := range 30 {
		do(t, s, rest.Create, "", named(fmt.Sprint("c", i)))
	}
	if _, _, _, err := s.Since(start); err == nil || !strings.Contains(err.Error(), "too old resource version") {
		t.Errorf("since the beginning: %v", err)
	}
	events, _, _, err := s.Since(start + 26)
	if err != nil || len(events) != 4 || events[0].Name != "c26" {
		t.Errorf("since 26: %d events, %v", len(events), err)
	}
	if sim, ok := s.At(start + 27); !ok || count(sim) != 27 {
		t.Error("the cluster after 27 writes is not known")
	}
}

// Many clients write concurrently. No write is lost, and all readers see the same order.
func TestSideBySide(t *testing.T) {
	const writers, each = 8, 40
	s := newStore(t, store.Options{History: 10 * writers * each})
	start := s.Latest().State().Writes()
	do(t, s, rest.Create, "", named("shared"))
	ctx, cancel := context.WithCancel(context.Background())
	var readers, running sync.WaitGroup
	var total atomic.Int64
	seen := make([][]int64, 4)
	for r := range seen {
		readers.Go(func() {
			at, done := start, false
			for {
				events, upTo, more, err := s.Since(at)
				if err != nil {
					t.Error(err)
					return
				}
				for _, e := range events {
					seen[r] = append(seen[r], e.Revision)
				}
				if at = upTo; done {
					return
				}
				select {
				case <-more:
				case <-ctx.Done():
					done = true // what was written in between still has to be read
				}
			}
		})
	}
	for w := range writers {
		running.Go(func() {
			for i := range each {
				if code := do(t, s, rest.Create, "", named(fmt.Sprintf("own-%d-%d", w, i))).Code; code != 201 {
					t.Errorf("create: %d", code)
				}
				// A client that reads a value and writes the next one with its version may lose, which is reported to
				// it.
				found := do(t, s, rest.Get, "shared", "").Object.(*corev1.ConfigMap)
				n, _ := strconv.Atoi(found.Data["n"])
				result := do(t, s, rest.Patch, "shared", fmt.Sprintf(`{"metadata":{"resourceVersion":%q},"data":{"n":"%d"}}`, found.ResourceVersion, n+1))
				switch result.Code {
				case 200:
					total.Add(1)
				case 409:
				default:
					t.Errorf("patch: %d", result.Code)
				}
				// Without a version each patch succeeds, whoever else writes.
				do(t, s, rest.Patch, "shared", fmt.Sprintf(`{"data":{"w%d":"%d"}}`, w, i))
			}
		})
	}
	running.Wait()
	cancel()
	readers.Wait()
	shared := do(t, s, rest.Get, "shared", "").Object.(*corev1.ConfigMap)
	if got := shared.Data["n"]; got != fmt.Sprint(total.Load()) {
		t.Errorf("%s is the value after %d writes that succeeded", got, total.Load())
	}
	for w := range writers {
		if got := shared.Data[fmt.Sprint("w", w)]; got != fmt.Sprint(each-1) {
			t.Errorf("the last value of writer %d is lost: %s", w, got)
		}
	}
	latest := s.Latest().State().Writes()
	for r := range seen {
		if int64(len(seen[r])) != latest-start {
			t.Fatalf("reader %d saw %d of %d writes", r, len(seen[r]), latest-start)
		}
		for i, revision := range seen[r] {
			if revision != start+1+int64(i) {
				t.Fatalf("reader %d saw %d at %d", r, revision, i)
			}
		}
	}
}

// A controller writes without a request.
func TestWrite(t *testing.T) {
	s := newStore(t, store.Options{})
	do(t, s, rest.Create, "", named("a"))
	err := s.Write(func(sim *simulator.Simulator) (*cluster.State, error) {
		return sim.State().Without(cluster.Key{GroupKind: schema.GroupKind{Kind: "ConfigMap"}, Namespace: "default", Name: "a"}), nil
	})
	if err != nil || count(s.Latest()) != 0 {
		t.Errorf("%v, %d are left", err, count(s.Latest()))
	}
}

// A pod that is deleted at once is marked first: watches see both writes, and the cluster in between.
func TestMarkedBeforeGone(t *testing.T) {
	s := newStore(t, store.Options{})
	ask := func(verb, name, body string) {
		t.Helper()
		result, err := s.Do(context.Background(), rest.Request{
			Verb: verb, Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Namespace: "default", Name: name, Body: []byte(body),
			User: authenticationv1.UserInfo{Username: "alice", Groups: []string{"system:masters"}},
		})
		if err != nil || result.Code >= 300 {
			t.Fatal(err, result.Status())
		}
	}
	account := corev1.ServiceAccount{}
	account.APIVersion, account.Kind, account.Namespace, account.Name = "v1", "ServiceAccount", "default", "default"
	if err := s.Write(func(sim *simulator.Simulator) (*cluster.State, error) {
		return sim.State().With(cluster.Object{Object: &account}), nil
	}); err != nil {
		t.Fatal(err)
	}
	ask(rest.Create, "", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
	start := s.Latest().State().Writes()
	ask(rest.Delete, "p", "")
	events, upTo, _, err := s.Since(start)
	if err != nil || len(events) != 2 || upTo != start+2 {
		t.Fatalf("%d events up to %d: %v", len(events), upTo-start, err)
	}
	pod, ok := events[0].Change.After.Object.(*corev1.Pod)
	if !ok || pod.DeletionTimestamp == nil || pod.ResourceVersion != strconv.FormatInt(start+1, 10) {
		t.Errorf("first %v", events[0].Change.After.Object)
	}
	if events[1].Change.After.Object != nil || events[1].Before.Object != events[0].Change.After.Object {
		t.Errorf("then %v, which was %v", events[1].Change.After.Object, events[1].Before.Object)
	}
	for i, want := range []bool{true, false} {
		sim, ok := s.At(events[i].Revision)
		if !ok {
			t.Fatalf("event %d is forgotten", i)
		}
		if _, exists := sim.State().Find(events[i].Key); exists != want {
			t.Errorf("after event %d, the pod exists: %v", i, exists)
		}
	}
}
