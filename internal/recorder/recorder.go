// Package recorder is an HTTPS server that records the admission reviews that it receives, each with its answer, as
// lines of JSON.
//
// It stands in front of a webhook and forwards calls unchanged, or answers "allowed" itself. Start with [OpenLog] and
// [New], then [Recorder.Serve]; [Configuration] produces the webhook configurations to install so that the API server
// calls it. The lines are described in docs/recording.md.
//
// Answering has priority: what cannot be written in time is dropped and counted. The recorder does not judge what it
// records, and nothing in it is simulated.
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

// Options says what is recorded and how. The zero value answers "allowed" and records everything unchanged.
type Options struct {
	Forward      *Forward         // the webhook to forward calls to; nil: none
	Redactor     *redact.Redactor // nil: secrets are written too
	Address      string           // the recorder's address according to the configuration, without a path; may be empty
	ConfigDigest string           // digest of the webhook configurations in force, see [Configuration.Digest]
	Buffer       int64            // how many bytes of reviews may wait to be written; 0: 64 MiB
	Bodies       int64            // how many bytes are kept of the bodies of calls under way; 0: 64 MiB
	Drain        time.Duration    // how long calls may take after a stop; 0: 20 s, leaving time to write before a kill
	Warn         func(string)     // called with errors, possibly concurrently; may be nil
}

const (
	defaultBuffer = 64 << 20
	defaultBodies = 64 << 20
	defaultDrain  = 20 * time.Second
)

// Limits for slow or silent clients.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute

	// The API server waits for 30 seconds at most.
	bodyTimeout   = 30 * time.Second
	answerTimeout = 2 * time.Minute

	maxConnections = 1000 // the API server needs only a few
)

// A Recorder answers reviews and records them.
type Recorder struct {
	options Options
	queue   *queue
	room    atomic.Int64 // how many bytes the bodies of calls under way may still take

	// Every call holds calls for reading; Close holds it for writing.
	calls  sync.RWMutex
	closed bool
}

// New returns a recorder that writes to l. The caller must close it, which also closes l; [Recorder.Serve] does so.
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

// Serve answers calls until ctx is done. Then it accepts no new calls, lets the calls under way finish, and writes what
// is left. The error describes what could not be served or written.
func (r *Recorder) Serve(ctx context.Context, l net.Listener, pair certificate.Pair) (Counts, error) {
	config, err := pair.Server()
	if err != nil {
		counts, closing := r.Close()
		return counts, errors.Join(err, closing, l.Close())
	}
	conns := &connections{}
	server := &http.Server{
		Handler:           r,
		ConnState:         conns.watch,
		TLSConfig:         config,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       bodyTimeout,
		WriteTimeout:      answerTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog: log.New(lines(func(text string) {
			if ctx.Err() == nil { // when ctx is done, closed connections are expected
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
		err = r.stop(server, conns)
		<-ended
	}
	counts, closing := r.Close()
	return counts, errors.Join(err, closing)
}

func (r *Recorder) stop(server *http.Server, conns *connections) error {
	drain, cancel := context.WithTimeout(context.Background(), r.options.Drain)
	defer cancel()
	conns.close()
	if err := server.Shutdown(drain); err != nil {
		r.options.Warn(fmt.Sprintf("calls under way are cut off after %s", r.options.Drain))
		return server.Close()
	}
	return nil
}

// Close waits for the calls under way, writes the waiting exchanges and a last line with the counts. Later calls are
// refused.
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
	defer e.release() // exchanges that wait to be written have their own limit
	// Deferred, since the proxy may abort the call with a panic.
	defer func() { r.queue.offer(e) }()
	if r.options.Forward != nil {
		r.options.Forward.serve(w, call, e)
	} else {
		allow(w, call, e)
	}
}

// lines is an io.Writer that is called with whole lines, as a log.Logger does.
type lines func(string)

func (l lines) Write(text []byte) (int, error) {
	l(string(text[:max(len(text)-1, 0)]))
	return len(text), nil
}
