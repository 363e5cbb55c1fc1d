package expression_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Selectors of 1.30 see the attributes of an instance by their types (W-346).
func TestCheckInstanceSelector(t *testing.T) {
	release, err := kubeversion.Parse("1.30")
	if err != nil {
		t.Fatal(err)
	}
	compiler := expression.New(release)
	for _, test := range []struct {
		reason, text string
		want         []string
	}{
		{"a bool", `attributes.bool["healthy"]`, nil},
		{"numbers and texts", `attributes.int["a"] > 1 && attributes.string["b"] == "c" && 4 in attributes.intslice["d"] && "e" in attributes.stringslice["f"]`, nil},
		{"versions and quantities", `attributes.version["v"].isGreaterThan(semver("1.0.0")) && attributes.quantity["m"].isLessThan(quantity("1Gi"))`, nil},
		{"no bool", `attributes.int["a"]`, []string{`s: Invalid value: "attributes.int[\"a\"]": must evaluate to bool`}},
		{"a device", "device.driver", []string{`s: Invalid value: "device.driver": compilation failed: ERROR: <input>:1:1: undeclared reference to 'device' (in container '')` + "\n | device.driver\n | ^"}},
	} {
		for _, stored := range []bool{false, true} {
			if diff := cmp.Diff(test.want, errorTexts(compiler.CheckInstanceSelector(test.text, stored, field.NewPath("s")))); diff != "" {
				t.Errorf("%s, stored %v (-want +got):\n%s", test.reason, stored, diff)
			}
		}
	}
}
