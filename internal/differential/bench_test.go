package differential

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/webhooktest"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/trace"
)

// quick is a webhook that costs next to nothing: it looks for the UID and allows.
func quick(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	_, rest, _ := bytes.Cut(body, []byte(`"uid":"`))
	uid, _, _ := bytes.Cut(rest, []byte(`"`))
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"%s","allowed":true}}`, uid)
}

// benchEnv returns an environment with that webhook.
func benchEnv(b *testing.B) *env {
	w := &world{authority: webhooktest.NewAuthority(b)}
	address := webhooktest.Serve(b, w.authority.Certificate(time.Hour, serviceName), http.HandlerFunc(quick)).Address
	return &env{world: w, t: b, address: address, services: addresses{"shop/hook:443": address}}
}

// benchPod returns a request for an object of typical size.
func benchPod() admission.Request {
	r := testCase{}.admission()
	r.Resource.Resource, r.Kind.Kind, r.Name = "pods", "Pod", "web"
	pod := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", Labels: map[string]string{"app": "web", "team": "a"}},
	}
	for i := range 3 {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{
			Name: fmt.Sprintf("c%d", i), Image: "registry.example/web:1", Command: []string{"/web", "--listen=:8080"},
			Env:   []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "B", Value: "2"}},
			Ports: []corev1.ContainerPort{{ContainerPort: 8080, Protocol: corev1.ProtocolTCP}},
		})
	}
	r.Object = pod
	return r
}

// BenchmarkCall compares a call through admsim's dispatcher with the minimum: the same bytes, there and back, with a
// bare http.Client over the same kind of connection.
func BenchmarkCall(b *testing.B) {
	e := benchEnv(b)
	client := dispatch.NewClient(dispatch.AllowNetwork(), dispatch.ClientOptions{Services: e.services, Now: time.Now})
	b.Cleanup(client.Close)
	req := benchPod()
	object, err := json.Marshal(req.Object)
	if err != nil {
		b.Fatal(err)
	}
	review := &dispatch.Review{Request: req, Resource: req.Resource, Kind: req.Kind, Object: req.Object, ObjectJSON: dispatch.Text(object)}
	hook := dispatch.Hook{
		Configuration: "config", Name: "h.shop.example", Phase: trace.Validating,
		Client: e.service("/review", 443), ReviewVersions: []string{"v1"}, TimeoutSeconds: new(int32(10)),
		Backend: client,
	}
	d := dispatch.New(func() types.UID { return "705ab4f5-6393-11e8-b7cc-42010a800002" })
	outcome, err := d.Call(b.Context(), hook, review)
	if err != nil || outcome.Hook.Outcome != trace.Allowed {
		b.Fatal(outcome.Hook.Because, err)
	}
	sent := outcome.Hook.Calls[0].Review.Bytes()

	header := http.Header{"Accept": {"application/json, */*"}, "Content-Type": {"application/json"}, "User-Agent": {"kube-apiserver-admission"}}
	bare := &http.Client{Transport: bareTransport(b, e)}
	b.Cleanup(bare.CloseIdleConnections)

	compare(b, "admsim", func() {
		if o, err := d.Call(b.Context(), hook, review); err != nil || o.Hook.Outcome != trace.Allowed {
			b.Fatal(o.Hook.Because, err)
		}
	}, "http.Client", func() {
		request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, "https://hook.shop.svc:443/review?timeout=10s", bytes.NewReader(sent))
		if err != nil {
			b.Fatal(err)
		}
		request.Header = header
		response, err := bare.Do(request)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadAll(response.Body); err != nil {
			b.Fatal(err)
		}
		_ = response.Body.Close()
	})
}

// compare measures two functions: each alone, and then alternating, so that other load on the machine affects both. It
// reports how many times longer the one takes.
func compare(b *testing.B, oneName string, one func(), otherName string, other func()) {
	names, ways := [2]string{oneName, otherName}, [2]func(){one, other}
	for i, f := range ways {
		b.Run("by="+names[i], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
	b.Run("in turns", func(b *testing.B) {
		var times [2]time.Duration
		for b.Loop() {
			for i, f := range ways {
				start := time.Now()
				f()
				times[i] += time.Since(start)
			}
		}
		b.ReportMetric(float64(times[0])/float64(times[1]), oneName+"/"+otherName)
	})
}

// BenchmarkChain sends a request to several webhooks, through the server's dispatchers over TLS and through admsim:
// over the same TLS, and as handlers in this process.
func BenchmarkChain(b *testing.B) {
	const n = 10
	e := benchEnv(b)
	var hooks []admissionregistrationv1.ValidatingWebhook
	for i := range n {
		h := testCase{}.webhook(e)
		h.Name = fmt.Sprintf("h%d.shop.example", i)
		hooks = append(hooks, h)
	}
	req := benchPod()
	mutating := newServer(b, trace.Mutating, hooks, "", e.services)
	validating := newServer(b, trace.Validating, hooks, "", e.services)
	server := func() {
		for _, s := range []*server{mutating, validating} {
			if v := s.Admit(b.Context(), req); v.Denial != nil {
				b.Fatal(v.Denial.Message)
			}
		}
	}
	for _, way := range []struct {
		name   string
		admsim admsim
	}{
		{"TLS", newAdmsim(b, "", hooks, "", e.services)},
		{"handlers", newAdmsimWith(b, "", hooks, dispatch.Handler(http.HandlerFunc(quick)))},
	} {
		b.Run(fmt.Sprintf("mutating=%d/validating=%d/admsim=%s", n, n, way.name), func(b *testing.B) {
			compare(b, "admsim", func() {
				if v := way.admsim.Admit(b.Context(), req); v.Denial != nil || v.Object == nil {
					b.Fatal(v)
				}
			}, "apiserver", server)
		})
	}
}

// bareTransport returns a transport that connects to the webhook of e.
func bareTransport(b *testing.B, e *env) *http.Transport {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(e.authority.Bundle) {
		b.Fatal("no certificate in the bundle")
	}
	return &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, NextProtos: []string{"http/1.1"}},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, e.address)
		},
	}
}
