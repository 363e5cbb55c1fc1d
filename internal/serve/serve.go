// Package serve is the door to a simulated cluster: an API server over HTTP, for kubectl,
// client-go and every other client.
//
// Start with [New], which makes an [http.Handler] of a store. It reads a request as package rest
// wants it, has the store answer it, and writes the answer in the form that the client asked for:
// path.go says what a URL means, resource.go answers requests for objects, list.go and watch.go those
// for collections, documents.go those for what the server says of itself. Who asks is found out in
// users.go. [Listen] opens a port for it, [Handler.Client] makes a client that needs none.
//
// What happens to objects is not known here, nor which kinds there are.
package serve

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/admsim/admsim/internal/fault"
	"github.com/admsim/admsim/internal/openapi"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/simulator"
)

// Options are for a handler. The zero value is a server without users.
type Options struct {
	// Tokens are those that clients may show, and whose they are.
	Tokens map[string]authenticationv1.UserInfo

	// NoAnonymous turns clients away that have neither a certificate nor a token.
	NoAnonymous bool

	// Failed is called with the errors of admsim itself: of requests that have no answer.
	// May be nil.
	Failed func(r *http.Request, err error)

	// Answered is called for each request that was answered, for a watch when it begins. It may be called for
	// several at the same time. May be nil.
	Answered func(*Answered)

	// Settled waits until controllers have done what a new namespace needs, up to a revision of the
	// cluster. Nil: there are none.
	Settled func(ctx context.Context, revision int64)

	// Forks answers requests for /forks and what is below it. Nil: there is no such path.
	Forks http.HandlerFunc

	// Logs answers requests for /logs and what is below it. Nil: there is no such path.
	Logs http.HandlerFunc

	// Page is asked for documents at paths that are nothing else's, with the address under which clients find the
	// server. Nil: there are none.
	Page func(path, address string) (contentType string, text []byte, ok bool)

	// Fork is the name of the fork of a cluster that this is; empty: it is none.
	Fork string

	// Address is where clients find the server, as it says itself. Empty: as the client says.
	Address string

	// Watches is how many there may be at the same time. 0: 10,000.
	Watches int

	// Latency is how long each answer waits.
	Latency time.Duration

	// RealTime has an answer wait for as long as its webhooks say that they take.
	RealTime bool

	// Faults are what goes wrong on purpose. Nil: nothing.
	Faults *Faults
}

// A Handler answers requests.
type Handler struct {
	options Options
	store   *store.Store
	user    *authenticationv1.UserInfo // everybody, where it is set

	*shared
}

// shared is what all handlers of one store have together.
type shared struct {
	documents documents
	watches   chan struct{} // as many as there may be
	mutex     sync.Mutex
	closing   chan struct{} // closed when watches are to end
	closed    bool
}

// New returns the handler of a store.
func New(s *store.Store, o Options) *Handler {
	return newHandler(s, o, openapi.NewSchemas(s.Latest().Release()))
}

// Beside returns the handler of another store, whose cluster is of the same release. The two share what takes long to
// make.
func (h *Handler) Beside(s *store.Store, o Options) *Handler {
	return newHandler(s, o, h.documents.schemas)
}

func newHandler(s *store.Store, o Options, schemas *openapi.Schemas) *Handler {
	if o.Watches == 0 {
		o.Watches = 10_000
	}
	return &Handler{options: o, store: s, shared: &shared{
		documents: documents{schemas: schemas},
		watches:   make(chan struct{}, o.Watches),
		closing:   make(chan struct{}),
	}}
}

// As returns the handler for which every client is that user. Clients may still impersonate.
func (h *Handler) As(user authenticationv1.UserInfo) http.Handler {
	next := *h
	next.user = &user
	return &next
}

// Store is the cluster that is served.
func (h *Handler) Store() *store.Store { return h.store }

// Close ends the watches, which would go on for long.
func (h *Handler) Close() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if !h.closed {
		h.closed = true
		close(h.closing)
	}
}

// An exchange is one request that is being answered.
type exchange struct {
	*Handler
	w     http.ResponseWriter
	r     *http.Request
	sim   *simulator.Simulator // of the cluster as it is for the request
	found *simulator.Simulator // of the cluster as the request found it
	user  authenticationv1.UserInfo
	real  authenticationv1.UserInfo // who sent it, impersonating user
	id    string
	began time.Time

	hit fault.Rule // what goes wrong; zero: nothing

	tells
}

// ServeHTTP answers a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{Handler: h, w: w, r: r, id: idOf(r), began: time.Now()}
	defer x.tell()
	defer x.survive()
	w.Header().Set("Audit-Id", x.id)
	w.Header().Set("Cache-Control", "no-cache, private")
	x.sim = h.store.Latest()
	x.found = x.sim
	t, isResource := targetOf(r)
	x.ask(t)
	if !x.identify() {
		return
	}
	if h.options.Latency > 0 && !sleep(r.Context(), h.options.Latency) {
		return
	}
	if isResource {
		if x.fault(t) {
			x.answer(t)
		}
		return
	}
	x.document()
}

// survive keeps one request that admsim fails on from ending the server.
func (x *exchange) survive() {
	p := recover()
	if p == nil || p == http.ErrAbortHandler {
		if p != nil {
			panic(p)
		}
		return
	}
	x.failed(fmt.Errorf("panic: %v\n\n%s", p, debug.Stack()))
	x.status(admission.StatusOf(admission.ErrPanicked))
}

// failed reports an error of admsim itself.
func (x *exchange) failed(err error) {
	if x.options.Failed != nil {
		x.options.Failed(x.r, err)
	}
}

// unknown answers a request whose answer admsim does not know.
func (x *exchange) unknown(err error) {
	if x.r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
	x.failed(err)
	x.status(admission.StatusOf(apierrors.NewInternalError(fmt.Errorf("admsim cannot tell what the server would answer: %w", err))))
}

// idOf is what a request is called in audit logs: what the client calls it, if it does.
func idOf(r *http.Request) string {
	if id := r.Header.Get("Audit-Id"); id != "" && len(id) <= 64 {
		return id
	}
	return string(uuid.NewUUID())
}

// sleep waits, and is false if the context ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// isPretty reports whether people read what the client gets.
func isPretty(r *http.Request) bool {
	if said, ok := r.URL.Query()["pretty"]; ok {
		return len(said) > 0 && isTrue(said[0]) || said[0] == ""
	}
	agent := r.UserAgent()
	return strings.HasPrefix(agent, "curl") || strings.HasPrefix(agent, "Wget") || strings.HasPrefix(agent, "Mozilla/5.0")
}
