package serve

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// ToController returns the answer to a request of a controller, as if the controller had sent it over HTTP. found is
// the cluster before the request, fork the name of its fork.
func ToController(r rest.Request, began time.Time, found *simulator.Simulator, result *simulator.Result, fork string) *Answered {
	return (&Answered{Began: began, Fork: fork, Found: found, AuditAnnotations: allowedUnless(result.AuditAnnotations)}).inside(r, result)
}

// toItself holds the answers to the requests that the server sent to itself, once they are known, except for those by which
// it found out whose request it is.
type toItself struct {
	once sync.Once
	all  []*Answered
}

// ToItself returns the answers to the requests that the server sent to itself in order to answer a request, after those
// that it sent to find out whose request it is. All who are told of the answer share them. Of the stages of a request, only the
// first has the latter.
func (a *Answered) ToItself() []*Answered {
	if a.Result == nil {
		return a.identifying
	}
	if a.own == nil {
		a.own = new(toItself)
	}
	a.own.once.Do(func() { a.own.all = a.answersToItself() })
	return slices.Concat(a.identifying, a.own.all)
}

func (a *Answered) answersToItself() (all []*Answered) {
	for i := range a.Result.Sent {
		sent := &a.Result.Sent[i]
		r := rest.Request{}.AsSent(sent)
		result := a.answerTo(i, r)
		all = append(all, (&Answered{
			Began: a.Began, Fork: a.Fork, Found: a.Found, Shared: sent.Shared, AuditAnnotations: allowedUnless(result.AuditAnnotations),
		}).inside(r, result))
	}
	return all
}

// answerTo returns the answer to one of the requests that the server sent to itself. The answer to one that only reads is
// not recorded: few need it, and it is still the same.
func (a *Answered) answerTo(i int, r rest.Request) *simulator.Result {
	sent := &a.Result.Sent[i]
	if sent.Reads() {
		if result, err := a.Found.Do(context.Background(), r); err == nil {
			return result
		}
	}
	return &simulator.Result{Next: a.Found, Response: rest.Response{
		Code: sent.Code, Object: sent.Object, DeniedBy: sent.DeniedBy, Read: !sent.Reads(), Admissions: sent.Admissions, AuditAnnotations: sent.Annotations, State: a.Found.State(),
	}}
}

// allowedUnless returns audit annotations with that of a server which allows everything, unless they have another one.
func allowedUnless(annotations map[string]string) map[string]string {
	all := (&rest.Authorization{Allowed: true}).AuditAnnotations()
	maps.Copy(all, annotations)
	return all
}

// inside completes the answer to a request from the server's own machine.
func (a *Answered) inside(r rest.Request, result *simulator.Result) *Answered {
	a.HTTP = &http.Request{
		Method: methodOf(r.Verb), URL: &url.URL{Path: r.Path()}, Header: http.Header{"User-Agent": {r.UserAgent}}, RemoteAddr: "127.0.0.1:0",
	}
	a.own = new(toItself)
	a.ID, a.User, a.Verb, a.Request = string(uuid.NewUUID()), r.User, r.Verb, r
	a.Code, a.Status, a.Result = result.Code, result.Status(), result
	if result.Object != nil {
		a.Shown = func() ([]byte, error) { return a.Found.View().Types().Encode(result.Object) }
	}
	return a
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
