package serve

import (
	"net/http"
	"net/url"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// controllerManager is the user agent of all controllers in a cluster.
const controllerManager = "kube-controller-manager"

// ToController returns the answer to a request of a controller, as if the controller had sent it over HTTP. found is
// the cluster before the request, fork the name of its fork.
func ToController(r rest.Request, began time.Time, found *simulator.Simulator, result *simulator.Result, fork string) *Answered {
	r.UserAgent = controllerManager
	var shown func() ([]byte, error)
	if result.Object != nil {
		shown = func() ([]byte, error) { return found.View().Types().Encode(result.Object) }
	}
	return &Answered{
		HTTP: &http.Request{
			Method: methodOf(r.Verb), URL: &url.URL{Path: r.Path()}, Header: http.Header{"User-Agent": {controllerManager}}, RemoteAddr: "127.0.0.1:0",
		},
		ID: string(uuid.NewUUID()), Fork: fork, Began: began, User: r.User,
		Verb: r.Verb, Request: r, Found: found, Code: result.Code, Status: result.Status(), Result: result,
		AuditAnnotations: result.AuditAnnotations, Shown: shown,
	}
}

func methodOf(verb string) string {
	switch verb {
	case rest.Create:
		return http.MethodPost
	case rest.Update:
		return http.MethodPut
	case rest.Patch:
		return http.MethodPatch
	case rest.Delete, rest.DeleteCollection:
		return http.MethodDelete
	}
	return http.MethodGet
}
