package dispatch

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/webhooktest"
	"github.com/admsim/admsim/pkg/trace"
)

// handlers returns webhooks that answer in many ways.
func handlers() map[string]http.Handler {
	all := webhooktest.Faults(allows)
	add := func(name string, f http.HandlerFunc) { all[name] = f }
	add("allows", allows)
	add("200 without a word", func(http.ResponseWriter, *http.Request) {})
	add("500 of text", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "boom", 500) })
	add("403 of what is sniffed as text", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403); _, _ = io.WriteString(w, "no") })
	add("403 of what is sniffed as something else", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(403)
		_, _ = io.WriteString(w, "\x00\x01\x02")
	})
	add("a header too late", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(403)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "no")
	})
	add("two statuses", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403); w.WriteHeader(200) })
	add("an early hint", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(103); allows(w, r) })
	add("a status that is none", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(7) })
	add("a body for 204", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(204)
		if _, err := io.WriteString(w, "x"); err == nil {
			panic("no error")
		}
	})
	add("a redirect", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/there" {
			http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
			return
		}
		allows(w, r)
	})
	add("a redirect that forgets the body", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			http.Redirect(w, r, "/there", http.StatusFound)
			return
		}
		http.Error(w, fmt.Sprint(r.Method, " ", r.ContentLength, r.Header["Content-Length"]), http.StatusForbidden)
	})
	add("compressed", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", r.Header.Get("Accept-Encoding"))
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, "[]")
		_ = z.Close()
	})
	add("not compressed", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.WriteString(w, "[]")
	})
	add("a panic in the middle", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "{")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	add("a panic after much", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat(" ", 8<<10))
		panic(http.ErrAbortHandler)
	})
	add("the end of its goroutine", func(http.ResponseWriter, *http.Request) { runtime.Goexit() })
	add("the end of its goroutine after much", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat(" ", 8<<10))
		runtime.Goexit()
	})
	add("a hang in the middle", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "{")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	add("what it is asked", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(http.StatusForbidden)
		_, _ = fmt.Fprintln(w, r.Method, r.URL, r.RequestURI, r.Proto, r.ProtoMajor, r.ProtoMinor, r.Host, r.ContentLength,
			len(body), r.Header, r.TLS.ServerName, r.TLS.HandshakeComplete, r.Close, r.TransferEncoding, r.Form == nil)
	})
	return all
}

var panicked = regexp.MustCompile(`; its handler panicked: .*?(; failurePolicy|$)`)

// A handler in this process behaves as it would over a connection, in every respect.
func TestHandlerIsAsOverASocket(t *testing.T) {
	authority := webhooktest.NewAuthority(t)
	cert := authority.Certificate(aWhile, serviceName)
	for name, handler := range handlers() {
		if name == "reset" || name == "bad header" {
			continue // requires a connection
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, ClientOptions{Services: serviceAt(webhooktest.Serve(t, cert, handler).Address), MaxAnswer: 1 << 20})
			h := atService(c, authority.Bundle)
			inProcess := Handler(handler)
			inProcess.maxAnswer = 1 << 20
			diff := ""
			for _, seconds := range limits(name) {
				h.TimeoutSeconds = &seconds
				h.Backend = c
				want := callPod(t, h).Hook
				h.Backend = inProcess
				got := callPod(t, h).Hook
				got.Because = panicked.ReplaceAllString(got.Because, "$1") // not visible over a socket
				if diff = cmp.Diff(want, got); diff == "" {
					break
				}
			}
			if diff != "" {
				t.Errorf("(-over a socket +in the process):\n%s", diff)
			}
		})
	}
}

func TestHandlerPanics(t *testing.T) {
	var seen atomic.Value
	boom := Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("boom") })).
		OnPanic(func(c Call, value any, stack []byte) {
			seen.Store(fmt.Sprint(c.Webhook, " ", value, " ", strings.Contains(string(stack), "TestHandlerPanics")))
		})
	for where, tt := range map[string]struct{ url, want string }{
		"over HTTP/1.1": {"https://hook.example/mutate", `Post "https://hook.example/mutate?timeout=10s": EOF`},
		"over HTTP/2":   {"https://127.0.0.1:9443/mutate", `Post "https://127.0.0.1:9443/mutate?timeout=10s": stream error: stream ID 1; INTERNAL_ERROR; received from peer`},
	} {
		h := mutatingHook(boom)
		h.Client.URL = &tt.url
		o := callPod(t, h)
		if diff := cmp.Diff(internalError(h.Name, "failed to call webhook: "+tt.want), o.Hook.Denial); diff != "" {
			t.Errorf("%s (-want +got):\n%s", where, diff)
		}
		if want := "; its handler panicked: boom; failurePolicy"; !strings.Contains(o.Hook.Because, want) {
			t.Errorf("%s: because %s, want %s in it", where, o.Hook.Because, want)
		}
		if want := "h.example.com boom true"; seen.Load() != want {
			t.Errorf("%s: reported %v, want %s", where, seen.Load(), want)
		}
	}
}

