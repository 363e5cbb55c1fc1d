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

// nameOf returns the name of the plugin that a package declares as a constant: PluginName, or one that is called as the
// plugin.
func nameOf(files map[string]*ast.File) (first string) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := files[name]
		for _, d := range file.Decls {
			constants, ok := d.(*ast.GenDecl)
			if !ok || constants.Tok != token.CONST {
				continue
			}
			for _, s := range constants.Specs {
				v := s.(*ast.ValueSpec)
				for i, name := range v.Names {
					if i >= len(v.Values) {
						continue
					}
					text, ok := v.Values[i].(*ast.BasicLit)
					if !ok || text.Kind != token.STRING {
						continue
					}
					plugin, _ := strconv.Unquote(text.Value)
					if strings.EqualFold(name.Name, "PluginName") {
						return plugin
					}
					if plugin == name.Name && first == "" {
						first = plugin
					}
				}
			}
		}
	}
	return first
}

// gatesOf returns the feature gates that a plugin reads, as field=Gate if it sets a field to the value.
func gatesOf(files map[string]*ast.File) string {
	var all []string
	add := func(field ast.Expr, value ast.Expr) {
		gate := gateOf(value)
		if gate == "" {
			return
		}
		switch field := field.(type) {
		case *ast.SelectorExpr:
			all = append(all, field.Sel.Name+"="+gate)
		case *ast.Ident:
			all = append(all, field.Name+"="+gate)
		}
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if _, ok := n.Lhs[0].(*ast.SelectorExpr); ok && len(n.Lhs) == 1 && len(n.Rhs) == 1 {
					add(n.Lhs[0], n.Rhs[0])
				}
			case *ast.KeyValueExpr:
				add(n.Key, n.Value)
			case *ast.CallExpr:
				if gate := gateOf(n); gate != "" {
					all = append(all, gate)
				}
			}
			return true
		})
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ",")
}

// gateOf returns the gate whose value an expression is.
func gateOf(e ast.Expr) string {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return ""
	}
	enabled, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || enabled.Sel.Name != "Enabled" {
		return ""
	}
	// The constant of a gate has the name of the gate.
	gate, ok := call.Args[0].(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	return gate.Sel.Name
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
