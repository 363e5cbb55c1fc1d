package recorder

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/certificate"
	"github.com/admsim/admsim/internal/redact"
)

// A buffer is a log file in memory.
type buffer struct {
	mutex sync.Mutex
	bytes.Buffer
}

func (b *buffer) Write(text []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.Buffer.Write(text)
}

// A recording is a line as its readers see it.
type recording struct {
	V            int
	T            time.Time
	Latency      string
	Review       map[string]json.RawMessage
	Redacted     bool
	HTTP         int
	Raw          *string
	Error        string
	Source       string
	ConfigDigest string
	End          *Counts
}

func readLines(t *testing.T, r io.Reader) []recording {
	t.Helper()
	var all []recording
	for d := json.NewDecoder(r); ; {
		var one recording
		if err := d.Decode(&one); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("line %d: %v", len(all)+1, err)
		}
		if one.V != 1 || one.T.IsZero() {
			t.Errorf("line %d: v %d, t %s", len(all)+1, one.V, one.T)
		}
		all = append(all, one)
	}
}

// A server is a running recorder.
type server struct {
	url      string
	client   *http.Client
	recorder *Recorder
	stop     func() (Counts, error)
}

func serve(t *testing.T, l *Log, o Options) server {
	t.Helper()
	now := time.Now()
	authority, err := certificate.NewAuthority(now)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := authority.Issue(now, certificate.Local()...)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var (
		counts Counts
		ended  error
		done   = make(chan struct{})
	)
	r := New(l, o)
	go func() {
		defer close(done)
		counts, ended = r.Serve(ctx, listener, pair)
	}()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority.Bundle())
	transport := &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: roots},
		MaxIdleConnsPerHost: 64,
		DisableCompression:  true,
	}
	stop := func() (Counts, error) {
		cancel()
		<-done
		transport.CloseIdleConnections()
		return counts, ended
	}
	t.Cleanup(func() { _, _ = stop() })
	return server{url: "https://" + listener.Addr().String(), client: &http.Client{Transport: transport}, recorder: r, stop: stop}
}

func (s server) post(path, body string) (status int, answer string, err error) {
	return s.postUntil(context.Background(), path, body)
}

// postUntil posts, and gives up when ctx is done.
func (s server) postUntil(ctx context.Context, path, body string) (status int, answer string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

// noLeaks fails the test if it leaves goroutines behind.
func noLeaks(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for range 3000 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		stacks := make([]byte, 1<<16)
		t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
	})
}

const small = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u1","kind":{"group":"","version":"v1","kind":"ConfigMap"},"object":{"data":{"a":"<b>"}, "n": 1.0}}}`

