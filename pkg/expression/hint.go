package expression

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/didyoumean"
)

// What the server's CEL says of names that it does not know, and of what an expression is.
var (
	undeclared = regexp.MustCompile(`undeclared reference to '([^']+)'`)
	undefined  = regexp.MustCompile(`undefined field '([^']+)'`)
	otherType  = regexp.MustCompile(`must evaluate to (.+) but got (\w+)`)
)

// Names are what an expression can name, as far as hints have to know it.
type Names struct {
	Variables []string                               // that it sees
	Fields    func(unknown, message string) []string // that one which is not there may be meant to be
	Policy    bool                                   // it is of a policy, which may declare params
}

// Hint helps with the slips that people make in expressions: message is what the server says. It is empty if nothing
// is known to help, as for what is about no expression.
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
			return "what begins with " + unknown[1] + ". is in later releases only" // known is of the newest one
		case slices.Contains(known, unknown[1]):
			return unknown[1] + " is a function: call it, as in " + unknown[1] + "(…)"
		}
		meant = append(meant, nearestName(unknown[1], known))
	}
	for _, unknown := range undefined.FindAllStringSubmatch(message, -1) {
		known := n.Fields(unknown[1], message)
		if slices.Contains(known, unknown[1]) { // a variable that comes later
			return "expressions see the variables before them: move " + unknown[1] + " up"
		}
		meant = append(meant, nearestName(unknown[1], known))
	}
	return cmp.Or(meantHint(meant), n.notDeclared(message))
}

// Missing helps with fields that message says are missing from the kinds that an expression is about: one of n.Fields may
// be meant.
func (n Names) Missing(message string) string {
	var meant []string
	for _, unknown := range undefined.FindAllStringSubmatch(message, -1) {
		meant = append(meant, nearestName(unknown[1], n.Fields(unknown[1], message)))
	}
	return meantHint(meant)
}

// meantHint is the hint with the names that were probably meant, some of which may be empty.
func meantHint(meant []string) string {
	if meant = slices.DeleteFunc(meant, func(name string) bool { return name == "" }); len(meant) > 0 {
		return `did you mean "` + strings.Join(slices.Compact(meant), `", "`) + `"?`
	}
	return ""
}

// notDeclared helps with a variable that is not there, and that is like none that is.
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

// nearestName is the one of known that was probably meant; of two that are as near, the one that
// begins like it. There is none for what is known elsewhere only.
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

// typeHint says how an expression becomes of the type that it has to be.
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
