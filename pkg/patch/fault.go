package patch

import (
	"fmt"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
)

// mostShown is how many operations of a patch are shown.
const mostShown = 10

// Shown returns all operations as [Patch.Describe] does, in one line; ok is false if that would be too long.
func (p Patch) Shown() (text string, ok bool) {
	if p.Len() > mostShown {
		return "", false
	}
	return strings.Join(p.Describe(), ", "), true
}

// Fault says which operation of the patch does not apply, and what that operation needs.
func (p Patch) Fault(failed *OperationError) (fault, remedy string) {
	all := p.Describe()
	fault = "the only operation of its patch does not apply: " + all[0]
	if len(all) > 1 {
		fault = fmt.Sprintf("operation %d of %d of its patch does not apply: %s", failed.Index+1, len(all), all[failed.Index])
		if shown, ok := p.Shown(); ok {
			fault += "; all are: " + shown
		}
	}
	if failed.TestFailed {
		return fault, "the object has no such value where the patch tests it"
	}
	return fault, needs(p.ops[failed.Index])
}

// operationNeeds says what an operation needs in order to apply. What it needs in a list differs from what it needs in
// an object: see [steps].
var operationNeeds = map[string]string{
	"add":     "add needs the parent of its path; in a list, an index up to its length, or -",
	"remove":  "remove needs something at its path",
	"replace": "replace needs the parent of its path; in a list, an item at its path",
	"move":    "move needs something at its from, and the parent of its path",
	"copy":    "copy needs the parents of its from and its path; in a list, an item at its from",
	"test":    "test needs the parent of its path; in a list, an item at its path",
}

func needs(op jsonpatch.Operation) string {
	kind := op.Kind()
	need, known := operationNeeds[kind]
	if !known {
		return "the operations are add, remove, replace, move, copy and test"
	}
	pointers := []string{"path"}
	if kind == "move" || kind == "copy" {
		pointers = []string{"from", "path"}
	}
	for _, member := range pointers {
		pointer, err := op.Path()
		if member == "from" {
			pointer, err = op.From()
		}
		switch {
		case err != nil:
			return fmt.Sprintf("%s has no %s, such as %s: /metadata/labels", kind, member, member)
		case pointer != "" && !strings.HasPrefix(pointer, "/"):
			return fmt.Sprintf("%s begins with a slash: %s: /%s", member, member, pointer)
		}
	}
	return need
}
