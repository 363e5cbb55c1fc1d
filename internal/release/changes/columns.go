package changes

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/admsim/admsim/internal/release/upstream"
)

// A Column is a column of a kind's table.
type Column struct {
	Name, Type, Format string
	Wide               bool   // only shown in wide output
	Gate               string // without which there is no such column
	Description        string // $Type.field for that of a field
}

// Columns reads the columns of the tables of a release, by kind: Pod, Deployment.apps. A kind without columns of its own is
// not in it. descriptions has those of the fields that are shown: PodStatus.podIP.
func Columns(ctx context.Context, release *upstream.Release) (all map[string][]Column, descriptions map[string]string, err error) {
	r := columnReader{ctx: ctx, release: release, texts: map[string]map[string]string{}, used: map[string]string{}}
	if all, err = r.printers(); err != nil {
		return nil, nil, err
	}
	plain, err := r.withoutPrinter()
	if err != nil {
		return nil, nil, err
	}
	for _, kind := range plain {
		delete(all, kind)
	}
	for kind, file := range map[string][2]string{
		"CustomResourceDefinition.apiextensions.k8s.io": {"apiextensions-apiserver", "pkg/registry/customresourcedefinition/tableconvertor/tableconvertor.go"},
		"APIService.apiregistration.k8s.io":             {"kube-aggregator", "pkg/registry/apiservice/etcd/etcd.go"},
	} {
		columns, err := r.only(file[0], file[1])
		if err != nil {
			return nil, nil, err
		}
		if len(columns) > 0 {
			all[kind] = columns
		}
	}
	return all, r.used, nil
}

const metaTypes = "k8s.io/apimachinery/pkg/apis/meta/v1"

// A columnReader evaluates the definitions of columns in a release.
type columnReader struct {
	ctx     context.Context
	release *upstream.Release
	texts   map[string]map[string]string // descriptions of fields, by package and type
	imports map[string]string            // of the current file, by name
	used    map[string]string            // descriptions of fields that columns show
}

func (r *columnReader) parse(repository, name string) (*ast.File, error) {
	name, err := r.release.File(r.ctx, repository, name)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	r.imports = map[string]string{}
	for _, i := range file.Imports {
		at, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return nil, err
		}
		as := path.Base(at)
		if i.Name != nil {
			as = i.Name.Name
		}
		r.imports[as] = at
	}
	return file, nil
}

// printers reads which columns are registered with which functions, and the kinds that these functions print.
func (r *columnReader) printers() (map[string][]Column, error) {
	file, err := r.parse("kubernetes", "pkg/printers/internalversion/printers.go")
	if err != nil {
		return nil, err
	}
	kinds := map[string]string{} // by function
	var handlers *ast.FuncDecl
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if f.Name.Name == "AddHandlers" {
			handlers = f
		}
		if len(f.Type.Params.List) > 0 {
			if pointer, ok := f.Type.Params.List[0].Type.(*ast.StarExpr); ok {
				if kind, ok := pointer.X.(*ast.SelectorExpr); ok {
					kinds[f.Name.Name] = groupKind(r.imports[kind.X.(*ast.Ident).Name], kind.Sel.Name)
				}
			}
		}
	}
	if handlers == nil {
		return nil, fmt.Errorf("Kubernetes %s: no AddHandlers", r.release.Version)
	}
	h := handlerReader{columnReader: r, kinds: kinds, all: map[string][]Column{}, variables: map[string][]Column{}}
	return h.all, h.read(handlers.Body.List, "")
}

// A handlerReader reads the function that registers columns.
type handlerReader struct {
	*columnReader
	kinds     map[string]string   // by function that prints them
	variables map[string][]Column // lists of columns
	all       map[string][]Column // by kind
}

