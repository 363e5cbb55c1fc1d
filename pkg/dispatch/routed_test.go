package dispatch

import (
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/webhooktest"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Since 1.37 a service is called by its address if the cluster knows it (W-144). A redirect that cannot be followed shows
// this.
func TestServiceCalledByAddress(t *testing.T) {
	authority := webhooktest.NewAuthority(t)
	hosts := make(chan string, 1)
	server := webhooktest.Serve(t, authority.Certificate(aWhile, serviceName), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hosts <- r.Host
		w.Header().Set("Location", "https://%zz")
		w.WriteHeader(http.StatusFound)
	}))
	ports := []corev1.ServicePort{{Port: 443}}
	for name, tt := range map[string]struct {
		spec    corev1.ServiceSpec
		routes  bool // to endpoints
		version string
		want    string
	}{
		"its endpoint":        {spec: corev1.ServiceSpec{Type: corev1.ServiceTypeClusterIP, ClusterIP: "10.0.0.7", Ports: ports}, routes: true, version: "1.37", want: "10.1.0.1:9443"},
		"its cluster IP":      {spec: corev1.ServiceSpec{Type: corev1.ServiceTypeClusterIP, ClusterIP: "10.0.0.7", Ports: ports}, version: "1.37", want: "10.0.0.7:443"},
		"its external name":   {spec: corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "a.example"}, version: "1.37", want: "a.example:443"},
		"no cluster IP":       {spec: corev1.ServiceSpec{Type: corev1.ServiceTypeClusterIP, Ports: ports}, version: "1.37", want: "hook.shop.svc:443"},
		"in earlier releases": {spec: corev1.ServiceSpec{Type: corev1.ServiceTypeClusterIP, ClusterIP: "10.0.0.7", Ports: ports}, version: "1.36", want: "hook.shop.svc:443"},
	} {
		release, err := kubeversion.Parse(tt.version)
		if err != nil {
			t.Fatal(err)
		}
		state := cluster.New(cluster.Object{Object: aService(tt.spec)}, cluster.Object{Object: aSlice("a", "hook", "", 9443, endpoint("10.1.0.1", nil))})
		c := newClient(t, ClientOptions{Services: serviceAt(server.Address), State: state, EndpointRouting: tt.routes})
		review := reviewOf(podRequest())
		review.Release = release
		o, err := New(counter()).Call(t.Context(), atService(c, authority.Bundle), review)
		if err != nil {
			t.Fatal(err)
		}
		want := `failed to call webhook: Post "https://` + tt.want + `/mutate?timeout=30s": failed to parse Location header`
		if !strings.Contains(o.Hook.Because, want) {
			t.Errorf("W-144: %s: %s\nwant %s", name, o.Hook.Because, want)
		}
		if host := <-hosts; host != "hook.shop.svc:443" {
			t.Errorf("W-144: %s: the webhook is called as %s", name, host)
		}
	}
}
