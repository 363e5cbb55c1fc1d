// Package trouble describes what can be wrong with webhooks, and answers for them accordingly.
//
// A [Situation] is a set of troubles that occur together. [Situation.Change] gives a world backends that are in that
// trouble.
package trouble

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/whatif/webhooks"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/trace"
)

// A Mode is a way in which a webhook does not answer as it should.
type Mode string

// The modes.
const (
	Down   Mode = "down"    // no server listens: the call fails at once
	Hang   Mode = "hang"    // nothing comes back, as from a lost node: the call takes its timeout
	Slow   Mode = "slow"    // it answers as usual, but later
	Error  Mode = "error"   // it answers 500
	BadTLS Mode = "bad-tls" // its certificate is not signed by the caBundle
)

// A Webhook is a webhook in trouble.
type Webhook struct {
	*dependency.Webhook
	Mode    Mode
	Latency time.Duration // for Slow

	// Alike is set if a webhook of the other kind has the same name.
	Alike bool
}

// A Situation is a set of troubles that occur together.
type Situation struct {
	Name     string // empty: derived from the troubles
	Troubles []Webhook
}

// Of puts all webhooks that match a pattern into the same trouble.
func Of(hooks []webhooks.Named, pattern string, mode Mode, latency time.Duration) (all []Webhook) {
	for _, h := range hooks {
		if h.Matches(pattern) {
			all = append(all, Webhook{Webhook: h.Webhook, Mode: mode, Latency: latency, Alike: h.Alike})
		}
	}
	return all
}

// Apart makes a situation of each trouble, or of those of each service.
func Apart(hooks []webhooks.Named, troubles []Webhook, byService bool) (all []Situation) {
	for _, t := range troubles {
		b := hooks[slices.IndexFunc(hooks, func(h webhooks.Named) bool { return h.Webhook == t.Webhook })].Backend
		if !byService || b == nil {
			all = append(all, Situation{Troubles: []Webhook{t}})
			continue
		}
		name := fmt.Sprintf("service %s: %s", b, t.Mode)
		i := slices.IndexFunc(all, func(s Situation) bool { return s.Name == name })
		if i < 0 {
			i = len(all)
			all = append(all, Situation{Name: name})
		}
		all[i].Troubles = append(all[i].Troubles, t)
	}
	return all
}

// Change makes the webhooks of the situation answer accordingly.
func (s Situation) Change(resolver world.Resolver) world.Resolver {
	return func(configuration, webhook string) dispatch.Backend {
		usual := resolver(configuration, webhook)
		for _, t := range s.Troubles {
			if t.Configuration == configuration && t.Name == webhook {
				return situated{s, usual}
			}
		}
		return usual
	}
}

// trouble returns what is wrong with a webhook; nil: nothing. A mutating and a validating webhook may have the same
// name, as those of cert-manager do.
func (s Situation) trouble(mutating bool, configuration, webhook string) *Webhook {
	for i, t := range s.Troubles {
		if t.Mutating == mutating && t.Configuration == configuration && t.Name == webhook {
			return &s.Troubles[i]
		}
	}
	return nil
}

// Affects reports whether a webhook is in trouble.
func (s Situation) Affects(plugin, configuration, webhook string) bool {
	return s.trouble(plugin == document.MutatingWebhooks, configuration, webhook) != nil
}

// Ignores reports whether a webhook is in trouble and its failures are ignored.
func (s Situation) Ignores(plugin, configuration, webhook string) bool {
	t := s.trouble(plugin == document.MutatingWebhooks, configuration, webhook)
	return t != nil && !t.FailsClosed()
}

// A situated backend answers for the webhooks of one name.
type situated struct {
	Situation
	usual dispatch.Backend
}

// Call answers as the webhook does in the situation.
func (s situated) Call(ctx context.Context, c dispatch.Call) dispatch.Reply {
	if t := s.trouble(c.Phase == trace.Mutating, c.Configuration, c.Webhook); t != nil {
		return troubled{*t, s.usual}.Call(ctx, c)
	}
	return s.usual.Call(ctx, c)
}

// A troubled backend is a backend with a trouble.
type troubled struct {
	Webhook
	usual dispatch.Backend
}

// Call answers as a webhook in trouble does.
func (t troubled) Call(ctx context.Context, c dispatch.Call) dispatch.Reply {
	switch t.Mode {
	case Down:
		return fault(ctx, c, dispatch.Answer{Fault: dispatch.Refuse})
	case BadTLS:
		return fault(ctx, c, dispatch.Answer{Fault: dispatch.BadCA})
	case Hang:
		return dispatch.Reply{Latency: dispatch.Never}
	case Error:
		return dispatch.Reply{Status: http.StatusInternalServerError, Body: []byte("internal server error")}
	case Slow:
		reply := t.usual.Call(ctx, c)
		if reply.Latency += t.Latency; reply.Latency < 0 {
			reply.Latency = dispatch.Never
		}
		return reply
	}
	panic("trouble: no reply for mode " + string(t.Mode))
}

// fault returns the reply of a mock whose only answer is a fault.
func fault(ctx context.Context, c dispatch.Call, a dispatch.Answer) dispatch.Reply {
	mock, err := dispatch.NewMock(nil, a)
	if err != nil {
		panic(err) // the answers above are valid
	}
	return mock.Call(ctx, c)
}
