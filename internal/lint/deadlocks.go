package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/dependency"
)

const deadlockTheme = "Deadlocks"

func deadlockRules() []Rule {
	return []Rule{
		{
			ID: "ADM070", Name: "self-deadlock", Theme: deadlockTheme, Severity: Error, Practice: "avoid-self-mutation",
			Title:  "A webhook must admit its own pods.",
			Why:    "Once all of them are lost, with their node or by mistake, no new pod is admitted, since the webhook does not answer. It does not come up again until somebody deletes the configuration.",
			Remedy: "exclude the namespace of the webhook with the namespaceSelector, or its pods with the objectSelector",
			check:  selfDeadlock,
		},
		{
			ID: "ADM071", Name: "deadlock-cycle", Theme: deadlockTheme, Severity: Error, Practice: "avoid-dependency-loops",
			Title:  "Webhooks must admit each other's pods.",
			Why:    "Once the pods of all of them are lost, each waits for the next one, and none comes up again.",
			Remedy: "exclude the namespace of one of them with the namespaceSelector of the other",
			check:  deadlockCycle,
		},
	}
}

// selfDeadlock reports a backend once a configuration.
func selfDeadlock(s *subject, r *reporter) {
	for _, c := range s.cycles {
		if len(c) > 1 {
			continue
		}
		b := c[0].Backend
		byConfiguration := map[string][]dependency.Need{}
		var order []string
		for _, n := range c[0].Needs {
			name := nameOf(s.hookOf(n.Webhook).manifest)
			known := slices.ContainsFunc(byConfiguration[name], func(m dependency.Need) bool { return m.Webhook == n.Webhook })
			if known {
				continue
			}
			if byConfiguration[name] == nil {
				order = append(order, name)
			}
			byConfiguration[name] = append(byConfiguration[name], n)
		}
		for _, name := range order {
			needs := byConfiguration[name]
			h := s.hookOf(needs[0].Webhook)
			text := fmt.Sprintf("the pods of %s, which answer for it, do not come back without it: it has to admit %s in %s",
				needs[0].Workload, needs[0].What, b.Namespace)
			if len(needs) > 1 {
				text += fmt.Sprintf(" (and so have %s)", webhookNames(needs[1:]))
			}
			f := r.at(h.field("namespaceSelector"), "%s", text)
			f.Remedy = leaveOut(b.Namespace)
			f.Related = append(s.where(b), s.workload(needs[0].Workload)...)
		}
	}
}

func webhookNames(needs []dependency.Need) string {
	names := make([]string, len(needs))
	for i, n := range needs {
		names[i] = n.Webhook.Name
	}
	return strings.Join(names, ", ")
}

func (s *subject) hookOf(w *dependency.Webhook) *hook {
	return s.hooks[slices.IndexFunc(s.hooks, func(h *hook) bool { return h.Webhook == w })]
}

func (s *subject) workload(w *dependency.Workload) []Related {
	for _, m := range s.Manifests {
		if m.Kind == w.Kind && m.Name == w.Name && (m.Namespace == w.Namespace || m.Namespace == "" && w.Namespace == "default") {
			return []Related{{m.Source, "the pods"}}
		}
	}
	return nil
}

func deadlockCycle(s *subject, r *reporter) {
	for _, c := range s.cycles {
		if len(c) < 2 {
			continue
		}
		h := s.hookOf(c[0].Needs[0].Webhook)
		f := r.at(h.field("namespaceSelector"), "none of these comes up again once all are lost: %s", c)
		f.Remedy = leaveOut(c[0].Backend.Namespace)
		for _, link := range c[1:] {
			other := s.hookOf(link.Needs[0].Webhook)
			at := other.field("namespaceSelector")
			f.Related = append(f.Related, Related{at.manifest.Position(at.field), fmt.Sprintf("%s must admit the pods of %s", other, link.Needs[0].Workload)})
		}
	}
}