func TestAllow(t *testing.T) {
	noLeaks(t)
	var file buffer
	s := serve(t, NewLog(&file), Options{ConfigDigest: "sha256:1"})
	for _, c := range []struct {
		reason, path, body string
		status             int
		want               string
	}{
		{"a review", "/validate?timeout=5s", small, 200, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u1","allowed":true}}`},
		{"of the old version", "/mutate", strings.Replace(small, "/v1", "/v1beta1", 1), 200, `{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","response":{"uid":"u1","allowed":true}}`},
		{"half a review", "/validate", small[:50], 400, "this is no AdmissionReview with a request\n"},
		{"a review without a request", "/validate", `{"kind":"AdmissionReview"}`, 400, "this is no AdmissionReview with a request\n"},
	} {
		status, answer, err := s.post(c.path, c.body)
		if err != nil || status != c.status || answer != c.want {
			t.Errorf("%s: %d %q, %v; want %d %q", c.reason, status, answer, err, c.status, c.want)
		}
	}
	for path, want := range map[string]int{"/healthz": 200, "/validate": 405} {
		response, err := s.client.Get(s.url + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("GET %s = %d, want %d", path, response.StatusCode, want)
		}
	}
	counts, err := s.stop()
	if err != nil || counts != (Counts{Recorded: 2}) {
		t.Errorf("counts %+v, %v", counts, err)
	}
	lines := readLines(t, &file)
	if len(lines) != 3 {
		t.Fatalf("%d lines, want 3", len(lines))
	}
	if end := lines[2].End; end == nil || *end != counts {
		t.Errorf("the last line says %v, want %v", end, counts)
	}
	for i, want := range []struct{ source, version string }{{"/validate?timeout=5s", "v1"}, {"/mutate", "v1beta1"}} {
		got := lines[i]
		if got.Source != want.source || got.ConfigDigest != "sha256:1" || got.HTTP != 0 || got.Raw != nil || got.Error != "" || got.Redacted {
			t.Errorf("line %d: %+v", i, got)
		}
		if d, err := time.ParseDuration(got.Latency); err != nil || d <= 0 {
			t.Errorf("line %d: latency %q", i, got.Latency)
		}
		wantReview := map[string]json.RawMessage{
			"kind":       json.RawMessage(`"AdmissionReview"`),
			"apiVersion": json.RawMessage(`"admission.k8s.io/` + want.version + `"`),
			// as it was sent, except for white space
			"request":  json.RawMessage(`{"uid":"u1","kind":{"group":"","version":"` + want.version + `","kind":"ConfigMap"},"object":{"data":{"a":"<b>"},"n":1.0}}`),
			"response": json.RawMessage(`{"uid":"u1","allowed":true}`),
		}
		if want.version == "v1beta1" {
			wantReview["request"] = json.RawMessage(strings.Replace(string(wantReview["request"]), "v1beta1", "v1", 1))
		}
		if diff := cmp.Diff(wantReview, got.Review, cmp.Transformer("text", func(r json.RawMessage) string { return string(r) })); diff != "" {
			t.Errorf("line %d: %s", i, diff)
		}
	}
}

// The recorder does not change what the webhook receives or what the caller gets back.
func TestForwardAsItIs(t *testing.T) {
	noLeaks(t)
	type call struct {
		Method, URI, Body string
		Length            int64
		Header            http.Header
	}
	var calls []call
	webhook := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		calls = append(calls, call{r.Method, r.RequestURI, string(body), r.ContentLength, r.Header})
		switch r.URL.Query().Get("case") {
		case "gzip":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			fmt.Fprint(z, `{"response":{"uid":"u1","allowed":false}}`)
			_ = z.Close()
		case "broken":
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, "it is \"broken\"")
		case "type":
			w.Header().Set("Content-Type", "text/plain; odd")
			w.Header().Add("Warning", "299 a")
			w.Header().Add("Warning", "299 b")
			fmt.Fprint(w, "{ \"response\" : {\"uid\":\"u1\"} } ")
		default:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"response":{"uid":"u1","allowed":true}}`+"\n")
		}
	}))
	defer webhook.Close()
	forward, err := NewForward(webhook.URL, certificate.Trust{Insecure: true})
	if err != nil {
		t.Fatal(err)
	}
	defer forward.Close()
	var file buffer
	s := serve(t, NewLog(&file), Options{Forward: forward})

	type answer struct {
		Status int
		Header http.Header
		Body   string
	}
	send := func(client *http.Client, base, path string) answer {
		r, _ := http.NewRequest(http.MethodPost, base+path, strings.NewReader(small))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer t")
		r.Header.Set("X-Forwarded-For", "10.0.0.1")
		r.Header["User-Agent"] = []string{"kube-apiserver-admission"}
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		response.Header.Del("Date")
		return answer{response.StatusCode, response.Header, string(body)}
	}
	direct := webhook.Client()
	direct.Transport.(*http.Transport).DisableCompression = true
	want := []struct {
		http     int
		raw      string
		response string
	}{
		{0, "", `{"uid":"u1","allowed":true}`},
		{0, "", `{"uid":"u1","allowed":false}`},
		{500, `it is "broken"`, ""},
		{0, "", `{"uid":"u1"}`},
	}
	for _, path := range []string{"/a%2Fb/c?timeout=5s", "/?case=gzip", "/?case=broken", "/?case=type&x=a;b"} {
		wantAnswer, gotAnswer := send(direct, webhook.URL, path), send(s.client, s.url, path)
		if diff := cmp.Diff(wantAnswer, gotAnswer); diff != "" {
			t.Errorf("%s: answer: %s", path, diff)
		}
		if diff := cmp.Diff(calls[0], calls[1]); diff != "" {
			t.Errorf("%s: call: %s", path, diff)
		}
		calls = nil
	}
	if counts, err := s.stop(); err != nil || counts.Recorded != 4 {
		t.Errorf("counts %+v, %v", counts, err)
	}
	lines := readLines(t, &file)
	for i, want := range want {
		got := lines[i]
		raw := ""
		if got.Raw != nil {
			raw = *got.Raw
		}
		if got.HTTP != want.http || raw != want.raw || string(got.Review["response"]) != want.response {
			t.Errorf("line %d: http %d, raw %q, response %s; want %+v", i, got.HTTP, raw, got.Review["response"], want)
		}
	}
	if want := webhook.URL + "/a%2Fb/c?timeout=5s"; lines[0].Source != want {
		t.Errorf("source %q, want %q", lines[0].Source, want)
	}
}

func TestForwardFaults(t *testing.T) {
	noLeaks(t)
	ctx, giveUp := context.WithCancel(t.Context())
	defer giveUp()
	hang := make(chan struct{})
	webhook := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/cut":
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, `{"resp`)
		case "/close":
			panic(http.ErrAbortHandler)
		case "/hang": // used by the last case
			giveUp()
			<-hang
		}
	}))
	defer webhook.Close()
	defer close(hang)
	for _, c := range []struct {
		reason, path string
		trust        certificate.Trust
		status       int    // 0: the call fails, -1: it may also get an answer that comes as it gives up
		want         string // part of the error in the recording
	}{
		{"the answer is cut", "/cut", certificate.Trust{Insecure: true}, 0, "unexpected EOF"},
		{"the connection is closed", "/close", certificate.Trust{Insecure: true}, 502, "EOF"},
		{"nobody trusts it", "/", certificate.Trust{}, 502, "unknown authority"},
		{"the caller gives up", "/hang", certificate.Trust{Insecure: true}, -1, "context canceled"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			forward, err := NewForward(webhook.URL+c.path, c.trust)
			if err != nil {
				t.Fatal(err)
			}
			defer forward.Close()
			var file buffer
			s := serve(t, NewLog(&file), Options{Forward: forward})
			status, _, err := s.postUntil(ctx, "/", small)
			if c.status < 0 && status == http.StatusOK || c.status >= 0 && (err == nil && status != c.status || err != nil && c.status != 0) {
				t.Errorf("status %d, %v; want %d", status, err, c.status)
			}
			if counts, err := s.stop(); err != nil || counts.Recorded != 1 {
				t.Errorf("counts %+v, %v", counts, err)
			}
			if got := readLines(t, &file)[0]; !strings.Contains(got.Error, c.want) || got.Review["response"] != nil {
				t.Errorf("error %q, want %q", got.Error, c.want)
			}
		})
	}
}

