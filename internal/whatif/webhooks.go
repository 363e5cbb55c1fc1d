package whatif

import (
	"path"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/world"
)

// A NamedWebhook is one that users can name, and what is behind its service.
type NamedWebhook struct {
	*dependency.Webhook
	Backend *dependency.Backend // nil: nothing is known of it
	Alike   bool                // a webhook of the other kind is called the same
}

// Webhooks are those of the loaded world, and those that cases of suites find besides.
func Webhooks(maker world.Maker, cases []*world.CaseKey) (all []NamedWebhook, err error) {
	seen, known := map[*world.CaseKey]bool{}, map[string]bool{}
	for _, key := range append([]*world.CaseKey{nil}, cases...) {
		if seen[key] {
			continue
		}
		seen[key] = true
		w, err := maker(key, nil)
		if err != nil {
			return nil, err
		}
		graph := traffic.Dependencies(w.Simulator())
		for _, one := range graph.Webhooks() {
			if name := one.Kind() + "/" + one.Configuration + "/" + one.Name; !known[name] {
				known[name] = true
				all = append(all, NamedWebhook{one, graph.Backend(one), false})
			}
		}
	}
	for i := range all {
		all[i].Alike = slices.ContainsFunc(all, func(h NamedWebhook) bool {
			return h.Mutating != all[i].Mutating && h.String() == all[i].String()
		})
	}
	return all, nil
}

// Named reports whether a pattern names the webhook. " (mutating)" or
// " (validating)" behind it is about webhooks of that kind only.
func (h NamedWebhook) Named(pattern string) bool {
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

// UnknownWebhook is the error about a pattern that names none of the webhooks.
func UnknownWebhook(pattern string, hooks []NamedWebhook) error {
	known := make([]string, len(hooks))
	for i, h := range hooks {
		known[i] = h.Name
	}
	err := didyoumean.Unknown("there is no such webhook", pattern, known)
	if err.Hint() != "" || len(known) == 0 {
		return err
	}
	err.Else = "there are " + didyoumean.Few(known)
	if len(known) == 1 {
		err.Else = "there is " + known[0]
	}
	return err
}
