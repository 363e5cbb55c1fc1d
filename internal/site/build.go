package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

var (
	//go:embed assets/page.html
	layoutText string
	//go:embed assets/style.css
	style string
	//go:embed assets/site.js
	script string
)

// scriptFile exists in every site, and nowhere else.
const scriptFile = "site.js"

var layout = template.Must(template.New("page").Parse(layoutText))

// A view is a page with its surroundings.
type view struct {
	*page
	Sections       []section
	Previous, Next *page
	Repository     string
}

// build writes the site, and returns its number of pages. It replaces the site that was in the folder.
func build(repository, to string) (int, error) {
	all, pages, err := load(repository)
	if err != nil {
		return 0, err
	}
	if err := clearSite(to); err != nil {
		return 0, err
	}
	for i, p := range pages {
		v := view{page: p, Sections: all, Repository: onGitHub}
		if i > 0 {
			v.Previous = pages[i-1]
		}
		if i+1 < len(pages) {
			v.Next = pages[i+1]
		}
		var out strings.Builder
		if err := layout.Execute(&out, v); err != nil {
			return 0, err
		}
		if err := write(to, p.Address, out.String()); err != nil {
			return 0, err
		}
	}
	css, err := colours()
	if err != nil {
		return 0, err
	}
	index, err := searchIndex(pages)
	if err != nil {
		return 0, err
	}
	for name, text := range map[string]string{"style.css": style + css, scriptFile: script, "index.js": index} {
		if err := write(to, name, text); err != nil {
			return 0, err
		}
	}
	return len(pages), nil
}

// clearSite removes a site. A folder with anything else in it is not a site.
func clearSite(folder string) error {
	entries, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0 && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == scriptFile }):
		return fmt.Errorf("%s is not a site, and would be lost: name a folder that is empty or does not exist", folder)
	}
	return os.RemoveAll(folder)
}

// load reads all pages.
func load(repository string) (all []section, pages []*page, err error) {
	addresses := map[string]string{}
	for _, s := range sections {
		titled := section{Title: s.title}
		for _, entry := range s.pages {
			source, short, _ := strings.Cut(entry, " ")
			p := &page{Source: source, Address: address(source), Short: short}
			titled.Pages = append(titled.Pages, p)
			pages = append(pages, p)
			addresses[source] = p.Address
		}
		all = append(all, titled)
	}
	if err := complete(repository, addresses); err != nil {
		return nil, nil, err
	}
	for _, p := range pages {
		if err := p.render(repository, addresses); err != nil {
			return nil, nil, err
		}
	}
	return all, pages, nil
}

// complete reports a page of docs/ that is in no section.
func complete(repository string, addresses map[string]string) error {
	return filepath.WalkDir(filepath.Join(repository, "docs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		source, err := filepath.Rel(repository, path)
		if err != nil {
			return err
		}
		if addresses[filepath.ToSlash(source)] == "" {
			return fmt.Errorf("%s is in no section of the site: add it in internal/site/sections.go", source)
		}
		return nil
	})
}

// An entry is a search result: a part of a page. Its keys are short because a browser loads all entries.
type entry struct {
	Address string `json:"a"`
	Page    string `json:"p"`
	Heading string `json:"h,omitempty"`
	Text    string `json:"t"`
}

// searchIndex returns a script, so that browsers can also load it from a file.
func searchIndex(pages []*page) (string, error) {
	var entries []entry
	for _, p := range pages {
		for _, one := range p.parts {
			e := entry{Address: p.Address, Page: p.Title, Text: strings.Join(strings.Fields(one.text.String()), " ")}
			if one.heading.Level > 1 {
				e.Heading = one.heading.Text
				e.Address += "#" + one.heading.ID
			}
			if e.Text != "" || e.Heading != "" {
				entries = append(entries, e)
			}
		}
	}
	text, err := json.Marshal(slices.Clip(entries))
	return "searchIndex = " + string(text) + ";\n", err
}

func write(folder, name, text string) error {
	path := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
