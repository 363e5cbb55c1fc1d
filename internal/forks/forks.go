// Package forks serves copies of a cluster beside the cluster itself. From its creation on, each fork has its own
// objects, history and controllers. It costs no more than what is written to it.
//
// Start with [New]. A request selects a fork by a path that begins with /forks/NAME/, or by the header Admsim-Fork:
// NAME. [Forks.Manage] answers requests that create, list and delete forks.
//
// The package knows neither what a cluster consists of nor who may access it.
package forks

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/admsim/admsim/internal/apiversion"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/simulator"
)

// header is the request header that selects a fork.
const header = "Admsim-Fork"

// prefix begins the paths of forks.
const prefix = "/forks/"

// defaultMost is the default maximum number of forks.
const defaultMost = 100

// A Cluster is a served cluster.
type Cluster struct {
	Store   *store.Store
	Handler Handler
	End     func()
}

// A Handler answers the clients of one cluster.
type Handler interface {
	http.Handler
	As(user authenticationv1.UserInfo) http.Handler // a handler for which every client is user
	Close()                                         // ends watches
}

// Options configure forks.
type Options struct {
	// Make serves a cluster with the initial state of sim.
	Make func(name string, sim *simulator.Simulator) (*Cluster, error)

	Most int // maximum number of forks; 0: a hundred
}

// Forks is a cluster and its forks. It is safe for concurrent use.
type Forks struct {
	options Options
	first   *Cluster

	mutex sync.RWMutex
	all   map[string]*fork
	ended bool
}

type fork struct {
	*Cluster
	description
}

// A description is the public description of a fork.
type description struct {
	Name            string      `json:"name"`
	From            string      `json:"from,omitempty"`  // another fork; empty: the cluster itself
	ForkedAt        string      `json:"forkedAt"`        // the resourceVersion of from
	ResourceVersion string      `json:"resourceVersion"` // the latest one
	Created         metav1.Time `json:"created"`
}

// New returns Forks without a cluster. [Forks.Begin] creates it.
func New(o Options) *Forks {
	o.Most = cmp.Or(o.Most, defaultMost)
	return &Forks{options: o, all: map[string]*fork{}}
}

// Begin creates the cluster itself.
func (f *Forks) Begin(sim *simulator.Simulator) (first *Cluster, err error) {
	f.first, err = f.options.Make("", sim)
	return f.first, err
}

// ServeHTTP passes a request to the fork that it names, or to the cluster itself.
func (f *Forks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.serve(w, r, func(h Handler) http.Handler { return h })
}

// As returns a handler for which every client is user.
func (f *Forks) As(user authenticationv1.UserInfo) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.serve(w, r, func(h Handler) http.Handler { return h.As(user) })
	})
}

func (f *Forks) serve(w http.ResponseWriter, r *http.Request, as func(Handler) http.Handler) {
	name, r := addressed(r)
	if name == "" {
		as(f.first.Handler).ServeHTTP(w, r)
		return
	}
	if found, ok := f.find(name); ok {
		as(found.Handler).ServeHTTP(w, r)
		return
	}
	refuse(w, apierrors.NewNotFound(resource, name))
}

// addressed returns the fork that a request is for, and the request as the fork gets it.
func addressed(r *http.Request) (name string, inner *http.Request) {
	if rest, ok := strings.CutPrefix(r.URL.EscapedPath(), prefix); ok {
		escaped, rest, below := strings.Cut(rest, "/")
		if name, err := url.PathUnescape(escaped); below && err == nil && name != "" {
			inner := *r
			inner.URL = new(*r.URL)
			inner.URL.RawPath = "/" + rest
			inner.URL.Path, err = url.PathUnescape(inner.URL.RawPath)
			if err == nil {
				inner.RequestURI = inner.URL.RequestURI()
				return name, &inner
			}
		}
	}
	return r.Header.Get(header), r
}

func (f *Forks) find(name string) (*fork, bool) {
	f.mutex.RLock()
	defer f.mutex.RUnlock()
	found, ok := f.all[name]
	return found, ok
}

// Each calls do with the store of the cluster and of each fork.
func (f *Forks) Each(do func(*store.Store) error) error {
	var errs []error
	for _, one := range f.each() {
		errs = append(errs, do(one.Store))
	}
	return errors.Join(errs...)
}

// Close ends the watches of the cluster and its forks.
func (f *Forks) Close() {
	for _, one := range f.each() {
		one.Handler.Close()
	}
}

