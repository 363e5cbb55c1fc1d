// kubernetes/apiextensions-apiserver:pkg/apiserver/schema/cel/validation.go

package custom

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/endless"
	"github.com/admsim/admsim/internal/hint"
)

// longestRules is the time that the rules of a schema may take for an object.
const longestRules = time.Minute

// limited runs ask, which evaluates rules for an object, with a time limit. It panics with a [bug.Stop] if the server's
// answer cannot be known.
//
// The context ends loops, but not calculations with quantities, for which CEL has no cost; the server's library of
// rules does not let these functions be replaced. So rules that calculate are not evaluated for quantities that take
// forever. Since rules may also build such quantities themselves, ask runs in the background then, and is not run again
// after it failed to finish once.
func (v *customVersion) limited(u, old *unstructured.Unstructured, ask func(context.Context)) {
	what := fmt.Sprintf("x-kubernetes-validations of %s %q", u.GetKind(), u.GetName())
	q := v.quantities()
	if q.used {
		for _, object := range []*unstructured.Unstructured{u, old} {
			if object != nil && q.endless == "" {
				q.endless = endlessIn(object.Object)
			}
		}
		if q.endless != "" {
			err := fmt.Errorf("%s: admsim evaluates no quantity of more than %d characters or with an exponent beyond %d, for which kube-apiserver may take forever: %.40q",
				what, endless.InExpressions.Length, endless.InExpressions.Exponent, q.endless)
			panic(bug.Stop{Err: hint.Add(err, "make the quantity smaller; it comes from the object or from a rule")})
		}
	}
	tooLong := bug.Stop{Err: hint.Add(fmt.Errorf("%s take longer than %v, which is as long as admsim waits", what, longestRules),
		"make the rules do less, or the object smaller: they take kube-apiserver as long")}
	ctx, cancel := context.WithTimeout(context.Background(), longestRules)
	defer cancel()
	if !q.used {
		if ask(ctx); ctx.Err() != nil {
			panic(tooLong)
		}
		return
	}
	if v.endless.Load() || !bug.Within(longestRules, func() { ask(ctx) }) {
		v.endless.Store(true)
		panic(tooLong)
	}
}

// ruleQuantities says how the rules of a schema use quantities.
type ruleQuantities struct {
	used    bool
	endless string // the text of a quantity in a rule that takes forever
}

// quotedText matches a string in an expression, without escapes.
var quotedText = regexp.MustCompile(`'([^'\\]*)'|"([^"\\]*)"`)

func quantitiesIn(s *structuralschema.Structural) (q ruleQuantities) {
	look := func(rules apiextensionsv1.ValidationRules) bool {
		for _, r := range rules {
			for _, text := range []string{r.Rule, r.MessageExpression} {
				if !strings.Contains(text, "uantity") {
					continue
				}
				q.used = true
				for _, quoted := range quotedText.FindAllString(text, -1) {
					if quoted = quoted[1 : len(quoted)-1]; isEndless(quoted) {
						q.endless = quoted
					}
				}
			}
		}
		return false
	}
	visitor := structuralschema.Visitor{
		Structural:            func(s *structuralschema.Structural) bool { return look(s.XValidations) },
		NestedValueValidation: func(n *structuralschema.NestedValueValidation) bool { return look(n.XValidations) },
	}
	visitor.Visit(s)
	return q
}

// endlessIn returns a text within a value that is a quantity which takes forever, or "".
func endlessIn(value any) string {
	switch value := value.(type) {
	case string:
		if isEndless(value) {
			return value
		}
	case []any:
		for _, one := range value {
			if found := endlessIn(one); found != "" {
				return found
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if found := endlessIn(value[key]); found != "" {
				return found
			}
		}
	}
	return ""
}

func isEndless(text string) bool {
	return endless.Number(text) && !endless.InExpressions.Hold(text)
}
