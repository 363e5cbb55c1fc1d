package custom

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/hint"
)

func schemaWith(rules ...string) *structuralschema.Structural {
	nested := structuralschema.NestedValueValidation{}
	for _, rule := range rules {
		nested.XValidations = append(nested.XValidations, apiextensionsv1.ValidationRule{Rule: rule})
	}
	return &structuralschema.Structural{Items: &structuralschema.Structural{
		ValueValidation: &structuralschema.ValueValidation{AllOf: []structuralschema.NestedValueValidation{nested}},
	}}
}

func versionWith(rules ...string) *customVersion {
	return &customVersion{quantities: func() ruleQuantities { return quantitiesIn(schemaWith(rules...)) }, endless: &atomic.Bool{}}
}

func limitedWith(v *customVersion, object map[string]any, ask func(context.Context)) (err error) {
	defer bug.CatchStop(&err)
	v.limited(&unstructured.Unstructured{Object: object}, nil, ask)
	return nil
}

// Rules that calculate with quantities are not evaluated if one of them takes forever.
func TestEndlessQuantitiesInRules(t *testing.T) {
	const uses = "quantity(self.a).isLessThan(quantity('1Gi'))"
	for _, tt := range []struct {
		rule      string
		object    map[string]any
		evaluated bool
	}{
		{uses, map[string]any{"a": "1e3"}, true},
		{uses, map[string]any{"a": []any{map[string]any{"b": "1e999999999"}}}, false},
		{uses, map[string]any{"a": strings.Repeat("9", 2000)}, false},
		{uses, map[string]any{"a": strings.Repeat("no number ", 200)}, true},
		{"self.a != ''", map[string]any{"a": "1e999999999"}, true},
		{`isQuantity("-1e-999999999")`, map[string]any{}, false},
		{`isQuantity(self.a) && self.a.matches('^[0-9]e[0-9]{1,9999}$')`, map[string]any{"a": "1"}, true},
	} {
		evaluated := false
		err := limitedWith(versionWith("true", tt.rule), tt.object, func(context.Context) { evaluated = true })
		if evaluated != tt.evaluated || (err == nil) != tt.evaluated {
			t.Errorf("%s about %.60v: evaluated %t, %v, want %t", tt.rule, tt.object, evaluated, err, tt.evaluated)
		}
		if with := (*hint.Error)(nil); err != nil && !errors.As(err, &with) {
			t.Errorf("%v has no hint", err)
		}
	}
}

// Rules that build such a quantity themselves are given up after a while, and not evaluated again.
func TestRulesThatNeverEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := versionWith("quantity(self.a + self.b) == quantity('1')")
		never := make(chan struct{})
		var evaluations atomic.Int32
		for range 3 {
			err := limitedWith(v, nil, func(context.Context) { evaluations.Add(1); <-never })
			if err == nil || !strings.Contains(err.Error(), "take longer than 1m0s") {
				t.Errorf("got %v, want an error about the time", err)
			}
		}
		if evaluations.Load() != 1 {
			t.Errorf("the rules were evaluated %d times, want 1", evaluations.Load())
		}
		close(never)
	})
}

// Loops end with the time limit, where the rules are evaluated.
func TestLoopsInRulesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		err := limitedWith(versionWith("self.a.all(x, x > 1)"), nil, func(ctx context.Context) { <-ctx.Done() })
		if err == nil || !strings.Contains(err.Error(), "take longer than 1m0s") {
			t.Errorf("got %v, want an error about the time", err)
		}
	})
}