// End ends the cluster and its forks.
func (f *Forks) End() {
	all := f.each()
	f.mutex.Lock()
	f.all, f.ended = map[string]*fork{}, true
	f.mutex.Unlock()
	for _, one := range all {
		one.End()
	}
}

func (f *Forks) each() []*Cluster {
	f.mutex.RLock()
	defer f.mutex.RUnlock()
	all := []*Cluster{f.first}
	for _, one := range f.all {
		all = append(all, one.Cluster)
	}
	return all
}

var resource = schema.GroupResource{Group: apiversion.Group, Resource: "forks"}

// Manage answers requests about forks: GET for all or one, POST to create one, DELETE.
func (f *Forks) Manage(w http.ResponseWriter, r *http.Request) {
	name := strings.Trim(strings.TrimPrefix(r.URL.Path, "/forks"), "/")
	var answer any
	code, err := http.StatusOK, error(nil)
	switch {
	case r.Method == http.MethodGet && name == "":
		answer = f.list()
	case r.Method == http.MethodGet:
		answer, err = f.get(name)
	case r.Method == http.MethodPost && name != "":
		code = http.StatusCreated
		answer, err = f.make(name, r.URL.Query())
	case r.Method == http.MethodDelete && name != "":
		answer, err = f.delete(name)
	default:
		err = apierrors.NewMethodNotSupported(resource, strings.ToLower(r.Method))
	}
	if err != nil {
		refuse(w, err)
		return
	}
	write(w, code, answer)
}

func (f *Forks) list() any {
	f.mutex.RLock()
	defer f.mutex.RUnlock()
	items := []description{}
	for _, name := range slices.Sorted(maps.Keys(f.all)) {
		items = append(items, f.all[name].said())
	}
	return map[string]any{"apiVersion": apiversion.Written, "kind": "ForkList", "items": items}
}

func (f *fork) said() description {
	said := f.description
	said.ResourceVersion = strconv.FormatInt(f.Store.Latest().State().Writes(), 10)
	return said
}

func (f *Forks) get(name string) (any, error) {
	found, ok := f.find(name)
	if !ok {
		return nil, apierrors.NewNotFound(resource, name)
	}
	return found.said(), nil
}

// make creates a fork of the cluster or of another fork, in its current state or in that at a version.
func (f *Forks) make(name string, q url.Values) (any, error) {
	if errs := validation.IsDNS1123Label(name); len(errs) > 0 {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("name %q: %s", name, strings.Join(errs, "; ")))
	}
	for key := range q {
		if key != "from" && key != "resourceVersion" {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("unknown parameter %q: want from or resourceVersion", key))
		}
	}
	from := f.first
	if other := q.Get("from"); other != "" {
		found, ok := f.find(other)
		if !ok {
			return nil, apierrors.NewNotFound(resource, other)
		}
		from = found.Cluster
	}
	begin := from.Store.Latest()
	if version := q.Get("resourceVersion"); version != "" {
		then, err := from.Store.AsOf(version)
		if err != nil {
			return nil, err
		}
		begin = then
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if _, there := f.all[name]; there {
		return nil, apierrors.NewAlreadyExists(resource, name)
	}
	if len(f.all) >= f.options.Most || f.ended {
		return nil, apierrors.NewTooManyRequests(fmt.Sprintf("there are %d forks already, and no more are allowed: delete one first", len(f.all)), 1)
	}
	made, err := f.options.Make(name, begin)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	one := &fork{made, description{Name: name, From: q.Get("from"), ForkedAt: strconv.FormatInt(begin.State().Writes(), 10), Created: metav1.NewTime(time.Now().UTC())}}
	f.all[name] = one
	return one.said(), nil
}

// delete ends a fork and the watches of its clients.
func (f *Forks) delete(name string) (any, error) {
	f.mutex.Lock()
	found, ok := f.all[name]
	delete(f.all, name)
	f.mutex.Unlock()
	if !ok {
		return nil, apierrors.NewNotFound(resource, name)
	}
	found.End()
	return metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusSuccess, Details: &metav1.StatusDetails{Name: name, Group: resource.Group, Kind: resource.Resource}}, nil
}

func refuse(w http.ResponseWriter, err error) {
	status := metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error()}
	if known := apierrors.APIStatus(nil); errors.As(err, &known) {
		status = known.Status()
	}
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	write(w, int(status.Code), status)
}

func write(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v) // a client that went away is not our error
}
