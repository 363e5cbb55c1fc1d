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

// An Answered request, and what came of it.
type Answered struct {
	HTTP  *http.Request
	ID    string
	Fork  string // of the cluster; empty: none
	Began time.Time
	User  authenticationv1.UserInfo
	As    *authenticationv1.UserInfo // who the user is impersonating; nil: nobody

	Verb    string               // as the server calls it, such as watch; of connections, that of the method
	Request Asked                // without a resource: a path that is none
	Found   *simulator.Simulator // of the cluster as the request found it
	Code    int
	Status  *metav1.Status    // why it failed; nil if it did not, or where that was said as text
	Result  *simulator.Result // nil if it did not come to the simulator, and of lists and watches
}

// tells is what the handler of a request leaves for Options.Answered.
type tells struct {
	verb   string
	asked  Asked
	code   int
	why    *metav1.Status
	result *simulator.Result
	told   bool
}

// ask notes what the path asks for.
func (x *exchange) ask(t target) {
	if x.verb = t.verb; x.verb == "" {
		x.verb = strings.ToLower(x.r.Method)
	}
	x.asked = rest.Request{
		Verb: t.verb, Resource: t.resource, Subresource: t.subresource, Namespace: t.namespace, Name: t.name, Query: x.r.URL.Query(),
		UserAgent: x.r.UserAgent(),
	}
}

// tell reports the answer once, before the client has it.
func (x *exchange) tell() {
	if x.options.Answered == nil || x.told || x.code == 0 {
		return
	}
	x.told = true
	a := &Answered{HTTP: x.r, ID: x.id, Fork: x.options.Fork, Began: x.began, User: x.real, Verb: x.verb, Request: x.asked, Found: x.found, Code: x.code, Status: x.why, Result: x.result}
	a.Request.User = x.user
	if x.real.Username != x.user.Username {
		a.As = &x.user
	}
	x.options.Answered(a)
}
