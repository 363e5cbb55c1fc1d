package dispatch

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
)

// A Route sends the calls of some webhooks to a backend.
type Route struct {
	// Webhook is the name of a webhook, or of its configuration and the webhook separated by a slash. Both may contain
	// the wildcards of [path.Match], where a star matches everything except slashes: `*.shop.example`, `istio-*/*`.
	Webhook string
	Backend Backend
	At      string // where the route is declared, or ""
}

// Backends chooses the backend of a webhook: that of the first matching route.
type Backends struct {
	routes []Route
}

// NewBackends returns Backends with these routes.
func NewBackends(routes ...Route) (*Backends, error) {
	for _, r := range routes {
		if _, err := path.Match(r.Webhook, ""); err != nil || strings.Count(r.Webhook, "/") > 1 {
			return nil, fmt.Errorf("%q is no pattern for a webhook: want <webhook> or <configuration>/<webhook>", r.Webhook)
		}
	}
	return &Backends{routes: routes}, nil
}

// Backend returns the backend of a webhook. If no route matches, the replies of the returned backend say so.
func (b *Backends) Backend(configuration, webhook string) Backend {
	for _, r := range b.routes {
		if r.Matches(configuration, webhook) {
			return r.Backend
		}
	}
	return noBackend{&NoBackendError{Known: b.routes}}
}

// Declares reports whether there is a route for that webhook.
func (b *Backends) Declares(configuration, webhook string) bool {
	return slices.ContainsFunc(b.routes, func(r Route) bool { return r.Matches(configuration, webhook) })
}

// Matches reports whether the route is for that webhook.
func (r Route) Matches(configuration, webhook string) bool {
	name := webhook
	if strings.Contains(r.Webhook, "/") {
		name = configuration + "/" + webhook
	}
	matched, _ := path.Match(r.Webhook, name) // NewBackends checked the pattern
	return matched
}

// noBackend is the backend of webhooks without a route.
type noBackend struct{ why error }

func (n noBackend) Call(_ context.Context, c Call) Reply {
	return Reply{Err: &NoAnswerError{c.Configuration, c.Webhook, n.why.Error(), n.why}}
}
