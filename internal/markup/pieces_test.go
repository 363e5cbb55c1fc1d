package markup

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// This test reads every piece of the program. A text is between tags or in a quoted value of an attribute that is not
// run or fetched, there are as many texts as the piece has holes, no piece opens a script, a style or a comment, and
// each block of the program ends in the place where it began, so that no call can come between a tag and its
// attributes.
func TestPieces(t *testing.T) {
	n := 0
	for _, file := range users(t) {
		n += len(file.Decls)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				r := reader{problem: func(at token.Pos, problem string) { t.Errorf("%s: %s", files.Position(at), problem) }}
				r.block(f.Body)
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d declarations were found", n)
	}
}

// TestPieces finds what it should find.
func TestPiecesFinds(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{"w.Put(`<p title=\"{}\">{}</p>`, a, b)", ""},
		{"w.Put(`<p`)\nw.PutIf(a, ` hidden`)\nw.PutAny(` title=\"{}\"`, b)\nw.Put(`>`)", ""},
		{"w.Put(`<p title=\"`)\nfor range a { w.Put(`{} `, b) }\nw.Put(`\">`)", ""},
		{"w.Put(`<a href=\"#{}\">`, a)", ""},
		{"w.Put(`<a href=\"{}\">`, a)", "in the attribute href"},
		{"w.Put(`<p onclick=\"{}\">`, a)", "in the attribute onclick"},
		{"w.Put(`<p style=\"width: {}\">`, a)", "in the attribute style"},
		{"w.Put(`<p title={}>`, a)", "inside of a tag"},
		{"w.Put(`<p = \"{}\">`, a)", "without a name"},
		{"w.Put(`<{}>`, a)", "inside of a tag"},
		{"w.Put(`<p`)\nw.PutAny(` {}`, a)\nw.Put(`>`)", "inside of a tag"},
		{"w.Put(`<p `)\nw.Text(a)\nw.Put(`>`)", "inside of a tag"},
		{"w.Put(`<p title='{}'>`, a)", "inside of a tag"},
		{"w.Put(`<p`)\nif a { w.Put(`>`) }", "does not end where it began"},
		{"w.Put(`<p`)\nrich(w)\nw.Put(`>`)", "inside of a tag"},
		{"w.Put(`<p`)\nv.rich(w)\nw.Put(`>`)", "inside of a tag"},
		{"w.Put(`<p`)\nif a { return }\nw.Put(`>`)", "inside of a tag"},
		{"w.Put(`<p`)", "does not end where it began"},
		{"w.Put(`<p>{}`)", "1 holes, and 0 texts"},
		{"w.Put(`<p>`, a)", "0 holes, and 1 texts"},
		{"w.Put(`<SCRIPT>{}</script>`, a)", "opens a script"},
		{"w.Put(`<!-- {} -->`, a)", "opens a comment"},
		{"w.Put(`<p>` + `</p>`)", ""},
		{"const p = `<p>`\nw.Put(p)", "not written where it is put"},
	} {
		file, err := parser.ParseFile(files, "", "package p\nfunc f() {\n"+tt.body+"\n}", 0)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		r := reader{problem: func(_ token.Pos, problem string) { got = append(got, problem) }}
		r.block(file.Decls[0].(*ast.FuncDecl).Body)
		if all := strings.Join(got, "\n"); tt.want == "" && all != "" || !strings.Contains(all, tt.want) {
			t.Errorf("%s: %q, want %q", tt.body, got, tt.want)
		}
	}
}

var files = token.NewFileSet()

