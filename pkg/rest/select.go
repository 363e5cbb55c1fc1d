package rest

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/rest/selectors"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
)

// A Selection is what a list or a watch selects: the objects of one collection that match its selectors, in the version
// of the request. Goroutines may share it.
type Selection struct {
	x  *exchange
	by selectors.Selection
}

// Select parses the selection of a list. If the server has no such collection, or refuses the user or the selectors,
// Select returns the server's answer instead.
func (s *Server) Select(ctx context.Context, state *cluster.State, req Request) (*Selection, *Response, error) {
	x := newExchange(s, state, req)
	by, err := x.selectOf(ctx)
	if refused := x.ends(err); refused != nil {
		answer := x.response(refused.code, refused.body)
		return nil, &answer, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return &Selection{x, by}, nil, nil
}

// AuditAnnotations returns what the audit log says about the request.
func (s *Selection) AuditAnnotations() map[string]string { return s.x.annotations.Map() }

func (x *exchange) selectOf(ctx context.Context) (selectors.Selection, error) {
	if err := x.checkTimeout(); err != nil {
		return selectors.Selection{}, err
	}
	if err := x.authorize(ctx); err != nil {
		return selectors.Selection{}, err
	}
	if err := x.route(); err != nil {
		return selectors.Selection{}, err
	}
	return x.selection()
}

// Resource returns the resource of the collection.
func (s *Selection) Resource() discovery.Resource { return s.x.resource }

// Namespace returns the namespace of the collection, or "" for all namespaces.
func (s *Selection) Namespace() string { return s.x.req.Namespace }

// Warnings returns the warnings for the client.
func (s *Selection) Warnings() []string { return s.x.sentWarnings(&s.x.warnings) }

// IsFor reports whether only the object of a name is selected.
func (s *Selection) IsFor(name string) bool { return s.by.IsFor(name) }

// Version returns the version from which a watch begins; 0 is the newest.
func (s *Selection) Version() (uint64, error) { return selectors.ParseVersion(s.by.Options.Version) }

// TooLarge returns the error of a server that waited in vain for a version.
func (s *Selection) TooLarge(version uint64, current int64) error {
	return selectors.TooLarge(s.x.server.release(), version, current, 1)
}

// Awaits returns the version that the server waits for before it answers with a list, or 0.
func (s *Selection) Awaits() uint64 { return s.by.Awaits() }

// Options returns the other options of the list or watch.
func (s *Selection) Options() selectors.Options { return s.by.Options }

// Page returns the objects of the page that the options ask for, as [Selection.Show] shows them, and the metadata of the
// list. A list that begins shows state; at returns the state at a version, if it is still known, for one that continues.
// An error with a status is one of the server; any other says why the answer of the server is not known.
func (s *Selection) Page(o selectors.Options, state *cluster.State, at func(version int64) (*cluster.State, bool)) (items []runtime.Object, list metav1.ListMeta, err error) {
	by := s.by
	by.Options = o
	if items, list, err = s.x.page(by, state, at); err != nil {
		return nil, list, withStatus(err)
	}
	for i := range items {
		items[i] = s.x.linked(items[i])
	}
	return items, list, nil
}

// Selects reports whether a stored object of the collection is selected.
func (s *Selection) Selects(stored runtime.Object) (bool, error) { return s.by.Matches(stored) }

// Show returns a stored object in the version of the request. Its errors are like those of [Selection.Page].
func (s *Selection) Show(stored runtime.Object) (runtime.Object, error) {
	object, err := s.x.server.Types.Served(stored, s.x.resource.Kind)
	if err != nil {
		return nil, withStatus(err)
	}
	return s.x.linked(s.x.shown(object)), nil
}

// selection parses the selectors of the URL, and refuses fields that the kind cannot be selected by, and shards that
// cannot be read.
func (x *exchange) selection() (selectors.Selection, error) {
	selected, err := selectors.Parse(x.req.Query, x.resource, x.req.Namespace, x.server.release())
	if err != nil {
		return selected, refuse(err)
	}
	if x.req.Verb == DeleteCollection {
		selected.Options.Uninitialized = true // whatever the client asks for (IN-09)
	}
	if x.probes() {
		selected.Options = selectors.Options{} // what is not stored has no versions, no pages and no shards
	}
	if selected, err = selected.InShards(); err != nil {
		return selected, refuse(err)
	}
	return selected, nil
}
