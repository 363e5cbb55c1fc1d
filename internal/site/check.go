package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// A document holds what is checked in a written page.
type document struct {
	ids   []string
	links []reference
}

// A reference is an attribute that refers to something else.
type reference struct {
	element, to string
}

// problems returns the broken links of the site, and what it would load from the network.
func problems(repository, site string) (all []error) {
	documents := map[string]document{}
	err := filepath.WalkDir(site, func(file string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".html" {
			return err
		}
		name, err := filepath.Rel(site, file)
		if err != nil {
			return err
		}
		documents[filepath.ToSlash(name)], err = parse(file)
		return err
	})
	if err != nil {
		return []error{err}
	}
	names := make([]string, 0, len(documents))
	for name := range documents {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		d := documents[name]
		sorted := slices.Clone(d.ids)
		slices.Sort(sorted)
		for i, id := range sorted {
			if i > 0 && id == sorted[i-1] {
				all = append(all, fmt.Errorf("%s: there are two parts called #%s", name, id))
			}
		}
		for _, r := range d.links {
			if wrong := problemWith(r, name, repository, site, documents); wrong != "" {
				all = append(all, fmt.Errorf("%s: %s", name, wrong))
			}
		}
	}
	return all
}

func problemWith(r reference, name, repository, site string, documents map[string]document) string {
	if strings.Contains(r.to, "://") || strings.HasPrefix(r.to, "//") {
		if r.element != "a" {
			return fmt.Sprintf("<%s> loads %s from the network", r.element, r.to)
		}
		for _, kind := range []string{"/blob/main/", "/tree/main/"} {
			file, ok := strings.CutPrefix(r.to, onGitHub+kind)
			if file, _, _ = strings.Cut(file, "#"); ok && !exists(filepath.Join(repository, file)) {
				return fmt.Sprintf("the repository has no %s", file)
			}
		}
		return ""
	}
	if strings.HasPrefix(r.to, "mailto:") || strings.HasPrefix(r.to, "data:") {
		return ""
	}
	file, fragment, hasFragment := strings.Cut(r.to, "#")
	target := name
	if file != "" {
		target = path.Join(path.Dir(name), file)
	}
	d, isPage := documents[target]
	switch {
	case !isPage && !exists(filepath.Join(site, target)):
		return fmt.Sprintf("%s does not exist", r.to)
	case hasFragment && isPage && !slices.Contains(d.ids, fragment):
		return fmt.Sprintf("%s has no such part", r.to)
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// parse reads a page as a browser does.
func parse(file string) (d document, err error) {
	f, err := os.Open(file)
	if err != nil {
		return d, err
	}
	defer f.Close()
	root, err := html.Parse(f)
	if err != nil {
		return d, err
	}
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			switch a.Key {
			case "id":
				d.ids = append(d.ids, a.Val)
			case "href", "src", "action", "poster", "data":
				d.links = append(d.links, reference{n.Data, a.Val})
			case "srcset":
				return d, fmt.Errorf("%s: <%s> has the attribute %s, which is not checked", file, n.Data, a.Key)
			}
		}
	}
	return d, nil
}