// users returns the files of the program that write HTML.
func users(t *testing.T) (all []*ast.File) {
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return strings.HasSuffix(i.Path.Value, `/internal/markup"`) }) {
			all = append(all, file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A reader follows what a function writes, line by line, to know where each text is placed.
type reader struct {
	place
	problem func(token.Pos, string)
}

// A place is the position of the next byte in the HTML: between tags unless in a tag.
type place struct {
	tag       bool
	attribute string // in its quoted value
	value     string // the part of it that was written
}

func (p place) String() string {
	switch {
	case p.attribute != "":
		return "in the attribute " + p.attribute
	case p.tag:
		return "inside of a tag"
	}
	return "between tags"
}

const unknown = "without a name"

// open reports whether a text can be placed there.
func (p place) open() bool {
	if p.attribute == "href" { // to a place on the page
		return strings.HasPrefix(p.value, "#")
	}
	if fetched := []string{unknown, "src", "srcset", "action", "formaction", "data", "style", "xlink:href"}; p.attribute != "" {
		return !strings.HasPrefix(p.attribute, "on") && !slices.Contains(fetched, p.attribute)
	}
	return !p.tag
}

// block reads a block in braces. It must end in the place where the program goes on if the block is skipped or
// repeated.
func (r *reader) block(b ast.Node) {
	before := r.place
	ast.Inspect(b, func(n ast.Node) bool {
		if n == b {
			return true
		}
		switch n := n.(type) {
		case *ast.BlockStmt, *ast.CaseClause:
			r.block(n)
			return false
		case *ast.ReturnStmt:
			if r.place != (place{}) {
				r.problem(n.Pos(), "the function returns "+r.place.String())
			}
		case *ast.CallExpr:
			return r.call(n)
		}
		return true
	})
	if r.tag != before.tag || r.attribute != before.attribute {
		r.problem(b.Pos(), fmt.Sprintf("what begins %s does not end where it began, but %s", before, r.place))
	}
	r.place = before
}

// call reads a call, and reports whether there may be others in it.
func (r *reader) call(c *ast.CallExpr) bool {
	name := ""
	if method, ok := c.Fun.(*ast.SelectorExpr); ok {
		name = method.Sel.Name
	}
	switch name {
	case "Put":
		r.piece(c.Args[0], len(c.Args)-1)
	case "PutAny":
		r.piece(c.Args[0], 1)
	case "PutIf":
		r.piece(c.Args[1], 0)
	case "Text":
		if !r.open() {
			r.problem(c.Pos(), "there is a text "+r.place.String())
		}
	default:
		writes := slices.ContainsFunc(append(c.Args, c.Fun), func(e ast.Expr) bool {
			if method, ok := e.(*ast.SelectorExpr); ok {
				e = method.X
			}
			id, ok := e.(*ast.Ident)
			return ok && id.Name == "w"
		})
		if writes && r.place != (place{}) {
			r.problem(c.Pos(), "something is written "+r.place.String())
		}
		return true
	}
	return false
}

var notOpened = map[string]*regexp.Regexp{
	"script": regexp.MustCompile(`(?i)<script`), "style": regexp.MustCompile(`(?i)<style`), "comment": regexp.MustCompile(`<!-|<!\[|<\?`),
}

func (r *reader) piece(e ast.Expr, texts int) {
	text, ok := literal(e)
	if !ok {
		r.problem(e.Pos(), "the piece is not written where it is put")
		return
	}
	for what, pattern := range notOpened {
		if pattern.MatchString(text) {
			r.problem(e.Pos(), "the piece opens a "+what)
		}
	}
	if n := strings.Count(text, hole); n != texts {
		r.problem(e.Pos(), fmt.Sprintf("there are %d holes, and %d texts", n, texts))
	}
	for i := 0; i < len(text); i++ {
		if strings.HasPrefix(text[i:], hole) {
			if !r.open() {
				r.problem(e.Pos(), "there is a text "+r.place.String())
			}
			i++
			continue
		}
		r.next(text[:i], text[i])
	}
}

var lastName = regexp.MustCompile(`([^\s"'<>/=]+)=$`)

// next advances by one byte of a piece.
func (r *reader) next(before string, b byte) {
	switch {
	case r.attribute != "" && b == '"':
		r.attribute, r.value = "", ""
	case r.attribute != "":
		r.value += string(b)
	case r.tag && b == '"':
		r.attribute = unknown
		if name := lastName.FindStringSubmatch(before); name != nil {
			r.attribute = strings.ToLower(name[1])
		}
	case r.tag && b == '>':
		r.tag = false
	case !r.tag && b == '<':
		r.tag = true
	}
}

// literal returns a string in the source of the program, which may span several lines.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		a, ok := literal(e.X)
		b, okToo := literal(e.Y)
		return a + b, ok && okToo && e.Op == token.ADD
	}
	return "", false
}
