package calls

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/lint"
	"github.com/admsim/admsim/pkg/rest"
)

// An Unreached counts writes of the corpus that reached no webhook.
type Unreached struct {
	Operation, Resource string // such as create deployments.apps
	Requests            int
	First               []string // the names of the first few
}

// few is how many requests are named.
const few = 3

// missed counts a request that reached no webhook. Reads never do, and do not count.
func (c *Corpus) missed(from *Answered) {
	operation, resource, subresource, name := from.API.Verb, from.API.Resource, from.API.Subresource, from.API.Name
	namespace := from.API.Namespace
	if r := from.Review; r != nil {
		operation, resource, subresource, namespace, name = strings.ToLower(string(r.Operation)), r.Resource, r.Subresource, r.Namespace, r.Name
	}
	switch operation {
	case rest.Create, rest.Update, rest.Delete, rest.Connect:
	case rest.Patch:
		operation = rest.Update
	case rest.DeleteCollection:
		operation = rest.Delete
	default:
		return
	}
	if all := from.Result.Admissions; len(all) > 0 {
		name = cmp.Or(all[0].Request.Name, name) // a created object has its name in the body
	}
	name = cmp.Or(name, from.Source.String())
	if namespace != "" && resource.GroupResource() != (schema.GroupResource{Resource: "namespaces"}) {
		name = namespace + "/" + name
	}
	what := resource.GroupResource().String()
	if subresource != "" {
		what += "/" + subresource
	}
	i := slices.IndexFunc(c.unreached, func(u Unreached) bool { return u.Operation == operation && u.Resource == what })
	if i < 0 {
		i = len(c.unreached)
		c.unreached = append(c.unreached, Unreached{Operation: operation, Resource: what})
	}
	u := &c.unreached[i]
	u.Requests++
	if len(u.First) < few && !slices.Contains(u.First, name) {
		u.First = append(u.First, name)
	}
}

// Unreached returns the writes that reached no webhook, the most frequent first. If there are no webhooks, it returns
// none.
func (c *Corpus) Unreached() []Unreached {
	if c.subject == nil || len(c.subject.Hooks) == 0 {
		return nil
	}
	all := slices.Clone(c.unreached)
	slices.SortStableFunc(all, func(a, b Unreached) int {
		return cmp.Or(-cmp.Compare(a.Requests, b.Requests), strings.Compare(a.Resource, b.Resource), strings.Compare(a.Operation, b.Operation))
	})
	return all
}

func neverReached(c *Corpus, s *lint.Subject, r *lint.Reporter) {
	requests := "none of the requests reaches it"
	if c.Requests > 1 {
		requests = fmt.Sprintf("none of %d requests reaches it", c.Requests)
	}
	report := func(h hook, at, conditions lint.Field) {
		switch failed := c.failed[h]; {
		case c.Requests == 0 || c.reached[h]:
		case failed != nil:
			f := r.At(conditions, "%s: it refuses %d of them, because its match conditions fail: %s", requests, failed.requests, failed.because)
			f.Severity, f.Remedy = lint.Error, "write conditions that do not fail: has(object.spec.replicas), object == null"
			f.Related = append(f.Related, lint.Related{Source: failed.first, Message: "the request"})
		default:
			r.At(at, "%s", requests)
		}
	}
	for _, h := range s.Hooks {
		report(hook{webhook: h}, h.Field("rules"), h.Field("matchConditions"))
	}
	for _, p := range s.Policies {
		if len(p.Bindings) > 0 {
			report(hook{policy: p}, p.Field("matchConstraints"), p.Field("matchConditions"))
		}
	}
}
