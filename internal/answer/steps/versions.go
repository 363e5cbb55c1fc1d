package steps

import (
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/trace"
)

// Versions returns the versions of the object of an admission: as it entered, and after each plugin, webhook or policy
// that changed it. If webhooks saw the object in another API version, their changes are combined per plugin, since only
// those versions can be compared.
func Versions(a trace.Admission) (all []document.ObjectVersion) {
	if a.Request.Object == nil {
		return nil
	}
	all = append(all, document.ObjectVersion{By: "as sent", Object: a.Request.Object})
	for _, s := range a.Steps {
		if s.Outcome != trace.Changed {
			continue
		}
		if hooks, ok := hookVersions(a, s); ok {
			all = append(all, hooks...)
		} else if s.After != nil {
			all = append(all, document.ObjectVersion{By: s.Plugin, Object: s.After})
		}
	}
	return all
}

func hookVersions(a trace.Admission, s trace.Step) (all []document.ObjectVersion, ok bool) {
	for _, h := range s.Hooks {
		if h.Outcome != trace.Changed {
			continue
		}
		if h.After == nil || h.Kind != a.Request.Kind {
			return nil, false
		}
		by := words.NameOf(h.Configuration, h.Name)
		if s.Round > 0 {
			by += ", again"
		}
		all = append(all, document.ObjectVersion{By: by, Object: h.After})
	}
	return all, len(all) > 0
}
