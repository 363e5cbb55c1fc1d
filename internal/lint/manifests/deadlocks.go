package manifests

import (
	"fmt"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/lint"
)

const deadlockTheme = "Deadlocks"

func deadlockRules() []lint.Rule {
	return []lint.Rule{
		{
			ID: "ADM070", Name: "self-deadlock", Theme: deadlockTheme, Severity: lint.Error, Practice: "avoid-self-mutation",
			Title:  "A webhook must admit its own pods.",
			Why:    "Once all of them are lost, with their node or by mistake, no new pod is admitted, since the webhook does not answer. It does not come up again until somebody deletes the configuration.",
			Remedy: "exclude the namespace of the webhook with the namespaceSelector, or its pods with the objectSelector",
			Check:  selfDeadlock,
		},
		{
			ID: "ADM071", Name: "deadlock-cycle", Theme: deadlockTheme, Severity: lint.Error, Practice: "avoid-dependency-loops",
			Title:  "Webhooks must admit each other's pods.",
			Why:    "Once the pods of all of them are lost, each waits for the next one, and none comes up again.",
			Remedy: "exclude the namespace of one of them with the namespaceSelector of the other",
			Check:  deadlockCycle,
		},
		{
			ID: "ADM072", Name: "own-pods", Theme: deadlockTheme, Severity: lint.Info, Practice: "avoid-self-mutation",
			Title:  "A webhook that fails open is called for its own pods.",
			Why:    "As long as some of them answer, they may refuse the new ones, or change them so that they do not start. A new version of the webhook, or a lost node, then leaves fewer and fewer. With failurePolicy Fail, ADM070 is reported instead.",
			Remedy: "exclude the namespace of the webhook with the namespaceSelector, or its pods with the objectSelector",
			Check:  lint.EachHook(ownPods),
		},
	}
}

// selfDeadlock reports a backend once per configuration.
func selfDeadlock(s *lint.Subject, r *lint.Reporter) {
	for _, c := range s.Cycles {
		if len(c) > 1 {
			continue
		}
		b := c[0].Backend
		byConfiguration := map[string][]dependency.Need{}
		var order []string
		for _, n := range c[0].Needs {
			name := lint.NameOf(hookOf(s, n.Webhook).Manifest)
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
			h := hookOf(s, needs[0].Webhook)
			text := fmt.Sprintf("the pods of %s, which answer for it, do not come back without it: it has to admit %s in %s",
				needs[0].Workload, needs[0].What, b.Namespace)
			if len(needs) > 1 {
				text += fmt.Sprintf(" (and so have %s)", webhookNames(needs[1:]))
			}
			f := r.At(h.Field("namespaceSelector"), "%s", text)
			f.Remedy = leaveOut(b.Namespace)
			f.Related = append(where(s, b), workload(s, needs[0].Workload)...)
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

func hookOf(s *lint.Subject, w *dependency.Webhook) *lint.Hook {
	return s.Hooks[slices.IndexFunc(s.Hooks, func(h *lint.Hook) bool { return h.Webhook == w })]
}

func workload(s *lint.Subject, w *dependency.Workload) []lint.Related {
	for _, m := range s.Manifests {
		if m.Kind == w.Kind && m.Name == w.Name && (m.Namespace == w.Namespace || m.Namespace == "" && w.Namespace == "default") {
			return []lint.Related{{Source: m.Source, Message: "the pods"}}
		}
	}
	return nil
}

func deadlockCycle(s *lint.Subject, r *lint.Reporter) {
	for _, c := range s.Cycles {
		if len(c) < 2 {
			continue
		}
		h := hookOf(s, c[0].Needs[0].Webhook)
		f := r.At(h.Field("namespaceSelector"), "none of these comes up again once all are lost: %s", c)
		f.Remedy = leaveOut(c[0].Backend.Namespace)
		for _, link := range c[1:] {
			other := hookOf(s, link.Needs[0].Webhook)
			at := other.Field("namespaceSelector")
			f.Related = append(f.Related, lint.Related{Source: at.Manifest.Position(at.Path), Message: fmt.Sprintf("%s must admit the pods of %s", other, link.Needs[0].Workload)})
		}
	}
}

func ownPods(s *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	b := s.Graph.Backend(h.Webhook)
	if b == nil || h.FailsClosed() {
		return
	}
	for _, w := range b.Workloads {
		if !s.Calls(h, w.NewPod()) {
			continue
		}
		does := "refuse them"
		if h.Mutating {
			does = "change or refuse them"
		}
		f := r.At(h.Field("namespaceSelector"), "called for new pods of %s, which answer for it: it may %s", w, does)
		f.Remedy = leaveOut(b.Namespace)
		f.Related = workload(s, w)
		return
	}
}
