// Package serve is the API server of a simulated cluster over HTTP, for kubectl, client-go and every other client.
//
// Start with [New], which returns an [http.Handler] for a store. It converts a request to what package rest expects,
// lets the store answer it, and writes the answer in the format that the client asked for: path.go parses URLs,
// resource.go answers requests for objects, list.go and watch.go those for collections, documents.go those for what the
// server publishes about itself. users.go determines the user. Package door opens a port for the handler.
//
// The package does not know what happens to objects, nor which kinds exist.
package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/utils/lru"

	"github.com/admsim/admsim/internal/fault"
	"github.com/admsim/admsim/internal/openapi"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// Options configure a handler. The zero value is a server without users.
type Options struct {
	// Tokens maps the tokens that clients may use to their users.
	Tokens map[string]authenticationv1.UserInfo

	// NoAnonymous rejects clients that have neither a certificate nor a token.
	NoAnonymous bool

	// Failed is called with admsim's own errors, for requests that it cannot answer. May be nil.
	Failed func(r *http.Request, err error)

	// Words returns the text of one of admsim's own errors for the client, such as one with the place of what is wrong.
	// Nil: that of the error.
	Words func(error) string

	// Answered is called for each request that was answered; for a watch when it begins. Calls may be concurrent. May
	// be nil.
	Answered func(*Answered)

	// Staged is called at each stage of a request, as the server's audit log has them: when it is received, unless the
	// client is not known; when it is answered; and at the end, if it may last for long. Calls may be concurrent. May be
	// nil.
	Staged func(Stage, *Answered)

	// Settled waits until the controllers have processed all writes up to a revision of the cluster, so that a new
	// namespace has what it needs. Nil: there are no controllers.
	Settled func(ctx context.Context, revision int64)

	// Forks answers requests for /forks and the paths below it. Nil: these paths do not exist.
	Forks http.HandlerFunc

	// Logs answers requests for /logs and the paths below it. Nil: these paths do not exist.
	Logs http.HandlerFunc

	// Metrics answers requests for /metrics and /metrics/slis. Nil: these paths do not exist.
	Metrics http.HandlerFunc

	// Page returns documents for all other paths; address is where clients find the server. Nil: there are none.
	Page func(path, address string) (contentType string, text []byte, ok bool)

	// Flags holds the flags of the server that were given, in its own names: what each was set to, once for each time.
	// Only the page about flags shows them.
	Flags map[string][]string

	// Fork is the name of the fork that the cluster is; empty: it is not a fork.
	Fork string

	// Address is where clients find the server, according to the server itself. Empty: the address that the client
	// used.
	Address string

	// Watches is the maximum number of concurrent watches. 0: 10,000.
	Watches int

	// Latency is added to each answer.
	Latency time.Duration

	// RealTime delays an answer for as long as its webhooks say that they take.
	RealTime bool

	// Faults are the configured faults. Nil: none.
	Faults *Faults
}

// A Handler answers requests.
type Handler struct {
	options Options
	store   *store.Store
	user    *authenticationv1.UserInfo // if set, every client is this user

	*shared
}

// shared is what all handlers of a store share.
type shared struct {
	documents documents

	// impersonated holds the mode in which each user last impersonated somebody.
	impersonated *lru.Cache

	// allowed holds whom somebody has impersonated shortly before.
	allowed *cache.Expiring

	started       time.Time
	flagDelimiter string        // of the page about flags; the server writes its text only once
	watches       chan struct{} // holds a value for each open watch
	mutex         sync.Mutex
	closing       chan struct{} // closed when watches have to end
	closed        bool
}

// New returns the handler of a store.
func New(s *store.Store, o Options) *Handler {
	return newHandler(s, o, openapi.NewSchemas(s.Latest().Release()))
}

// Beside returns the handler of another store, whose cluster is of the same release. The two share what is expensive to
// build.
func (h *Handler) Beside(s *store.Store, o Options) *Handler {
	return newHandler(s, o, h.documents.schemas)
}

