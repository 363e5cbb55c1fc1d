package expression_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// If a release does not know the selectors of the authorizer, they are refused with the same message and position as
// any other unknown function.
func TestUnknownSelectors(t *testing.T) {
	release, err := kubeversion.Parse("1.30")
	if err != nil {
		t.Fatal(err)
	}
	c := expression.New(release)
	message := func(text string) string {
		errs := c.CheckConditions(conditions(text), field.NewPath("c"), nil)
		if len(errs) != 1 {
			t.Fatalf("%s: %v, want one error", text, errs)
		}
		return errs[0].Error()
	}
	for name, text := range map[string]string{
		"fieldSelector": `[1].all(i, authorizer.group('').resource('pods').fieldSelector('a=b').check('list').allowed())`,
		"labelSelector": "true &&\n  authorizer.group('').resource('pods').labelSelector('a').check('list').allowed()",
	} {
		other := strings.Replace(name, "Selector", "Selektor", 1)
		want := strings.ReplaceAll(message(strings.ReplaceAll(text, name, other)), other, name)
		if got := message(text); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", text, got, want)
		}
	}
}

// While the selectors had a gate, it decided about expressions that are written; stored expressions could always use
// them.
func TestGateOfSelectors(t *testing.T) {
	const text = `authorizer.group('').resource('pods').labelSelector('a').check('list').allowed() || true`
	for _, release := range []string{"1.31", "1.32", "1.33"} {
		for _, on := range []bool{false, true} {
			known, err := kubeversion.Parse(release)
			if err != nil {
				t.Fatal(err)
			}
			r, err := known.With(kubeversion.Flags{FeatureGates: map[string]bool{"AuthorizeWithSelectors": on}})
			if err != nil {
				t.Fatal(err)
			}
			c := expression.New(r)
			if errs := c.CheckConditions(conditions(text), field.NewPath("c"), nil); (len(errs) == 0) != on {
				t.Errorf("%s with the gate %v: %v", release, on, errs)
			}
			if errs := c.CheckConditions(conditions(text), field.NewPath("c"), sets.New(text)); len(errs) > 0 {
				t.Errorf("%s with the gate %v, stored expressions: %v", release, on, errs)
			}
			if got := c.Conditions(conditions(text)).Evaluate(t.Context(), create(configMap("c", nil))); got.Failure() != nil {
				t.Errorf("%s with the gate %v, evaluated: %v", release, on, got.Failure())
			}
		}
	}
}
