package edges

import (
	"strings"

	"github.com/admsim/admsim/internal/space/syntax"
)

// folds are functions whose value is known if their arguments are: a policy may remove a "*" from a pattern in its
// params before it compares.
var folds = map[string]func(args []string) (string, bool){
	"replace": func(args []string) (string, bool) {
		if len(args) != 3 {
			return "", false
		}
		return strings.ReplaceAll(args[0], args[1], args[2]), true
	},
	"lowerAscii": func(args []string) (string, bool) { return strings.ToLower(args[0]), len(args) == 1 },
	"upperAscii": func(args []string) (string, bool) { return strings.ToUpper(args[0]), len(args) == 1 },
	"trim":       func(args []string) (string, bool) { return strings.TrimSpace(args[0]), len(args) == 1 },
	"string":     func(args []string) (string, bool) { return args[0], len(args) == 1 },
	"_+_":        func(args []string) (string, bool) { return strings.Join(args, ""), len(args) == 2 },
}

// maxFolded limits the number of values of an expression.
const maxFolded = 16

// folded returns the possible texts of a call, if none of its arguments is read from the request. It returns nil if
// they are unknown.
func (r *reader) folded(x *syntax.Expr, in *scope) (all []any) {
	fold, known := folds[x.Name]
	if !known {
		return nil
	}
	made := [][]string{nil}
	for _, arg := range x.Args {
		if arg.Kind == syntax.Macro || arg.Kind == syntax.List {
			return nil
		}
		o := r.whole(arg, in)
		if len(o.literals) == 0 || len(o.literals)*len(made) > maxFolded {
			return nil
		}
		for _, p := range o.places {
			if p.Root != params {
				return nil
			}
		}
		var longer [][]string
		for _, before := range made {
			for _, literal := range o.literals {
				text, ok := literal.(string)
				if !ok {
					return nil
				}
				longer = append(longer, append(before[:len(before):len(before)], text))
			}
		}
		made = longer
	}
	for _, args := range made {
		text, ok := fold(args)
		if !ok {
			return nil
		}
		all = append(all, text)
	}
	return all
}
