package rest

import (
	"net/http"
	"testing"
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// If the time is over, the answer says so, whatever a webhook said (W-032). The step in which it was over denied the
// request.
func TestTimeoutBeforeDenial(t *testing.T) {
	w := newWorld()
	response, _ := w.do(t, w.server(), "create configmaps shop/ takes=17s deny=validating", []byte(`{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}`))
	if response.Code != http.StatusGatewayTimeout || response.DeniedBy == nil {
		t.Errorf("the answer is %d, denied by %v, want 504 and a step", response.Code, response.DeniedBy)
	}
}

// Conversions delay a phase with the requests that the server sends to itself in it.
func TestConversionsDelayOwnRequests(t *testing.T) {
	x := newExchange(&Server{Conversions: func() []trace.Hook { return []trace.Hook{{Duration: 2 * time.Second}} }}, nil, Request{})
	x.elapsed = time.Second
	step := trace.Step{Start: time.Second, Effects: &trace.Effects{Sent: []trace.Sent{{Start: time.Second}, {Start: 3 * time.Second}}}}
	steps, took := x.callsDuring([]trace.Step{step}, 0)
	if took != 2*time.Second || len(steps) != 2 {
		t.Fatalf("the conversions took %s in %d steps, want 2s in a step of their own", took, len(steps))
	}
	later := steps[1]
	sent := later.Did().Sent
	if later.Start != 3*time.Second || sent[0].Start != 3*time.Second || sent[1].Start != 5*time.Second {
		t.Errorf("the step begins after %s, its requests after %s and %s, want 3s, 3s and 5s", later.Start, sent[0].Start, sent[1].Start)
	}
}

// While the server tries one address of a large range after the other for a service, the time of the request is over
// (PL-08f). Without a name, none of the IPAddresses is valid.
func TestAddressesUntilTimeout(t *testing.T) {
	w := newWorld()
	w.become(t, []string{"1.34"})
	w.state = w.state.With(cluster.Object{Object: &networkingv1.ServiceCIDR{
		TypeMeta:   metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "ServiceCIDR"},
		ObjectMeta: metav1.ObjectMeta{Name: "kubernetes"},
		Spec:       networkingv1.ServiceCIDRSpec{CIDRs: []string{"10.0.0.0/18"}},
	}})
	response, _ := w.do(t, w.server(), "create services shop/", []byte(`{apiVersion: v1, kind: Service, spec: {ports: [{port: 80}]}}`))
	if response.Code != http.StatusGatewayTimeout || len(response.Sent) != mostTries {
		t.Errorf("the answer is %d after %d requests to itself, want 504 after %d", response.Code, len(response.Sent), mostTries)
	}
}
