package objects

import (
	"slices"
	"testing"

	smdschema "sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/admsim/admsim/internal/managedfields"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Every row of the table is about former releases only, and about a type and a field that exist, or a former kind.
func TestMergings(t *testing.T) {
	types := managedfields.BuiltInTypes()
	for name, rows := range mergings() {
		i := slices.IndexFunc(types, func(of smdschema.TypeDef) bool { return of.Name == name })
		for _, m := range rows {
			if i < 0 {
				if m.Field == "" {
					t.Errorf("there is no type %s", name)
				}
			} else if _, ok := types[i].Map.FindField(m.Field); m.Field != "" && !ok {
				t.Errorf("%s has no field %s", name, m.Field)
			}
			if m.releases.Have(kubeversion.Default().Minor) {
				t.Errorf("%s %s is merged so today", name, m.Field)
			}
		}
	}
}