// read reads statements that are executed if a feature gate is on.
func (h *handlerReader) read(statements []ast.Stmt, gate string) error {
	for _, s := range statements {
		var call ast.Expr
		switch s := s.(type) {
		case *ast.IfStmt:
			if err := h.read(s.Body.List, s.Cond.(*ast.CallExpr).Args[0].(*ast.SelectorExpr).Sel.Name); err != nil {
				return err
			}
			continue
		case *ast.AssignStmt:
			name := s.Lhs[0].(*ast.Ident).Name
			added := s.Rhs[0]
			if c, ok := added.(*ast.CallExpr); ok {
				if !isIdent(c.Fun, "append") {
					call = c
					break
				}
				added = c.Args[1]
			}
			columns, err := h.columns(added.(*ast.CompositeLit), gate)
			if err != nil {
				return err
			}
			h.variables[name] = append(h.variables[name], columns...)
		case *ast.ExprStmt:
			call = s.X
		}
		c, ok := call.(*ast.CallExpr)
		if !ok || len(c.Args) != 2 { // AddDefaultHandlers, which has those for unknown kinds
			continue
		}
		handler := c.Args
		kind := h.kinds[handler[1].(*ast.Ident).Name]
		if name, _, _ := strings.Cut(kind, "."); !strings.HasSuffix(name, "List") {
			h.all[kind] = h.variables[handler[0].(*ast.Ident).Name]
		}
	}
	return nil
}

// only reads the columns of a file that has those of one kind.
func (r *columnReader) only(repository, name string) (columns []Column, err error) {
	file, err := r.parse(repository, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if list, ok := n.(*ast.CompositeLit); ok && err == nil {
			if array, ok := list.Type.(*ast.ArrayType); ok {
				if of, ok := array.Elt.(*ast.SelectorExpr); ok && of.Sel.Name == "TableColumnDefinition" {
					columns, err = r.columns(list, "")
				}
			}
		}
		return true
	})
	return columns, err
}

// withoutPrinter returns the kinds whose storage does not use the printers, which some kinds have nonetheless.
func (r *columnReader) withoutPrinter() (kinds []string, err error) {
	folder, err := r.release.File(r.ctx, "kubernetes", "pkg/registry")
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(folder, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(text), "NewFunc:") || strings.Contains(string(text), "printerstorage.") {
			return err
		}
		short, err := filepath.Rel(r.release.Dir, name)
		if err != nil {
			return err
		}
		file, err := r.parse("kubernetes", filepath.ToSlash(short))
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if field, ok := n.(*ast.KeyValueExpr); ok && isIdent(field.Key, "NewFunc") {
				ast.Inspect(field.Value, func(n ast.Node) bool {
					if made, ok := n.(*ast.CompositeLit); ok {
						kind := made.Type.(*ast.SelectorExpr)
						kinds = append(kinds, groupKind(r.imports[kind.X.(*ast.Ident).Name], kind.Sel.Name))
					}
					return true
				})
			}
			return true
		})
		return nil
	})
	return kinds, err
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// groups lists the API groups of packages of internal types that are not called like the package, and the groups of kinds
// that have moved to another group.
var groups = map[string]string{
	"core": "", "v1": "", "rbac": "rbac.authorization.k8s.io", "storage": "storage.k8s.io", "networking": "networking.k8s.io",
	"certificates": "certificates.k8s.io", "coordination": "coordination.k8s.io", "node": "node.k8s.io",
	"scheduling": "scheduling.k8s.io", "discovery": "discovery.k8s.io", "flowcontrol": "flowcontrol.apiserver.k8s.io",
	"admissionregistration": "admissionregistration.k8s.io", "apiserverinternal": "internal.apiserver.k8s.io",
	"resource": "resource.k8s.io", "storagemigration": "storagemigration.k8s.io", "lifecycle": "lifecycle.k8s.io",
	"settings": "settings.k8s.io", "auditregistration": "auditregistration.k8s.io",
	"Deployment": "apps", "DaemonSet": "apps", "ReplicaSet": "apps", "Scale": "autoscaling", "PodSecurityPolicy": "policy",
	"Ingress": "networking.k8s.io", "NetworkPolicy": "networking.k8s.io",
}

