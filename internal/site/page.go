package main

import (
	"bytes"
	"fmt"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// onGitHub is the location of files that are not pages.
const onGitHub = "https://github.com/admsim/admsim"

// A page is a page of the site.
type page struct {
	Source  string // path in the repository
	Address string // path in the site
	Short   string // title in the navigation
	Title   string
	Body    template.HTML
	Outline []heading
	parts   []part // for the search
}

type heading struct {
	Level    int
	ID, Text string
}

// A part is the text between two headings.
type part struct {
	heading heading
	text    strings.Builder
}

// Root returns the path from the page to the top of the site, so that the site works at any address and without a
// server.
func (p *page) Root() string { return strings.Repeat("../", strings.Count(p.Address, "/")) }

// markdown converts GitHub's Markdown to HTML.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.GFM),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(codeRenderer{}, 100))),
)

// render reads the page and fills in the remaining fields.
func (p *page) render(repository string, addresses map[string]string) error {
	source, err := os.ReadFile(filepath.Join(repository, p.Source))
	if err != nil {
		return err
	}
	context := parser.NewContext(parser.WithIDs(ids{}))
	tree := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(context))
	p.parts = []part{{}}
	err = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		last := &p.parts[len(p.parts)-1]
		switch n := n.(type) {
		case *ast.Heading:
			id, _ := n.AttributeString("id")
			h := heading{n.Level, fmt.Sprintf("%s", id), plain(n, source)}
			if n.Level == 1 && p.Title == "" {
				p.Title = h.Text
			} else if n.Level <= 3 {
				p.Outline = append(p.Outline, h)
			}
			p.parts = append(p.parts, part{heading: h})
			return ast.WalkContinue, nil
		case *ast.Link:
			to, err := p.target(string(n.Destination), repository, addresses)
			if err != nil {
				return ast.WalkStop, err
			}
			n.Destination = []byte(to)
		case *ast.Text:
			if n.Parent().Kind() == ast.KindHeading {
				break
			}
			last.text.Write(n.Segment.Value(source))
			last.text.WriteByte(' ')
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				last.text.Write(line.Value(source))
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", p.Source, err)
	}
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, source, tree); err != nil {
		return fmt.Errorf("%s: %w", p.Source, err)
	}
	p.Body = template.HTML(wideTables(out.String())) //nolint:gosec // from our own files, whose raw HTML is left out
	return nil
}

// wideTables makes wide tables scrollable.
func wideTables(html string) string {
	return strings.ReplaceAll(strings.ReplaceAll(html, "<table>", `<div class="table"><table>`), "</table>", "</table></div>")
}

// target returns where a link in the page leads.
func (p *page) target(link, repository string, addresses map[string]string) (string, error) {
	if strings.Contains(link, "://") || strings.HasPrefix(link, "#") || strings.HasPrefix(link, "mailto:") {
		return link, nil
	}
	file, fragment, hasFragment := strings.Cut(link, "#")
	to := path.Join(path.Dir(p.Source), file)
	if address, ok := addresses[to]; ok {
		to = p.Root() + address
		if hasFragment {
			to += "#" + fragment
		}
		return to, nil
	}
	info, err := os.Stat(filepath.Join(repository, to))
	switch {
	case err != nil:
		return "", fmt.Errorf("links to %s, which does not exist", link)
	case info.IsDir():
		return onGitHub + "/tree/main/" + to, nil
	}
	return onGitHub + "/blob/main/" + to, nil
}

// plain returns the text of a node.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(source))
		} else {
			b.WriteString(plain(c, source))
		}
	}
	return b.String()
}

// ids names headings as GitHub does, so that links work in both places. The headings of each of our pages are unique,
// which TestDocumentLinks of cmd/admsim relies on.
type ids struct{}

var (
	linkText   = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	notInNames = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

func (ids) Generate(value []byte, _ ast.NodeKind) []byte {
	name := strings.ToLower(linkText.ReplaceAllString(string(value), "$1"))
	return []byte(strings.ReplaceAll(notInNames.ReplaceAllString(name, ""), " ", "-"))
}

func (ids) Put([]byte) {}