func newHandler(s *store.Store, o Options, schemas *openapi.Schemas) *Handler {
	if o.Watches == 0 {
		o.Watches = 10_000
	}
	return &Handler{options: o, store: s, shared: &shared{
		documents: documents{schemas: schemas},

		started:       time.Now(),
		flagDelimiter: drawDelimiter(),

		impersonated: lru.New(mostImpersonators),
		allowed:      cache.NewExpiring(),
		watches:      make(chan struct{}, o.Watches),
		closing:      make(chan struct{}),
	}}
}

// mostImpersonators is how many users the server remembers who impersonated others:
// kubernetes/apiserver:pkg/endpoints/filters/impersonation/cache.go.
const mostImpersonators = 10_000

// As returns a handler for which every client is user. Clients may still impersonate others.
func (h *Handler) As(user authenticationv1.UserInfo) http.Handler {
	next := *h
	next.user = &user
	return &next
}

// Store returns the store of the served cluster.
func (h *Handler) Store() *store.Store { return h.store }

// Close ends the watches, and the creates that wait until their object is initialized: they could last for long.
func (h *Handler) Close() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if !h.closed {
		h.closed = true
		close(h.closing)
	}
}

// An exchange is a request and its answer.
type exchange struct {
	*Handler
	w     http.ResponseWriter
	r     *http.Request
	sim   *simulator.Simulator // of the cluster that the request sees
	found *simulator.Simulator // of the cluster before the request
	user  authenticationv1.UserInfo
	real  authenticationv1.UserInfo // the sender, who may be impersonating user
	id    string
	began time.Time

	hit fault.Rule // the fault that applies; zero: none

	outcome
}

// ServeHTTP answers a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{Handler: h, w: w, r: r, id: idOf(r), began: time.Now()}
	defer x.end()
	defer x.report()
	defer x.survive()
	w.Header().Set("Audit-Id", x.id)
	x.sim = h.store.Latest()
	if x.sim.Release().Has(kubeversion.AnswersNotCached) {
		w.Header().Set("Cache-Control", "no-cache, private")
	}
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

// survive keeps a panic in one request from ending the server.
func (x *exchange) survive() {
	p := recover()
	if p == nil || p == http.ErrAbortHandler {
		if p != nil {
			panic(p)
		}
		return
	}
	x.failed(&PanicError{p, debug.Stack()})
	x.panicked = p
	x.status(admission.StatusOf(admission.ErrPanicked))
}

// A PanicError is a bug of admsim that a request ran into.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v\n\n%s", e.Value, e.Stack) }

// failed reports one of admsim's own errors.
func (x *exchange) failed(err error) {
	if x.options.Failed != nil {
		x.options.Failed(x.r, err)
	}
}

// CannotTell begins the message of an internal error of a request for which admsim does not know the answer.
const CannotTell = "admsim cannot tell what the server would answer: "

// unknown answers a request for which admsim does not know the answer.
func (x *exchange) unknown(err error) {
	if x.r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
	x.status(x.undecide(err))
}

// undecide reports that admsim does not know the answer to a request, and returns what its client gets instead.
func (x *exchange) undecide(err error) *metav1.Status {
	x.failed(err)
	x.undecided = err
	text := err.Error()
	if x.options.Words != nil {
		text = x.options.Words(err)
	}
	return admission.StatusOf(apierrors.NewInternalError(errors.New(CannotTell + text)))
}

// isUnknown reports whether an error of a [rest.Selection] is not one of the server.
func isUnknown(err error) bool {
	status := apierrors.APIStatus(nil)
	return err != nil && !errors.As(err, &status)
}

// idOf returns the ID of a request in audit logs. Clients may choose it.
func idOf(r *http.Request) string {
	if id := r.Header.Get("Audit-Id"); id != "" && len(id) <= 64 {
		return id
	}
	return string(uuid.NewUUID())
}

// sleep waits, and returns false if the context ended first.
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

// isPretty reports whether the client wants to read the answer, or is probably one that people use:
// kubernetes/apiserver:pkg/endpoints/handlers/negotiation/negotiate.go, isPrettyPrint.
func isPretty(r *http.Request) bool {
	if value := r.URL.Query().Get("pretty"); value != "" {
		pretty, _ := strconv.ParseBool(value)
		return pretty
	}
	agent := r.UserAgent()
	return strings.HasPrefix(agent, "curl") || strings.HasPrefix(agent, "Wget") || strings.HasPrefix(agent, "Mozilla/5.0")
}
