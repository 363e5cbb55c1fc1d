package declared

import (
	"embed"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/admsim/admsim/pkg/kubeversion"
)

//go:embed table.txt
var tableText string

// formerText is the table of types that k8s.io/api no longer has.
//
//go:embed former.txt
var formerText string

// The tables of rules that were declared before rules had stages: all are enforced if the gate
// DeclarativeValidationTakeover is on.
//
//go:embed takeover-*.txt
var takeoverTexts embed.FS

// former maps the names of these types in package builtin, which keeps them, to their original names.
var former = map[string]string{
	"PodGroup":                      "scheduling/v1alpha2 PodGroup",
	"PodGroupDisruptionMode":        "scheduling/v1alpha2 DisruptionMode",
	"PodGroupResourceClaim":         "scheduling/v1alpha2 PodGroupResourceClaim",
	"PodGroupResourceClaimStatus":   "scheduling/v1alpha2 PodGroupResourceClaimStatus",
	"PodGroupSchedulingConstraints": "scheduling/v1alpha2 PodGroupSchedulingConstraints",
	"PodGroupSchedulingPolicy":      "scheduling/v1alpha2 PodGroupSchedulingPolicy",
	"PodGroupSpec":                  "scheduling/v1alpha2 PodGroupSpec",
	"PodGroupStatus":                "scheduling/v1alpha2 PodGroupStatus",
	"PodGroupTemplate":              "scheduling/v1alpha2 PodGroupTemplate",
	"PodGroupTemplateReference":     "scheduling/v1alpha2 PodGroupTemplateReference",
	"TopologyConstraint":            "scheduling/v1alpha2 TopologyConstraint",
	"WorkloadController":            "scheduling/v1alpha2 TypedLocalObjectReference",
	"WorkloadGangPolicy":            "scheduling/v1alpha2 GangSchedulingPolicy",
	"WorkloadSpecV1alpha2":          "scheduling/v1alpha2 WorkloadSpec",
	"WorkloadTemplateReference":     "scheduling/v1alpha2 WorkloadPodGroupTemplateReference",
}

// A rule is one tag. A tag with an inner one only says when, or to what, the inner one applies.
type rule struct {
	name  string // required, format
	arg   string // in brackets
	value string // after =
	inner *rule  // the value after =, if it is a rule
	owner string // the type; field is its field
	field string
}

// A declaredType has the rules of a type, those of its fields by their JSON names, and the values of an enum.
type declaredType struct {
	own    []rule
	fields map[string][]rule
}

// A table has the types with rules, by the directory of their package in k8s.io/api and their name.
type table map[string]*declaredType

var (
	today       = sync.OnceValue(func() table { return parseTable(tableText + formerText) })
	takeover135 = takeoverTable("takeover-1.35.txt")
	takeover134 = takeoverTable("takeover-1.34.txt")
	takeover133 = takeoverTable("takeover-1.33.txt")
)

func takeoverTable(name string) func() table {
	return sync.OnceValue(func() table {
		text, err := takeoverTexts.ReadFile(name)
		if err != nil {
			panic(err) // embedded above
		}
		return parseTable(string(text))
	})
}

// takeoverOf returns the rules that a release with the gate DeclarativeValidationTakeover enforces.
func takeoverOf(r *kubeversion.Release) table {
	switch {
	case r.Has(kubeversion.DeclaredListsChecked):
		return takeover135()
	case r.Has(kubeversion.DeclaredUnchangedKept):
		return takeover134()
	}
	return takeover133()
}

func parseTable(text string) table {
	types := table{}
	var t *declaredType
	var owner string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Split(line, "\t")
		if words[0] != "" {
			t, owner = &declaredType{fields: map[string][]rule{}}, words[0]
			types[owner] = t
			continue
		}
		var rules []rule
		for _, text := range words[2:] {
			rules = append(rules, parseRule(text, owner, words[1]))
		}
		if words[1] == "." {
			t.own = append(t.own, rules...)
			continue
		}
		// The server applies rules in the order of their names. Rules with the same name keep the order in which they are
		// written.
		slices.SortStableFunc(rules, func(a, b rule) int { return strings.Compare(a.name, b.name) })
		t.fields[words[1]] = rules
	}
	return types
}

// discriminator returns the field that decides which of the other fields count.
func (t *declaredType) discriminator() string {
	for name, rules := range t.fields {
		for _, r := range rules {
			if r.name == "modeDiscriminator" || r.inner != nil && r.inner.name == "modeDiscriminator" {
				return name
			}
		}
	}
	return ""
}

// outer are the rules that contain an inner rule.
var outer = []string{"alpha", "beta", "ifEnabled", "ifDisabled", "eachVal", "eachKey", "subfield", "item", "ifMode"}

// parseRule parses a rule of a field.
func parseRule(text, owner, field string) rule {
	head, value, _ := strings.Cut(text, "=")
	if i := strings.IndexByte(text, '('); i >= 0 && i < len(head) { // there may be = in brackets
		end := i + strings.IndexByte(text[i:], ')')
		head, value = text[:end+1], strings.TrimPrefix(text[end+1:], "=")
	}
	name, arg, _ := strings.Cut(strings.TrimSuffix(head, ")"), "(")
	name, _, _ = strings.Cut(name, ":") // eachVal:…
	r := rule{name: name, arg: strings.Trim(arg, `"`), value: strings.Trim(value, `"`), owner: owner, field: field}
	if slices.Contains(outer, r.name) {
		inner := parseRule(value, owner, field)
		r.inner = &inner
	}
	return r
}

const (
	published   = "k8s.io/api/"
	builtinPath = "github.com/admsim/admsim/internal/builtin"
)

// covers reports whether there are rules for the package of a Go type.
func (types table) covers(t reflect.Type) bool {
	prefix := strings.TrimPrefix(t.PkgPath(), published) + " "
	for name := range types {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// of returns the rules of a Go type, or nil if it has none.
func (types table) of(t reflect.Type) *declaredType {
	if t.PkgPath() == builtinPath {
		return types[former[t.Name()]]
	}
	path, ok := strings.CutPrefix(t.PkgPath(), published)
	if !ok {
		return nil
	}
	return types[path+" "+t.Name()]
}
