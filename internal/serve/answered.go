package serve

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/admsim/admsim/internal/fault"
	"github.com/admsim/admsim/internal/wire"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// An Answered is a request together with its answer.
type Answered struct {
	HTTP  *http.Request
	ID    string
	Fork  string // of the cluster; empty: none
	Began time.Time
	User  authenticationv1.UserInfo
	As    *authenticationv1.UserInfo // who the user impersonates; nil: nobody

	// Constraint is what allowed the user to impersonate somebody, such as impersonate:user-info. Empty: the verb
	// impersonate, which allows everything.
	Constraint string

	// Rejected reports that the credentials of the client are not valid, so that nobody knows who it is.
	Rejected bool

	Verb    string               // as authorizers and audit logs name it, such as watch; for connections that of the method
	Request Asked                // without a resource if the path is not that of one
	Found   *simulator.Simulator // of the cluster as the request found it
	Code    int                  // 0: there is no answer yet
	Status  *metav1.Status       // why the request failed; nil if it did not, or if the answer was plain text
	Result  *simulator.Result    // nil if the request did not reach the simulator, and for lists and watches
	Shared  bool                 // the admissions are also those of the client's request, as with the deletion of an evicted pod

	// AuditAnnotations is what the server's audit log says about the request.
	AuditAnnotations map[string]string

	// Document is what metrics call a document that the server publishes about itself, if they count it.
	Document *Counted

	// Checked has the health checks that ran for the answer; nil: none.
	Checked *Checked

	// Shown returns the object in the answer as the client sees it, in JSON. It is nil if the answer has no object.
	Shown func() ([]byte, error)

	// Fault is the injected fault that is the answer, or that keeps the answer from the client; nil: there is none.
	Fault *fault.Rule

	// Undecided is why admsim cannot tell what the server would answer; nil: it can.
	Undecided error

	// Panic is why the server could not answer; nil: it could.
	Panic any

	identifying []*Answered // what the server asked itself to find out whose request it is
	own         *toItself
}

// A Counted is what metrics call a resource, or a document that the server publishes about itself.
type Counted struct{ Group, Version, Resource, Subresource, Component string }

// A Stage is a point in time at which a request may be logged.
type Stage = auditv1.Stage

// Checked names health checks that ran, all with success, and the endpoint that asked for them, such as readyz.
type Checked struct {
	Endpoint string
	Names    []string
}

// outcome collects what a handler reports to Options.Answered and Options.Staged.
type outcome struct {
	verb        string
	asked       Asked
	rejected    bool
	as          *authenticationv1.UserInfo
	constraint  string
	annotations map[string]string
	identifying []*Answered
	counted     *Counted
	checked     *Checked
	code        int
	why         *metav1.Status
	result      *simulator.Result
	own         toItself
	inJSON      func() ([]byte, error)
	injected    *fault.Rule
	undecided   error
	panicked    any
	reported    bool
	staged      bool
}

// ask records what the path asks for.
func (x *exchange) ask(t target) {
	x.verb = t.infoVerb(x.r.Method)
	x.asked = rest.Request{
		Verb: t.verb, Resource: t.resource, Subresource: t.subresource, Namespace: t.namespace, Name: t.name, Query: x.r.URL.Query(),
		UserAgent: agentOf(x.r), Earlier: x.stateAt, Head: x.r.Method == http.MethodHead,
	}
}

// agentOf returns how a client calls itself. To the server, a client without a name is unknown:
// kubernetes/apimachinery:pkg/util/managedfields/internal/buildmanagerinfo.go.
func agentOf(r *http.Request) string {
	agent := r.UserAgent()
	if name, _, _ := strings.Cut(agent, "/"); name == "" {
		return "unknown" + agent
	}
	return agent
}

// annotate adds entries to the audit event.
func (x *exchange) annotate(entries map[string]string) {
	if x.annotations == nil {
		x.annotations = map[string]string{}
	}
	maps.Copy(x.annotations, entries)
}

// countAs records what metrics of releases with a feature call the document in the answer.
func (x *exchange) countAs(since kubeversion.Feature, document Counted) {
	if x.sim.Release().Has(since) {
		x.counted = &document
	}
}

// decided records that a request is allowed or refused without an authorizer.
func (x *exchange) decided(allowed bool) {
	a := rest.Authorization{Allowed: allowed}
	x.annotate(a.AuditAnnotations())
}

// show records how the object of the answer is written as JSON.
func (x *exchange) show(media wire.Media, write func(wire.Media) ([]byte, error)) {
	if x.options.Staged == nil {
		return
	}
	media.Format, media.Pretty = wire.JSON, false
	x.inJSON = func() ([]byte, error) { return write(media) }
}

// isLong reports whether the request may last for long, as a watch does: kubernetes/kubernetes:pkg/controlplane/apiserver,
// LongRunningFunc.
func isLong(verb string, r *Asked) bool { return verb == watch || Connects(r.Subresource) }

// IsLong reports whether the request may last for long, so that its answer begins and ends at different times.
func (a *Answered) IsLong() bool { return isLong(a.Verb, &a.Request) }

// Connects reports whether a subresource is a connection, such as exec or proxy/path.
func Connects(subresource string) bool {
	name, _, _ := strings.Cut(subresource, "/")
	return slices.Contains([]string{"attach", "exec", "proxy", "log", "portforward"}, name)
}

// report passes the answer on once, before the client gets it.
func (x *exchange) report() {
	if x.reported || x.code == 0 {
		return
	}
	x.reported = true
	if x.options.Answered != nil {
		x.options.Answered(x.answered())
	}
	switch {
	case x.panicked != nil:
		x.stage(auditv1.StagePanic)
	case x.rejected || isLong(x.verb, &x.asked):
		x.stage(auditv1.StageResponseStarted)
	default:
		x.stage(auditv1.StageResponseComplete)
	}
}

// end reports the end of a request that lasted for long.
func (x *exchange) end() {
	if x.reported && !x.rejected && x.panicked == nil && isLong(x.verb, &x.asked) {
		x.stage(auditv1.StageResponseComplete)
	}
}

// stage reports that the request has come to a stage. What it took to identify the user was before the first one.
func (x *exchange) stage(stage Stage) {
	if x.options.Staged == nil {
		return
	}
	a := x.answered()
	if x.staged {
		a.identifying = nil
	}
	x.staged = true
	x.options.Staged(stage, a)
}

func (x *exchange) answered() *Answered {
	a := &Answered{
		HTTP: x.r, ID: x.id, Fork: x.options.Fork, Began: x.began, User: x.real, As: x.as, Constraint: x.constraint, Rejected: x.rejected,
		Verb: x.verb, Request: x.asked, Found: x.found, Code: x.code, Status: x.why, Result: x.result, AuditAnnotations: x.annotations, Document: x.counted, Checked: x.checked, Shown: x.inJSON, Fault: x.injected, Undecided: x.undecided, Panic: x.panicked, identifying: x.identifying, own: &x.own,
	}
	a.Request.User = x.user
	return a
}
