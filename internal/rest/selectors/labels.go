package selectors

import (
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var (
	wrongKey   = regexp.MustCompile(`: <nil>: Invalid value: ("(?:[^"\\]|\\.)*"): `)
	wrongValue = regexp.MustCompile(`: values\[\d+\]\[(.*?)\]: Invalid value: ("(?:[^"\\]|\\.)*"): `)
	wrongBound = regexp.MustCompile(`: values\[\d+\]: Invalid value: "(?:[^"\\]|\\.)*": `)
)

// labelWords returns what is wrong with a label selector in the words of a release:
// kubernetes/apimachinery:pkg/labels/selector.go.
func labelWords(r *kubeversion.Release, err error) string {
	text := rules.Worded(r, field.ErrorList{{Type: field.ErrorTypeInvalid, Detail: err.Error()}})[0].Detail
	if !r.Has(kubeversion.LabelOperatorsListed) {
		text = strings.Replace(text, "expected: in, notin, =, ==, !=, gt, lt", "expected: '=', '!=', '==', 'in', notin'", 1)
	}
	if !r.Has(kubeversion.LabelSelectorPaths) {
		text = wrongKey.ReplaceAllString(text, ": invalid label key $1: ")
		text = wrongValue.ReplaceAllString(text, `: invalid label value: $2: at key: "$1": `)
		text = wrongBound.ReplaceAllString(text, ": ")
	}
	return text
}
