package main

import (
	"path"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/world"
)

// A hook is a webhook that flags can name, and what is behind its service.
type hook struct {
	*dependency.Webhook
	backend *dependency.Backend // nil: nothing is known of it
	alike   bool                // a webhook of the other kind is called the same
}

// webhooks are those of the loaded world, and those that cases of suites find besides.
func webhooks(maker whatif.Maker, in corpusInput) (all []hook, err error) {
	seen, known := map[*world.CaseKey]bool{}, map[string]bool{}
	for _, c := range append([]suiteCase{{}}, in.cases...) {
		if seen[c.key] {
			continue
		}
		seen[c.key] = true
		w, err := maker(c.key, nil)
		if err != nil {
			return nil, err
		}
		graph := whatif.Dependencies(w.Simulator())
		for _, one := range graph.Webhooks() {
			if key := one.Kind() + "/" + one.Configuration + "/" + one.Name; !known[key] {
				known[key] = true
				all = append(all, hook{one, graph.Backend(one), false})
			}
		}
	}
	for i := range all {
		all[i].alike = slices.ContainsFunc(all, func(h hook) bool {
			return h.Mutating != all[i].Mutating && h.String() == all[i].String()
		})
	}
	return all, nil
}

// named tells whether a flag that says pattern is about the webhook. " (mutating)" or
// " (validating)" behind it is about webhooks of that kind only.
func (h hook) named(pattern string) bool {
	pattern, mutating := strings.CutSuffix(pattern, " (mutating)")
	pattern, validating := strings.CutSuffix(pattern, " (validating)")
	if mutating && !h.Mutating || validating && h.Mutating {
		return false
	}
	names := []string{h.Name, h.Configuration, h.Configuration + "/" + h.Name}
	if h.backend != nil {
		names = append(names, "svc/"+h.backend.String(), "service/"+h.backend.String())
	}
	return slices.ContainsFunc(names, func(name string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}

// unknownWebhook is the error about a flag that names no webhook of those there are.
func unknownWebhook(flag, name string, hooks []hook) error {
	known := make([]string, len(hooks))
	for i, h := range hooks {
		known[i] = h.Name
	}
	err := didyoumean.Unknown(flag+": there is no such webhook", name, known)
	if err.Hint() != "" || len(known) == 0 {
		return err
	}
	are := "there are "
	if len(known) == 1 {
		are = "there is "
	}
	return hinted(err, are+didyoumean.Few(known))
}