// The context of a late handler ends, and nothing is left of it.
func TestHandlerHangs(t *testing.T) {
	before := runtime.NumGoroutine()
	ended := make(chan error, 1)
	h := mutatingHook(Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		ended <- r.Context().Err()
	})))
	h.TimeoutSeconds = new(int32(1))
	o := callPod(t, h)
	if err := <-ended; err == nil {
		t.Error("the handler's context has no error")
	}
	want := internalError(h.Name, `failed to call webhook: Post "https://hook.example/mutate?timeout=1s": context deadline exceeded`)
	if diff := cmp.Diff(want, o.Hook.Denial); diff != "" || o.Hook.Duration != time.Second {
		t.Errorf("took %v; (-want +got):\n%s", o.Hook.Duration, diff)
	}
	eventually(t, "goroutines", func() int64 { return int64(max(runtime.NumGoroutine()-before, 0)) }, 0)
}

// A handler cannot redirect the server elsewhere, because there is nothing else to reach.
func TestHandlerRedirectsElsewhere(t *testing.T) {
	h := mutatingHook(Handler(http.RedirectHandler("https://other.example/", http.StatusTemporaryRedirect)))
	_, err := New(counter()).Call(t.Context(), h, reviewOf(podRequest()))
	want := "no answer for webhook cfg/h.example.com: its handler redirects to https://other.example, which is not in this process"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestFunc(t *testing.T) {
	type (
		request  = admissionv1.AdmissionRequest
		response = admissionv1.AdmissionResponse
	)
	for name, tt := range map[string]struct {
		decide  func(context.Context, *request) *response
		version string
		want    trace.Outcome
		because string
	}{
		"allows":           {func(context.Context, *request) *response { return &response{Allowed: true} }, "v1", trace.Allowed, "answered allowed: true"},
		"allows, beta":     {func(context.Context, *request) *response { return &response{Allowed: true} }, "v1beta1", trace.Allowed, "answered allowed: true"},
		"has its own uid":  {func(_ context.Context, r *request) *response { return &response{Allowed: true, UID: r.UID + "x"} }, "v1", trace.Failed, `expected response.uid="u1", got "u1x"`},
		"sees the request": {func(_ context.Context, r *request) *response { return &response{Allowed: r.Name == "cart"} }, "v1", trace.Allowed, "answered allowed: true"},
		"denies":           {func(context.Context, *request) *response { return &response{Result: &metav1.Status{Message: "no"}} }, "v1", trace.Denied, "answered allowed: false"},
		"patches":          {func(context.Context, *request) *response { return &response{Allowed: true, Patch: []byte(`[]`)} }, "v1", trace.Failed, "webhook returned response.patch but not response.patchType"},
		"says nothing":     {func(context.Context, *request) *response { return nil }, "v1", trace.Failed, "webhook response was absent"},
		"panics":           {func(context.Context, *request) *response { panic("boom") }, "v1", trace.Failed, "EOF; its handler panicked: boom"},
		"looks at the clock": {func(ctx context.Context, _ *request) *response {
			_, has := ctx.Deadline()
			return &response{Allowed: has}
		}, "v1", trace.Allowed, "answered allowed: true"},
	} {
		h := mutatingHook(Func(tt.decide))
		h.ReviewVersions = []string{tt.version}
		o := callPod(t, h)
		if o.Hook.Outcome != tt.want || !strings.Contains(o.Hook.Because, tt.because) {
			t.Errorf("%s: %s because %s, want %s because %s", name, o.Hook.Outcome, o.Hook.Because, tt.want, tt.because)
		}
	}
	reply := Func(nil).Call(t.Context(), Call{URL: "https://h.example/", Timeout: time.Second, body: fixed([]byte(`{}`))})
	if reply.Status != http.StatusBadRequest {
		t.Errorf("no review: status %d, want 400", reply.Status)
	}
}

// The time of a handler is only measured if a clock is given.
func TestHandlerTiming(t *testing.T) {
	at := time.Time{}
	now := func() time.Time { at = at.Add(7 * time.Millisecond); return at }
	if got := callPod(t, mutatingHook(Handler(allows))).Hook.Duration; got != 0 {
		t.Errorf("took %v, want nothing", got)
	}
	if got := callPod(t, mutatingHook(Handler(allows).Timed(now))).Hook.Duration; got != 7*time.Millisecond {
		t.Errorf("took %v, want 7ms", got)
	}
}

func BenchmarkHandler(b *testing.B) {
	d, h, r := New(counter()), mutatingHook(Handler(allows)), reviewOf(podRequest())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Call(b.Context(), h, r); err != nil {
			b.Fatal(err)
		}
	}
}
