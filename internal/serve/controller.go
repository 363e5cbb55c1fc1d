package serve

import (
	"net/http"
	"net/url"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// controllerManager is what all controllers are in a cluster.
const controllerManager = "kube-controller-manager"

// ToController is the answer to a request of a controller, as if that had asked over HTTP. found is the cluster before it, fork
// the name of the fork that it is of.
func ToController(r rest.Request, began time.Time, found *simulator.Simulator, result *simulator.Result, fork string) *Answered {
	r.UserAgent = controllerManager
	return &Answered{
		HTTP: &http.Request{
			Method: methodOf(r.Verb), URL: &url.URL{Path: r.Path()}, Header: http.Header{"User-Agent": {controllerManager}}, RemoteAddr: "127.0.0.1:0",
		},
		ID: string(uuid.NewUUID()), Fork: fork, Began: began, User: r.User,
		Verb: r.Verb, Request: r, Found: found, Code: result.Code, Status: result.Status(), Result: result,
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
