// Package webhooks finds webhooks by the names that users give them: their own, that of their configuration, both, or
// that of their service.
//
// Start with [In]. [Unknown] is the error for a name that matches none of them.
package webhooks

import (
	"path"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/report/words"
)

// A Named webhook is a webhook that users can name, with the backend of its service.
type Named struct {
	*dependency.Webhook
	Backend *dependency.Backend // nil: unknown
	Alike   bool                // a webhook of the other kind has the same name
}

// In returns the webhooks of graphs that requests are sent to. A webhook in several graphs is returned once.
func In(graphs []*dependency.Graph) []Named { return find(graphs, (*dependency.Graph).Webhooks) }

// All also returns the webhooks that convert custom resources.
func All(graphs []*dependency.Graph) []Named {
	return find(graphs, func(g *dependency.Graph) []*dependency.Webhook { return slices.Concat(g.Webhooks(), g.Conversions()) })
}

func find(graphs []*dependency.Graph, in func(*dependency.Graph) []*dependency.Webhook) (all []Named) {
	known := map[string]bool{}
	for _, graph := range graphs {
		for _, one := range in(graph) {
			if name := one.Kind() + "/" + one.Configuration + "/" + one.Name; !known[name] {
				known[name] = true
				all = append(all, Named{one, graph.Backend(one), false})
			}
		}
	}
	for i := range all {
		all[i].Alike = slices.ContainsFunc(all, func(h Named) bool {
			return h.Mutating != all[i].Mutating && h.String() == all[i].String()
		})
	}
	return all
}

// Matches reports whether a pattern names the webhook. A suffix " (mutating)" or " (validating)" restricts it to
// webhooks of that kind.
func (h Named) Matches(pattern string) bool {
	pattern, mutating := strings.CutSuffix(pattern, " (mutating)")
	pattern, validating := strings.CutSuffix(pattern, " (validating)")
	if mutating && !h.Mutating || validating && h.Mutating {
		return false
	}
	names := []string{h.Name, h.Configuration, h.Configuration + "/" + h.Name}
	if h.Backend != nil {
		names = append(names, "svc/"+h.Backend.String(), "service/"+h.Backend.String())
	}
	return slices.ContainsFunc(names, func(name string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}

// Unknown returns the error for a pattern that names none of the webhooks.
func Unknown(pattern string, hooks []Named) error {
	known := make([]string, len(hooks))
	for i, h := range hooks {
		if known[i] = h.Name; h.Converts {
			known[i] = h.String() // all of them have the same name
		}
	}
	err := didyoumean.Unknown("there is no such webhook", pattern, known)
	switch {
	case len(known) == 0:
		err.Else = "no webhook is configured: give the file of its configuration with -C"
	case err.Hint() != "":
	case len(known) == 1:
		err.Else = "there is " + known[0]
	default:
		err.Else = "there are " + words.Few(known)
	}
	return err
}
