package serve

import (
	"net/http"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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

	Verb    string               // as the server names it, such as watch; for connections that of the method
	Request Asked                // without a resource if the path is not that of one
	Found   *simulator.Simulator // of the cluster as the request found it
	Code    int
	Status  *metav1.Status    // why the request failed; nil if it did not, or if the answer was plain text
	Result  *simulator.Result // nil if the request did not reach the simulator, and for lists and watches
}

// outcome collects what a handler reports to Options.Answered.
type outcome struct {
	verb     string
	asked    Asked
	code     int
	why      *metav1.Status
	result   *simulator.Result
	reported bool
}

// ask records what the path asks for.
func (x *exchange) ask(t target) {
	if x.verb = t.verb; x.verb == "" {
		x.verb = strings.ToLower(x.r.Method)
	}
	x.asked = rest.Request{
		Verb: t.verb, Resource: t.resource, Subresource: t.subresource, Namespace: t.namespace, Name: t.name, Query: x.r.URL.Query(),
		UserAgent: x.r.UserAgent(), Earlier: x.stateAt,
	}
}

// report passes the answer to Options.Answered once, before the client gets it.
func (x *exchange) report() {
	if x.options.Answered == nil || x.reported || x.code == 0 {
		return
	}
	x.reported = true
	a := &Answered{HTTP: x.r, ID: x.id, Fork: x.options.Fork, Began: x.began, User: x.real, Verb: x.verb, Request: x.asked, Found: x.found, Code: x.code, Status: x.why, Result: x.result}
	a.Request.User = x.user
	if x.real.Username != x.user.Username {
		a.As = &x.user
	}
	x.options.Answered(a)
}
