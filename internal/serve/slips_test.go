package serve_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/simulator"
)

// Concurrent creates that charge the same quota are charged one after the other: only as many are admitted as the quota
// allows.
func TestQuotaRace(t *testing.T) {
	s := newServer(t, store.Options{})
	const room = 5
	quota := fmt.Sprintf(`{"metadata":{"name":"q"},"spec":{"hard":{"count/secrets":"%d"}},"status":{"hard":{"count/secrets":"%d"},"used":{"count/secrets":"0"}}}`, room, room)
	if a := s.do("POST", "/api/v1/namespaces/default/resourcequotas", quota); a.code != 201 {
		t.Fatalf("%s", a.body)
	}
	if a := s.do("PUT", "/api/v1/namespaces/default/resourcequotas/q/status", quota); a.code != 200 {
		t.Fatalf("%s", a.body)
	}
	var creating sync.WaitGroup
	codes := make([]int, 4*room)
	for i := range codes {
		creating.Go(func() {
			codes[i] = s.do("POST", "/api/v1/namespaces/default/secrets", fmt.Sprintf(`{"metadata":{"name":"s%d"}}`, i)).code
		})
	}
	creating.Wait()
	count := map[int]int{}
	for _, code := range codes {
		count[code]++
	}
	if count[201] != room || count[403] != len(codes)-room {
		t.Errorf("codes %v, want %d times 201, and 403 for the rest", count, room)
	}
	if used := s.do("GET", "/api/v1/namespaces/default/resourcequotas/q", "").field("status", "used", "count/secrets"); used != fmt.Sprint(room) {
		t.Errorf("used: %v", used)
	}
}

// hooked returns a cluster with one webhook, for ConfigMaps whose names begin with slow. It calls answer before it
// allows the request.
func hooked(t *testing.T, answer func(context.Context, *server)) (s *server) {
	t.Helper()
	backend := backendFunc(func(ctx context.Context, c dispatch.Call) dispatch.Reply {
		answer(ctx, s)
		return dispatch.Reply{Body: fmt.Appendf(nil, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":%q,"allowed":true}}`, c.UID)}
	})
	s = newServerOf(t, simulator.Options{
		State:    simulator.AssumeControllers(simulator.Bootstrap()),
		Backends: func(string, string) dispatch.Backend { return backend },
	}, store.Options{})
	const configuration = `{"metadata":{"name":"w"},"webhooks":[{"name":"w.shop.example","clientConfig":{"url":"https://w.shop.example/"},"sideEffects":"None","admissionReviewVersions":["v1"],
		"rules":[{"apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"],"operations":["CREATE"]}],
		"matchConditions":[{"name":"slow","expression":"object.metadata.name.startsWith('slow')"}]}]}`
	if a := s.do("POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", configuration); a.code != 201 {
		t.Fatalf("%s", a.body)
	}
	return s
}

type backendFunc func(context.Context, dispatch.Call) dispatch.Reply

func (f backendFunc) Call(ctx context.Context, c dispatch.Call) dispatch.Reply { return f(ctx, c) }

// During its call a webhook can read and write through the server, even the object of the request.
func TestWebhookUsesServer(t *testing.T) {
	var listed, made, same int
	asked := 0
	s := hooked(t, func(_ context.Context, s *server) {
		if asked++; asked > 1 {
			return
		}
		listed = s.do("GET", maps, "").code
		made = s.do("POST", maps, `{"metadata":{"name":"noted"}}`).code
		same = s.do("POST", maps, `{"metadata":{"name":"slow"}}`).code
	})
	done := make(chan answer, 1)
	go func() { done <- s.do("POST", maps, `{"metadata":{"name":"slow"}}`) }()
	select {
	case a := <-done:
		if listed != 200 || made != 201 || same != 201 || a.code != 409 {
			t.Errorf("list %d, create %d, the same %d, then %d; want 200, 201, 201, 409", listed, made, same, a.code)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the webhook and the server wait for each other")
	}
}

// A slow webhook does not block other requests.
func TestSlowWebhook(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	s := hooked(t, func(context.Context, *server) {
		close(begun)
		<-end
	})
	done := make(chan answer, 1)
	go func() { done <- s.do("POST", maps, `{"metadata":{"name":"slow"}}`) }()
	<-begun
	for i := range 20 {
		s.create(fmt.Sprint("quick", i), "")
	}
	if a := s.do("GET", maps, ""); strings.Contains(string(a.body), `"slow"`) || !strings.Contains(string(a.body), `"quick19"`) {
		t.Errorf("during the call: %s", a.body)
	}
	close(end)
	if a := <-done; a.code != http.StatusCreated {
		t.Errorf("the slow request: %d %s", a.code, a.body)
	}
}

// The server does not serve the group of another server, and answers that this is unavailable.
func TestElsewhere(t *testing.T) {
	s := newServer(t, store.Options{})
	const service = `{"metadata":{"name":"v1beta1.metrics.k8s.io"},"spec":{"group":"metrics.k8s.io","version":"v1beta1","groupPriorityMinimum":100,"versionPriority":100,
		"insecureSkipTLSVerify":true,"service":{"namespace":"kube-system","name":"metrics-server"}}}`
	if a := s.do("GET", "/apis/metrics.k8s.io/v1beta1/nodes", ""); a.code != 404 {
		t.Errorf("without an APIService: %d %s", a.code, a.body)
	}
	if a := s.do("POST", "/apis/apiregistration.k8s.io/v1/apiservices", service); a.code != 201 {
		t.Fatalf("%s", a.body)
	}
	for _, path := range []string{"/apis/metrics.k8s.io/v1beta1", "/apis/metrics.k8s.io/v1beta1/nodes", "/apis/metrics.k8s.io/v1beta1/namespaces/a/pods/b?watch=1"} {
		if a := s.do("GET", path, ""); a.code != 503 || string(a.body) != "service unavailable\n" {
			t.Errorf("%s: %d %s", path, a.code, a.body)
		}
	}
	if a := s.do("GET", "/apis/apps/v1", ""); a.code != 200 {
		t.Errorf("a group of the server itself: %d %s", a.code, a.body)
	}
	if a := s.do("GET", "/apis/metrics.k8s.io/v1beta1/nodes", "", "Authorization", ""); a.code != 403 {
		t.Errorf("without credentials: %d %s", a.code, a.body)
	}
}
