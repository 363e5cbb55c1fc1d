package dispatch

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
)

// A Route sends the calls of webhooks to a backend.
type Route struct {
	// Webhook is a webhook's name, or its configuration and name with a slash in between. Both may hold the
	// wildcards of [path.Match], where a star matches everything but slashes: `*.shop.example`, `istio-*/*`.
	Webhook string
	Backend Backend
	At      string // the place where the route is declared, or ""
}

// Backends chooses the backend of a webhook: that of the first route that matches.
type Backends struct {
	routes []Route
}

// NewBackends returns a choice among routes.
func NewBackends(routes ...Route) (*Backends, error) {
	for _, r := range routes {
		if _, err := path.Match(r.Webhook, ""); err != nil || strings.Count(r.Webhook, "/") > 1 {
			return nil, fmt.Errorf("%q is no pattern for a webhook: want <webhook> or <configuration>/<webhook>", r.Webhook)
		}
	}
	return &Backends{routes: routes}, nil
}

// Backend returns the backend of a webhook. If no route matches, the replies of the backend say so.
func (b *Backends) Backend(configuration, webhook string) Backend {
	for _, r := range b.routes {
		if r.Matches(configuration, webhook) {
			return r.Backend
		}
	}
	return nobody{&NoBackendError{Known: b.routes}}
}

// Declares reports whether a route is for that webhook.
func (b *Backends) Declares(configuration, webhook string) bool {
	return slices.ContainsFunc(b.routes, func(r Route) bool { return r.Matches(configuration, webhook) })
}

// Matches reports whether the route is for that webhook.
func (r Route) Matches(configuration, webhook string) bool {
	name := webhook
	if strings.Contains(r.Webhook, "/") {
		name = configuration + "/" + webhook
	}
	matched, _ := path.Match(r.Webhook, name) // NewBackends has seen the pattern
	return matched
}

// nobody is the backend of webhooks without a route.
type nobody struct{ why error }

func (n nobody) Call(_ context.Context, c Call) Reply {
	return Reply{Err: &NoAnswerError{c.Configuration, c.Webhook, n.why.Error(), n.why}}
}
