package main

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"github.com/alecthomas/chroma/v2"
	chromahtml "github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// codeRenderer renders code blocks: with the name of the file that a block is for, with syntax highlighting, and with
// commands distinguished from their output in shell sessions.
type codeRenderer struct{}

func (r codeRenderer) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	to.Register(ast.KindFencedCodeBlock, r.render)
	to.Register(ast.KindCodeBlock, r.render)
}

func (r codeRenderer) render(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	language, file := "", ""
	if block, ok := n.(*ast.FencedCodeBlock); ok && block.Info != nil {
		language, file, _ = strings.Cut(string(block.Info.Segment.Value(source)), " ")
	} else if !ok {
		language = "sh" // indented lines are commands
	}
	var code strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		code.Write(line.Value(source))
	}
	shown, err := highlighted(language, code.String())
	if err != nil {
		return ast.WalkStop, err
	}
	fmt.Fprint(w, `<div class="code">`)
	if file != "" {
		fmt.Fprintf(w, `<div class="file">%s</div>`, html.EscapeString(file))
	}
	fmt.Fprintf(w, "<pre><code>%s</code></pre></div>\n", shown)
	return ast.WalkSkipChildren, nil
}

var formatter = chromahtml.New(chromahtml.WithClasses(true), chromahtml.PreventSurroundingPre(true))

func highlighted(language, code string) (string, error) {
	if language == "console" {
		return session(code)
	}
	lexer := lexers.Get(language)
	if lexer == nil || language == "" {
		return html.EscapeString(code), nil
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, code)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = formatter.Format(&out, styles.Fallback, tokens)
	return out.String(), err
}

// session renders commands, which follow "$ ", and their output.
func session(code string) (string, error) {
	var out strings.Builder
	continues := false
	for line := range strings.Lines(code) {
		command, isCommand := strings.CutPrefix(line, "$ ")
		if !isCommand && !continues {
			out.WriteString(`<span class="output">` + html.EscapeString(line) + "</span>")
			continue
		}
		if isCommand {
			out.WriteString(`<span class="prompt">$ </span>`)
		}
		shown, err := highlighted("sh", command)
		if err != nil {
			return "", err
		}
		out.WriteString(`<span class="command">` + shown + "</span>")
		continues = strings.HasSuffix(command, "\\\n")
	}
	return out.String(), nil
}

// colours returns the styles of code in light and dark mode.
func colours() (string, error) {
	css := chromahtml.New(chromahtml.WithClasses(true))
	var light, dark bytes.Buffer
	if err := css.WriteCSS(&light, styles.Get("github")); err != nil {
		return "", err
	}
	if err := css.WriteCSS(&dark, styles.Get("github-dark")); err != nil {
		return "", err
	}
	// The class names of spans suffice, since nothing has the class of the element around them. Each set is limited to
	// its mode, since neither has a colour for everything that the other one has.
	bare := strings.NewReplacer(".chroma .", ".code .")
	var out strings.Builder
	for _, set := range []struct{ theme, other, css string }{
		{"light", "dark", bare.Replace(light.String())},
		{"dark", "light", bare.Replace(dark.String())},
	} {
		fmt.Fprintf(&out, "@media (prefers-color-scheme: %s) { :root:not([data-theme=%s]) {\n%s} }\n", set.theme, set.other, set.css)
		fmt.Fprintf(&out, ":root[data-theme=%s] {\n%s}\n", set.theme, set.css)
	}
	return out.String(), nil
}
