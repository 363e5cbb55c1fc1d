package worlds

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/plugins/security"
	"github.com/admsim/admsim/internal/scenario"
)

// Mislabelled warns about namespaces with labels for Pod Security that are not valid: the pods in them are judged by
// another level than the labels seem to say.
func (w *Loaded) Mislabelled() (warnings []*scenario.Error) {
	for o := range w.Simulator().State().List(schema.GroupKind{Kind: "Namespace"}, "") {
		m, err := meta.Accessor(o.Object)
		if err != nil {
			continue
		}
		for _, wrong := range security.LevelErrors(m.GetLabels()) {
			warnings = append(warnings, &scenario.Error{
				Source:  scenario.ParseSource(o.PlaceOf(wrong.Field)),
				Message: fmt.Sprintf("Namespace %q: %v", m.GetName(), wrong),
				Hint:    "the server refuses to create a namespace with such a label",
			})
		}
	}
	return warnings
}