func TestNewForward(t *testing.T) {
	for _, to := range []string{"", "host/path", "ftp://host", "https://", "https://host/?a=b", "https://me@host"} {
		if _, err := NewForward(to, certificate.Trust{}); err == nil {
			t.Errorf("NewForward(%q) succeeds", to)
		}
	}
	if _, err := NewForward("https://host", certificate.Trust{Bundle: []byte("x")}); err == nil {
		t.Error("NewForward accepts a bundle without a certificate")
	}
}

func TestRedacted(t *testing.T) {
	secret := base64.StdEncoding.EncodeToString([]byte("hunter2"))
	webhook := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/raw" {
			fmt.Fprint(w, "no hunter2")
			return
		}
		fmt.Fprint(w, `{"response":{"uid":"u1","status":{"message":"no hunter2"}}}`)
	}))
	defer webhook.Close()
	forward, err := NewForward(webhook.URL, certificate.Trust{Insecure: true})
	if err != nil {
		t.Fatal(err)
	}
	defer forward.Close()
	redactor, err := redact.New()
	if err != nil {
		t.Fatal(err)
	}
	var file buffer
	s := serve(t, NewLog(&file), Options{Forward: forward, Redactor: redactor})
	review := `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u1","kind":{"group":"","version":"v1","kind":"Secret"},"object":{"data":{"a":"` + secret + `"}}}}`
	for _, path := range []string{"/", "/raw"} {
		if _, answer, err := s.post(path, review); err != nil || !strings.Contains(answer, "no hunter2") {
			t.Errorf("the answer is %q, %v", answer, err)
		}
	}
	if _, err := s.stop(); err != nil {
		t.Error(err)
	}
	text := file.String()
	for _, word := range []string{"hunter2", secret} {
		if strings.Contains(text, word) {
			t.Errorf("%q is in the recording: %s", word, text)
		}
	}
	if lines := readLines(t, &file); !lines[0].Redacted || *lines[1].Raw != hiddenRaw {
		t.Errorf("redacted %v, raw %v", lines[0].Redacted, *lines[1].Raw)
	}
}
