package selectors

import (
	"regexp"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// withoutPaths are the forms in which errors had no path yet.
var withoutPaths = sync.OnceValue(func() []rewriting {
	return []rewriting{
		{regexp.MustCompile(`: <nil>: Invalid value: ("(?:[^"\\]|\\.)*"): `), ": invalid label key $1: "},
		{regexp.MustCompile(`: values\[\d+\]\[(.*?)\]: Invalid value: ("(?:[^"\\]|\\.)*"): `), `: invalid label value: $2: at key: "$1": `},
		{regexp.MustCompile(`: values\[\d+\]: Invalid value: "(?:[^"\\]|\\.)*": `), ": "},
	}
})

type rewriting struct {
	from *regexp.Regexp
	to   string
}

// labelWords returns what is wrong with a label selector in the words of a release:
// kubernetes/apimachinery:pkg/labels/selector.go.
func labelWords(r *kubeversion.Release, err error) string {
	text := rules.Worded(r, field.ErrorList{{Type: field.ErrorTypeInvalid, Detail: err.Error()}})[0].Detail
	if !r.Has(kubeversion.LabelOperatorsListed) {
		text = strings.Replace(text, "expected: in, notin, =, ==, !=, gt, lt", "expected: '=', '!=', '==', 'in', notin'", 1)
	}
	if !r.Has(kubeversion.LabelSelectorPaths) {
		for _, one := range withoutPaths() {
			text = one.from.ReplaceAllString(text, one.to)
		}
	}
	return text
}
