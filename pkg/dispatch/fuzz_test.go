package dispatch

import (
	"bufio"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/admsim/admsim/internal/webhooktest"
	"github.com/admsim/admsim/pkg/trace"
)

// FuzzAnswer lets a webhook send anything over HTTPS: the status line, headers and body are bytes on the connection.
// The call ends, with an outcome that the API server also knows, and with the same one the second time.
func FuzzAnswer(f *testing.F) {
	const review = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"00000000-0000-4000-8000-000000000001","allowed":true}}`
	for _, head := range []string{
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 131\r\n\r\n",
		"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
		"HTTP/1.0 200 OK\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n83\r\n",
		"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
		"HTTP/1.1 302 Found\r\nLocation: https://elsewhere.example/\r\n\r\n",
		"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 500 Oops\r\nContent-Length: 99999\r\n\r\n",
		"HTTP/2.0 200\r\n\r\n", "nonsense", "",
	} {
		f.Add([]byte(head + review))
	}
	authority := webhooktest.NewAuthority(f)
	var answer atomic.Pointer[[]byte]
	server := webhooktest.Serve(f, authority.Certificate(aWhile, serviceName), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		say(conn, buffered, *answer.Load())
	}))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 32<<10 || strings.Contains(strings.ToLower(string(text)), "retry-after") {
			t.Skip("the client waits as long as the answer says")
		}
		answer.Store(&text)
		call := func() Outcome {
			c := NewClient(AllowNetwork(), ClientOptions{Services: serviceAt(server.Address), MaxAnswer: 1 << 20})
			defer c.Close()
			h := mutatingHook(c)
			h.TimeoutSeconds = new(int32(noHurry))
			h.Client = admissionregistrationv1.WebhookClientConfig{
				Service:  &admissionregistrationv1.ServiceReference{Namespace: "shop", Name: "hook"},
				CABundle: authority.Bundle,
			}
			return callPod(t, h)
		}
		first, again := call(), call()
		if first.Hook.Outcome != again.Hook.Outcome {
			t.Errorf("%q: %s, then %s: %s", text, first.Hook.Outcome, again.Hook.Outcome, again.Hook.Because)
		}
		switch o := first.Hook.Outcome; o {
		case trace.Allowed, trace.Changed:
		case trace.Denied, trace.Failed:
			if first.Hook.Denial == nil || first.Hook.Denial.Code < 400 {
				t.Errorf("%q: %s with %+v", text, o, first.Hook.Denial)
			}
		case trace.FailedOpen:
		default:
			t.Errorf("%q: %s", text, o)
		}
	})
}

// say writes text to the connection and closes it, without a reset that the client might see first.
func say(conn net.Conn, _ *bufio.ReadWriter, text []byte) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	_, _ = conn.Write(text)
}
