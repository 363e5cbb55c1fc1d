package architecture

import (
	"cmp"
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

// holders lists types whose values are meant to change.
var holders = []string{
	"atomic.", "sync.Map", "sync.Mutex", "sync.Once", "sync.Pool", "sync.RWMutex", "sync.WaitGroup", "sync.Cond", "bytes.Buffer", "strings.Builder",
}

// No package has a variable that changes: state belongs to a value that somebody holds, and ends with it.
// sync.OnceValue is allowed for values that follow from constants and are expensive to compute.
func TestNoGlobalState(t *testing.T) {
	sources := slices.DeleteFunc(parseAll(t, "../.."), func(s source) bool { return s.isTest })
	variables := map[string]map[string]bool{} // by folder
	changing := changingTypes(sources)
	for _, s := range sources {
		if variables[s.dir] == nil {
			variables[s.dir] = map[string]bool{}
		}
		for _, decl := range s.tree.Decls {
			for _, v := range variablesOf(decl) {
				for _, name := range v.Names {
					variables[s.dir][name.Name] = name.Name != "_"
				}
				if holder := holderIn(v, changing[s.dir]); holder != "" {
					t.Errorf("%s: var %s is a %s: move it into a value that somebody holds", s.dir, v.Names[0].Name, holder)
				}
			}
		}
	}
	seen := 0
	for _, s := range sources {
		for _, decl := range s.tree.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			seen++
			local := localNames(f)
			for _, name := range changedIn(f.Body) {
				if variables[s.dir][name] && !local[name] {
					t.Errorf("%s: func %s changes var %s: move it into a value that somebody holds", path.Clean(s.dir), f.Name.Name, name)
				}
			}
		}
	}
	if seen < 1000 {
		t.Errorf("only %d functions were checked", seen)
	}
}

// variablesOf returns the variables that a package-level declaration declares.
func variablesOf(decl ast.Decl) (all []*ast.ValueSpec) {
	d, ok := decl.(*ast.GenDecl)
	if !ok || d.Tok.String() != "var" {
		return nil
	}
	for _, spec := range d.Specs {
		all = append(all, spec.(*ast.ValueSpec))
	}
	return all
}

// changingTypes returns the structs of each folder that contain a holder.
func changingTypes(sources []source) map[string][]string {
	types := map[string][]string{}
	for _, s := range sources {
		for _, decl := range s.tree.Decls {
			d, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range d.Specs {
				if of, ok := spec.(*ast.TypeSpec); ok && holderWithin(of.Type, nil) != "" {
					types[s.dir] = append(types[s.dir], of.Name.Name)
				}
			}
		}
	}
	return types
}

// holderIn returns the type among the holders that a variable has or contains.
func holderIn(v *ast.ValueSpec, changing []string) string {
	found := holderWithin(v.Type, changing)
	for _, value := range v.Values {
		found = cmp.Or(found, holderWithin(value, changing))
	}
	return found
}

func holderWithin(e ast.Expr, changing []string) (found string) {
	if e == nil {
		return ""
	}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.FuncType:
			return false // the result of a call belongs to its caller
		case *ast.Ident:
			if slices.Contains(changing, n.Name) {
				found = n.Name
			}
		case *ast.SelectorExpr:
			if _, ok := n.X.(*ast.ParenExpr); ok {
				return false // (*T).method, which creates no T
			}
			of, ok := n.X.(*ast.Ident)
			if !ok {
				return true
			}
			name := of.Name + "." + n.Sel.Name
			for _, holder := range holders {
				if name == holder || strings.HasSuffix(holder, ".") && strings.HasPrefix(name, holder) {
					found = name
				}
			}
			return false
		}
		return true
	})
	return found
}

// changedIn returns the names whose values a function changes: the whole value, a part, or an entry.
func changedIn(body ast.Node) (names []string) {
	add := func(e ast.Expr) {
		for {
			switch of := e.(type) {
			case *ast.Ident:
				names = append(names, of.Name)
				return
			case *ast.IndexExpr:
				e = of.X
			case *ast.SelectorExpr:
				e = of.X
			case *ast.StarExpr:
				e = of.X
			case *ast.ParenExpr:
				e = of.X
			default:
				return
			}
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok.String() != ":=" {
				for _, left := range n.Lhs {
					add(left)
				}
			}
		case *ast.IncDecStmt:
			add(n.X)
		case *ast.CallExpr:
			if of, ok := n.Fun.(*ast.Ident); ok && len(n.Args) > 0 && (of.Name == "delete" || of.Name == "clear") {
				add(n.Args[0])
			}
		}
		return true
	})
	return names
}

// localNames returns the names that a function declares anywhere in its body.
func localNames(f *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, name := range n.Names {
				names[name.Name] = true
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				names[name.Name] = true
			}
		case *ast.AssignStmt:
			if n.Tok.String() == ":=" {
				for _, left := range n.Lhs {
					if name, ok := left.(*ast.Ident); ok {
						names[name.Name] = true
					}
				}
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if name, ok := e.(*ast.Ident); ok && n.Tok.String() == ":=" {
					names[name.Name] = true
				}
			}
		}
		return true
	})
	return names
}
