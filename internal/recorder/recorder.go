// Package recorder is an HTTPS server that records the admission reviews that it receives,
// each with its answer, as lines of JSON.
//
// It stands in front of a webhook and passes calls on unchanged, or answers "allowed"
// itself. Start with [OpenLog] and [New], then [Recorder.Serve]; [Configuration] makes
// what has to be installed for the API server to call it. The lines are described in
// docs/recording.md.
//
// The answer comes first: what cannot be written in time is not written, and counted.
// The recorder does not judge what it sees, and nothing in it is virtual.
package recorder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/admsim/admsim/internal/certificate"
	"github.com/admsim/admsim/internal/redact"
)

// Options say what is recorded and how. The zero value answers "allowed" and writes down
// everything as it is.
type Options struct {
	Forward      *Forward         // whom calls are passed on to; nil: nobody
	Redactor     *redact.Redactor // nil: secrets are written too
	Address      string           // where the configuration says that the recorder is, without a path; may be empty
	ConfigDigest string           // of the webhook configurations in force, see [Digest]
	Buffer       int64            // bytes of reviews that may wait to be written; 0: 64 MiB
	Bodies       int64            // bytes of the bodies of calls under way that are kept; 0: 64 MiB
	Drain        time.Duration    // how long calls may take yet when the server stops; 0: 20 s, which leaves time to write before Kubernetes kills
	Warn         func(string)     // is called with errors, also concurrently; may be nil
}

const (
	defaultBuffer = 64 << 20
	defaultBodies = 64 << 20
	defaultDrain  = 20 * time.Second
)

// What a slow or silent client may cost.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute

	// The API server waits for 30 seconds at most.
	bodyTimeout   = 30 * time.Second
	answerTimeout = 2 * time.Minute

	mostConnections = 1000 // it needs a few
)

// A Recorder answers reviews and records them.
type Recorder struct {
	options Options
	queue   *queue
	room    atomic.Int64 // that bodies of calls under way may take yet

	// calls is held by every call, and by the end of them all.
	calls  sync.RWMutex
	closed bool
}

// New returns a recorder that writes to l. It has to be closed, which closes l too;
// [Recorder.Serve] does so.
func New(l *Log, o Options) *Recorder {
	if o.Buffer == 0 {
		o.Buffer = defaultBuffer
	}
	if o.Bodies == 0 {
		o.Bodies = defaultBodies
	}
	if o.Drain == 0 {
		o.Drain = defaultDrain
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	r := &Recorder{options: o, queue: newQueue(l, o)}
	r.room.Store(o.Bodies)
	return r
}

// Listen listens on an address such as :8443.
func Listen(address string) (net.Listener, error) { return net.Listen("tcp", address) }

// Serve answers calls until ctx is done. Then it takes no more of them, lets those that
// are under way end, and writes what is left. The error is about what could not be served
// or written.
func (r *Recorder) Serve(ctx context.Context, l net.Listener, pair certificate.Pair) (Counts, error) {
	config, err := pair.Server()
	if err != nil {
		counts, closing := r.Close()
		return counts, errors.Join(err, closing, l.Close())
	}
	fresh := &connections{}
	server := &http.Server{
		Handler:           r,
		ConnState:         fresh.watch,
		TLSConfig:         config,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       bodyTimeout,
		WriteTimeout:      answerTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog: log.New(lines(func(text string) {
			if ctx.Err() == nil { // at the end, connections are closed as planned
				r.options.Warn(text)
			}
		}), "", 0),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.ServeTLS(l, "", "") }()
	select {
	case err = <-ended:
		_ = server.Close()
	case <-ctx.Done():
		err = r.stop(server, fresh)
		<-ended
	}
	counts, closing := r.Close()
	return counts, errors.Join(err, closing)
}

func (r *Recorder) stop(server *http.Server, fresh *connections) error {
	drain, cancel := context.WithTimeout(context.Background(), r.options.Drain)
	defer cancel()
	fresh.close()
	if err := server.Shutdown(drain); err != nil {
		r.options.Warn(fmt.Sprintf("calls under way are cut off after %s", r.options.Drain))
		return server.Close()
	}
	return nil
}

// Close waits for the calls under way, writes what is left, and a last line that says how
// much was recorded. Calls that come later are refused.
func (r *Recorder) Close() (Counts, error) {
	r.calls.Lock()
	defer r.calls.Unlock()
	if r.closed {
		return r.queue.counts(), nil
	}
	r.closed = true
	return r.queue.close()
}

// ServeHTTP answers a call and records it.
func (r *Recorder) ServeHTTP(w http.ResponseWriter, call *http.Request) {
	if call.URL.Path == "/healthz" && (call.Method == http.MethodGet || call.Method == http.MethodHead) {
		_, _ = io.WriteString(w, "ok")
		return
	}
	r.calls.RLock()
	defer r.calls.RUnlock()
	if r.closed {
		http.Error(w, "the recorder is stopping", http.StatusServiceUnavailable)
		return
	}
	e := &exchange{arrived: time.Now(), url: call.URL.RequestURI(), at: r.options.Address + call.URL.RequestURI(), room: &r.room}
	defer e.release() // what waits to be written has a limit of its own
	// Also when the call is aborted by a panic, as the proxy does.
	defer func() { r.queue.offer(e) }()
	if r.options.Forward != nil {
		r.options.Forward.serve(w, call, e)
	} else {
		allow(w, call, e)
	}
}

// lines is a writer of whole lines, as a log.Logger has.
type lines func(string)

func (l lines) Write(text []byte) (int, error) {
	l(string(text[:max(len(text)-1, 0)]))
	return len(text), nil
}