func groupKind(at, kind string) string {
	of := path.Base(at)
	group, ok := groups[kind]
	if !ok {
		if group, ok = groups[of]; !ok {
			group = of
		}
	}
	return strings.TrimSuffix(kind+"."+group, ".")
}

// columns evaluates the definition of a column or a list of them.
func (r *columnReader) columns(list *ast.CompositeLit, gate string) (columns []Column, err error) {
	definitions := list.Elts
	if _, ok := list.Type.(*ast.ArrayType); !ok {
		definitions = []ast.Expr{list}
	}
	for _, element := range definitions {
		c := Column{Gate: gate}
		for _, part := range element.(*ast.CompositeLit).Elts {
			part := part.(*ast.KeyValueExpr)
			text, err := r.text(part.Value)
			if err != nil {
				return nil, fmt.Errorf("Kubernetes %s: %w", r.release.Version, err)
			}
			switch part.Key.(*ast.Ident).Name {
			case "Name":
				c.Name = text
			case "Type":
				c.Type = text
			case "Format":
				c.Format = text
			case "Priority":
				c.Wide = text == "1"
			case "Description":
				c.Description = text
			}
		}
		columns = append(columns, c)
	}
	return columns, nil
}

// text evaluates a value in a definition.
func (r *columnReader) text(e ast.Expr) (string, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			return strconv.Unquote(e.Value)
		}
		return e.Value, nil
	case *ast.BinaryExpr:
		left, err := r.text(e.X)
		if err != nil {
			return "", err
		}
		right, err := r.text(e.Y)
		return left + right, err
	case *ast.IndexExpr: // of the descriptions of a type's fields
		field, err := r.text(e.Index)
		if err != nil {
			return "", err
		}
		at, kind := metaTypes, "ObjectMeta" // if they are in a variable
		if call, ok := e.X.(*ast.CallExpr); ok {
			switch of := call.Fun.(*ast.SelectorExpr).X.(type) {
			case *ast.CompositeLit:
				selected := of.Type.(*ast.SelectorExpr)
				at, kind = r.imports[selected.X.(*ast.Ident).Name], selected.Sel.Name
			case *ast.SelectorExpr: // apiv1.Event{}.InvolvedObject
				if of.Sel.Name != "InvolvedObject" {
					return "", fmt.Errorf("the type of a field %s is not known", of.Sel.Name)
				}
				at, kind = "k8s.io/api/core/v1", "ObjectReference"
			}
		}
		text, err := r.field(at, kind, field)
		if err != nil || text == "" {
			return "", err
		}
		name := kind + "." + field
		if other, ok := r.used[name]; ok && other != text {
			return "", fmt.Errorf("there are two descriptions of %s", name)
		}
		r.used[name] = text
		return "$" + name, nil
	}
	return "", fmt.Errorf("a column has a %T", e)
}

// field returns the description of a field. A type that does not have it has an empty one.
func (r *columnReader) field(at, kind, field string) (string, error) {
	if texts, ok := r.texts[at+"."+kind]; ok {
		return texts[field], nil
	}
	repository, folder, ok := strings.Cut(strings.TrimPrefix(at, "k8s.io/"), "/")
	if !ok {
		return "", fmt.Errorf("descriptions in %s are not known", at)
	}
	name, err := r.release.File(r.ctx, repository, folder+"/types_swagger_doc_generated.go")
	if err != nil {
		return "", err
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		texts := map[string]string{}
		for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
			e := e.(*ast.KeyValueExpr)
			of, wrong := r.text(e.Key)
			text, alsoWrong := r.text(e.Value)
			err = errors.Join(err, wrong, alsoWrong)
			texts[of] = text
		}
		r.texts[at+"."+strings.TrimPrefix(v.Names[0].Name, "map_")] = texts
		return false
	})
	if err != nil {
		return "", err
	}
	if r.texts[at+"."+kind] == nil {
		return "", fmt.Errorf("%s.%s has no descriptions", at, kind)
	}
	return r.texts[at+"."+kind][field], nil
}
