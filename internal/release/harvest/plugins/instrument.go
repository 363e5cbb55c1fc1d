package plugins

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// instrument makes the methods of the plugins in a package record their calls. files is changed in place. No line of a
// file moves.
func instrument(files map[string][]byte) (methods int, err error) {
	fset := token.NewFileSet()
	parsed := map[string]*ast.File{}
	for name, text := range files {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/") {
			continue
		}
		if parsed[name], err = parser.ParseFile(fset, name, text, parser.SkipObjectResolution); err != nil {
			return 0, err
		}
	}
	plugin, gates := nameOf(parsed), gatesOf(parsed)
	for _, name := range slices.Sorted(maps.Keys(parsed)) {
		e := editor{fset: fset, text: files[name]}
		n := 0
		for _, d := range parsed[name].Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !asks(f) {
				continue
			}
			if n == 0 {
				e.insert(parsed[name].Name.End(), fmt.Sprintf(`; import admsimrecorder "%s/recorder"`, module))
			}
			if plugin == "" {
				return 0, fmt.Errorf("%s: the plugin has no name", name)
			}
			e.method(f, plugin, gates)
			n++
		}
		if methods += n; n > 0 {
			files[name] = e.finished()
		}
	}
	return methods, nil
}

// asks reports whether a function is a method that the server calls to ask a plugin about a request.
func asks(f *ast.FuncDecl) bool {
	if f.Recv == nil || f.Body == nil || f.Name.Name != "Admit" && f.Name.Name != "Validate" {
		return false
	}
	if f.Type.Results == nil || len(f.Type.Results.List) != 1 {
		return false
	}
	for _, p := range f.Type.Params.List {
		if isNamed(p.Type, "admission", "Attributes") {
			return true
		}
	}
	return false
}

func isNamed(t ast.Expr, from, name string) bool {
	selector, ok := t.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != name {
		return false
	}
	x, ok := selector.X.(*ast.Ident)
	return ok && x.Name == from
}

// nameOf returns the name of the plugin that a package declares as a constant.
func nameOf(files map[string]*ast.File) string {
	for _, file := range files {
		for _, d := range file.Decls {
			constants, ok := d.(*ast.GenDecl)
			if !ok || constants.Tok != token.CONST {
				continue
			}
			for _, s := range constants.Specs {
				v := s.(*ast.ValueSpec)
				for i, name := range v.Names {
					if !strings.EqualFold(name.Name, "PluginName") || i >= len(v.Values) {
						continue
					}
					if text, ok := v.Values[i].(*ast.BasicLit); ok {
						plugin, _ := strconv.Unquote(text.Value)
						return plugin
					}
				}
			}
		}
	}
	return ""
}

// gatesOf returns the fields that a plugin sets to the value of a feature gate, as field=Gate.
func gatesOf(files map[string]*ast.File) string {
	var pairs []string
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			set, ok := n.(*ast.AssignStmt)
			if !ok || len(set.Lhs) != 1 || len(set.Rhs) != 1 {
				return true
			}
			field, ok := set.Lhs[0].(*ast.SelectorExpr)
			if !ok {
				return true
			}
			call, ok := set.Rhs[0].(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			enabled, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || enabled.Sel.Name != "Enabled" {
				return true
			}
			// The constant of a gate has the name of the gate.
			if gate, ok := call.Args[0].(*ast.SelectorExpr); ok {
				pairs = append(pairs, field.Sel.Name+"="+gate.Sel.Name)
			}
			return true
		})
	}
	slices.Sort(pairs)
	return strings.Join(slices.Compact(pairs), ",")
}

// An editor inserts into a text, from the start to the end.
type editor struct {
	fset *token.FileSet
	text []byte
	done int
	out  bytes.Buffer
}

func (e *editor) insert(at token.Pos, what string) { e.replace(at, 0, what) }

func (e *editor) replace(at token.Pos, length int, with string) {
	offset := e.fset.Position(at).Offset
	e.out.Write(e.text[e.done:offset])
	e.out.WriteString(with)
	e.done = offset + length
}

func (e *editor) finished() []byte {
	e.out.Write(e.text[e.done:])
	return e.out.Bytes()
}

// method makes a method record its call: it names what the method leaves unnamed, and defers the recording of the
// result.
func (e *editor) method(f *ast.FuncDecl, plugin, gates string) {
	receiver := e.named(f.Recv.List[0], "admsimplugin")
	var ctx, attributes string
	for i, p := range f.Type.Params.List {
		name := e.named(p, fmt.Sprintf("admsim%d", i))
		switch {
		case isNamed(p.Type, "admission", "Attributes"):
			attributes = name
		case isNamed(p.Type, "context", "Context"):
			ctx = name
		}
	}
	result := f.Type.Results.List[0]
	problem := "admsimerr"
	if len(result.Names) > 0 {
		problem = e.named(result, problem)
	} else {
		e.insert(result.Type.Pos(), "("+problem+" ")
		e.insert(result.Type.End(), ")")
	}
	into, of := ctx, ctx
	if ctx == "" { // older plugins get none
		into, of = "_", "nil"
	}
	e.insert(f.Body.Lbrace+1, fmt.Sprintf(" %s, %s, admsimend := admsimrecorder.Begin(%q, %q, %q, %s, %s, %s); defer func() { admsimend(recover(), %s) }();",
		into, attributes, plugin, f.Name.Name, gates, receiver, of, attributes, problem))
}

// named returns the name of a parameter, and gives it one if it has none.
func (e *editor) named(p *ast.Field, name string) string {
	switch {
	case len(p.Names) == 0:
		e.insert(p.Type.Pos(), name+" ")
	case p.Names[0].Name == "_":
		e.replace(p.Names[0].Pos(), len("_"), name)
	default:
		return p.Names[0].Name
	}
	return name
}
