package expression

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/didyoumean"
)

// Messages of the server's CEL about unknown names, and about the type of an expression.
var (
	undeclared = regexp.MustCompile(`undeclared reference to '([^']+)'`)
	undefined  = regexp.MustCompile(`undefined field '([^']+)'`)
	noMember   = regexp.MustCompile(`expected type of field '([^']+)' is '' but`)
	otherType  = regexp.MustCompile(`must evaluate to (.+) but got (\w+)`)
)

// Names are the names that an expression can use, as far as hints need them.
type Names struct {
	Variables []string                               // that it sees
	Fields    func(unknown, message string) []string // the fields that an unknown one may be meant to be
	Policy    bool                                   // it belongs to a policy, which may declare params
}

// Hint returns a hint for common mistakes in expressions, given the server's message. It is empty if no hint is known,
// for example because message is not about an expression.
func (n Names) Hint(message string) string {
	if strings.Contains(message, "token recognition error at: '=") { // which other languages allow
		return "CEL compares with =="
	}
	if wrong := otherType.FindStringSubmatch(message); wrong != nil {
		return typeHint(wrong[1], wrong[2])
	}
	var meant []string
	for _, unknown := range undeclared.FindAllStringSubmatch(message, -1) {
		known := slices.Concat(n.Variables, functions())
		switch {
		case slices.ContainsFunc(known, func(name string) bool { return strings.HasPrefix(name, unknown[1]+".") }):
			return "what begins with " + unknown[1] + ". is in later releases only" // known is that of the newest release
		case slices.Contains(known, unknown[1]):
			return unknown[1] + " is a function: call it, as in " + unknown[1] + "(…)"
		}
		meant = append(meant, nearestName(unknown[1], known))
	}
	for _, unknown := range undefined.FindAllStringSubmatch(message, -1) {
		if of, known := fieldsBeside(unknown[1], message); of != "" {
			name := cmp.Or(nearestName(unknown[1], known), containing(unknown[1], known))
			if name == "" {
				return of + " has the fields " + strings.Join(known, ", ")
			}
			meant = append(meant, name)
			continue
		}
		known := n.Fields(unknown[1], message)
		if slices.Contains(known, unknown[1]) && strings.Contains(message, "variables."+unknown[1]) {
			return "expressions see the variables before them: move " + unknown[1] + " up"
		}
		meant = append(meant, nearestName(unknown[1], known))
	}
	for _, unknown := range noMember.FindAllStringSubmatch(message, -1) {
		meant = append(meant, nearestName(unknown[1], []string{"op", "path", "from", "value"})) // of a JSONPatch
	}
	return cmp.Or(meantHint(meant), n.notDeclared(message))
}

// Missing returns a hint for fields that are missing from the kinds that an expression is about, according to message:
// one of n.Fields may be meant.
func (n Names) Missing(message string) string {
	var meant []string
	for _, unknown := range undefined.FindAllStringSubmatch(message, -1) {
		meant = append(meant, nearestName(unknown[1], n.Fields(unknown[1], message)))
	}
	return meantHint(meant)
}

// meantHint returns a hint with the names that were probably meant, some of which may be empty.
func meantHint(meant []string) string {
	var names []string
	for _, name := range meant {
		if name != "" && !slices.Contains(names, name) { // each kind has the same mistakes
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return `did you mean "` + strings.Join(names, `", "`) + `"?`
}

// containing returns the only name in known that contains another one, such as username for name.
func containing(name string, known []string) string {
	with := slices.DeleteFunc(slices.Clone(known), func(one string) bool {
		return !strings.Contains(strings.ToLower(one), strings.ToLower(name))
	})
	if len(with) != 1 {
		return ""
	}
	return with[0]
}

// notDeclared returns a hint for a variable that does not exist, and is not similar to an existing one.
func (n Names) notDeclared(message string) string {
	unknown := undeclared.FindStringSubmatch(message)
	switch {
	case unknown == nil, strings.Contains(message, unknown[1]+"("), slices.Contains(functions(), unknown[1]):
		return "" // it is called, or another release has it
	case n.Policy && didyoumean.Nearest(unknown[1], []string{"params"}) != "":
		return "params are those of the spec's paramKind, which is missing"
	}
	return "expressions here see " + strings.Join(n.Variables, ", ")
}

// nearestName returns the name in known that was probably meant; of two that are equally similar, the one with the same
// first letter. It is empty if known has the name itself.
func nearestName(name string, known []string) string {
	if slices.Contains(known, name) {
		return ""
	}
	slices.SortStableFunc(known, func(a, b string) int { return begins(name, b) - begins(name, a) })
	return didyoumean.Nearest(name, known)
}

func begins(a, b string) int {
	if a != "" && b != "" && a[0] == b[0] {
		return 1
	}
	return 0
}

// typeHint says how to get the required type.
func typeHint(want, got string) string {
	switch {
	case strings.Contains(want, "string"):
		return "string(…) around it makes a text of it"
	case want == "bool" && got == "dyn":
		return "a field of an object can have any type: compare it, as in … == 'yes', or take it as a boolean with bool(…)"
	case want == "bool":
		return "compare it with something: the expression has to be true or false"
	}
	return ""
}
