package webhooktest

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Faults returns handlers of broken webhooks, by fault. answer writes the response itself if the fault is elsewhere.
func Faults(answer http.Handler) map[string]http.Handler {
	return map[string]http.Handler{
		"close":          http.HandlerFunc(closes),
		"reset":          http.HandlerFunc(resets),
		"hang":           http.HandlerFunc(hangs),
		"slow headers":   slowly(answer),
		"slow body":      http.HandlerFunc(tricklesEndlessly),
		"endless body":   http.HandlerFunc(poursEndlessly),
		"body cut short": http.HandlerFunc(promisesMore),
		"half a JSON":    says(http.StatusOK, "application/json", `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionRev`),
		"bad header":     http.HandlerFunc(noHTTP),
		"no type":        retyped(answer, "nonsense;;"),
		"text type":      retyped(answer, "text/html"),
		"empty":          says(http.StatusOK, "application/json", ""),
		"no content":     says(http.StatusNoContent, "", ""),
		"panic":          http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }),
	}
}

// LastsToTheDeadline reports whether a fault lasts until the webhook's timeout.
func LastsToTheDeadline(fault string) bool {
	return fault == "hang" || fault == "slow headers" || fault == "slow body" || fault == "endless body"
}

func says(status int, contentType, text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	})
}

func retyped(answer http.Handler, contentType string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		answer.ServeHTTP(w, r)
	})
}

// hijacked returns the connection of a request, and the TCP connection below TLS.
func hijacked(w http.ResponseWriter) (conn net.Conn, raw *net.TCPConn) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err) // a test must not use it over HTTP/2
	}
	return conn, conn.(*tls.Conn).NetConn().(*net.TCPConn)
}

// closes ends the connection without a response, for which HTTP/2 has its own way.
func closes(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	if r.ProtoMajor == 2 {
		panic(http.ErrAbortHandler)
	}
	conn, _ := hijacked(w)
	_ = conn.Close()
}

func resets(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	if r.ProtoMajor == 2 {
		panic(http.ErrAbortHandler)
	}
	_, raw := hijacked(w)
	_ = raw.SetLinger(0)
	_ = raw.Close()
}

func hangs(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client left
	<-r.Context().Done()
}

func slowly(answer http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body) // otherwise the server does not notice that the client left
		r.Body = io.NopCloser(bytes.NewReader(text))
		select {
		case <-r.Context().Done():
		case <-time.After(5 * time.Second):
			answer.ServeHTTP(w, r)
		}
	})
}

func tricklesEndlessly(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json")
	for r.Context().Err() == nil {
		if _, err := io.WriteString(w, " "); err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
		time.Sleep(20 * time.Millisecond)
	}
}

func poursEndlessly(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json")
	space := make([]byte, 64<<10)
	for i := range space {
		space[i] = ' '
	}
	for {
		if _, err := w.Write(space); err != nil {
			return
		}
	}
}

func promisesMore(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	text := `{"apiVersion":"admission.k8s.io/v1",`
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)+100))
	_, _ = io.WriteString(w, text)
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// noHTTP responds with something that is not HTTP.
func noHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	if r.ProtoMajor == 2 {
		panic(http.ErrAbortHandler)
	}
	conn, _ := hijacked(w)
	_, _ = io.WriteString(conn, "220 mail.example ESMTP\r\n")
	_ = conn.Close()
}
