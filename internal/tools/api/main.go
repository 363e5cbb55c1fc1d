// Api compares the public Go API with that of the last version, as promised in docs/compatibility.md.
//
//	go run ./api -C ../..
//
// It fails if a program that uses one of the kept packages, or a type that their declarations mention, might no longer
// compile. A change that was announced in time is accepted with a line in a file. Changes elsewhere in pkg/ are listed.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/exp/apidiff"
	"golang.org/x/tools/go/packages"
)

const module = "github.com/admsim/admsim"

// kept lists the packages that the promise covers.
var kept = []string{module + "/pkg/simulator", module + "/pkg/admsimtest"}

func main() {
	root := flag.String("C", ".", "the `FOLDER` of the repository")
	accepted := flag.String("accepted", "", "`FILE` with the breaking changes that were announced, one a line")
	flag.Parse()
	breaks, err := run(*root, *accepted, os.Stdout)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "api:", err)
		os.Exit(2)
	case breaks:
		os.Exit(1)
	}
}

// run compares the checkout with the last tag, and reports whether it breaks the promise.
func run(root, acceptedFile string, out io.Writer) (breaks bool, err error) {
	tag, err := git(root, "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*")
	if err != nil {
		_, err := fmt.Fprintln(out, "no version is tagged yet: there is nothing to compare with")
		return false, err
	}
	accepted, err := lines(acceptedFile)
	if err != nil {
		return false, err
	}
	temporary, err := os.MkdirTemp("", "api")
	if err != nil {
		return false, err
	}
	before := filepath.Join(temporary, "before")
	if _, err := git(root, "worktree", "add", "--quiet", "--detach", before, tag); err != nil {
		return false, errors.Join(err, os.RemoveAll(temporary))
	}
	defer func() {
		_, removed := git(root, "worktree", "remove", "--force", before)
		err = errors.Join(err, removed, os.RemoveAll(temporary))
	}()
	old, err := load(before)
	if err != nil {
		return false, err
	}
	today, err := load(root)
	if err != nil {
		return false, err
	}
	found := differences(old, today)
	for _, c := range found {
		line := c.String()
		switch {
		case slices.Contains(accepted, line):
			line = "accepted: " + line
		case c.kept:
			breaks = true
			line = "breaks: " + line
		default:
			line = "changes: " + line
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return false, err
		}
	}
	_, err = fmt.Fprintf(out, "compared with %s: %d incompatible changes in pkg/\n", tag, len(found))
	return breaks, err
}

func git(root string, args ...string) (string, error) {
	c := exec.Command("git", append([]string{"-C", root}, args...)...)
	c.Stderr = os.Stderr
	if args[0] == "describe" {
		c.Stderr = nil // a missing tag is reported in our own words
	}
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

// lines returns the lines of a file except for comments, or none if name is empty.
func lines(name string) (all []string, err error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if line := strings.TrimSpace(s.Text()); line != "" && !strings.HasPrefix(line, "#") {
			all = append(all, line)
		}
	}
	return all, nil
}

// load type-checks the public packages of a checkout.
func load(root string) (map[string]*types.Package, error) {
	found, err := packages.Load(&packages.Config{
		Dir:  root,
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps | packages.NeedExportFile,
	}, "./pkg/...")
	if err != nil {
		return nil, err
	}
	all := map[string]*types.Package{}
	for _, p := range found {
		for _, e := range p.Errors {
			return nil, fmt.Errorf("%s: %s", p.PkgPath, e)
		}
		if p.Name != "main" {
			all[p.PkgPath] = p.Types
		}
	}
	return all, nil
}

// A change is a change that may keep a program from compiling.
type change struct {
	path, message string
	kept          bool
}

func (c change) String() string { return strings.TrimPrefix(c.path, module+"/") + ": " + c.message }

func differences(old, today map[string]*types.Package) (all []change) {
	promised := named(old)
	for path, p := range old {
		isKept := slices.Contains(kept, path)
		if today[path] == nil {
			all = append(all, change{path, "package removed", isKept || len(promised[path]) > 0})
			continue
		}
		for _, c := range apidiff.Changes(p, today[path]).Changes {
			if !c.Compatible {
				all = append(all, change{path, c.Message, isKept || promised[path][subject(c.Message)]})
			}
		}
	}
	slices.SortFunc(all, func(a, b change) int { return strings.Compare(a.String(), b.String()) })
	return all
}

// subject returns the declaration that a message of apidiff is about: T of "T.Field: removed" and "(*T).Method:
// removed".
func subject(message string) string {
	name, _, _ := strings.Cut(message, ":")
	name = strings.TrimLeft(name, "(*")
	if end := strings.IndexAny(name, ".),["); end >= 0 {
		name = name[:end]
	}
	return name
}

// named returns the types in other public packages that the exported declarations of the kept ones mention.
func named(all map[string]*types.Package) map[string]map[string]bool {
	found := map[string]map[string]bool{}
	seen := map[types.Type]bool{}
	var visit func(own *types.Package, t types.Type)
	visit = func(own *types.Package, t types.Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		switch t := t.(type) {
		case *types.Alias:
			visit(own, types.Unalias(t))
		case *types.Named:
			of := t.Obj().Pkg()
			if of == nil {
				return
			}
			if of != own {
				if all[of.Path()] != nil {
					if found[of.Path()] == nil {
						found[of.Path()] = map[string]bool{}
					}
					found[of.Path()][t.Obj().Name()] = true
				}
				return
			}
			visit(own, t.Underlying())
			for m := range t.Methods() {
				if m.Exported() {
					visit(own, m.Type())
				}
			}
		case *types.Struct:
			for f := range t.Fields() {
				if f.Exported() {
					visit(own, f.Type())
				}
			}
		case *types.Signature:
			visit(own, t.Params())
			visit(own, t.Results())
		case *types.Tuple:
			for v := range t.Variables() {
				visit(own, v.Type())
			}
		case *types.Interface:
			for m := range t.Methods() {
				visit(own, m.Type())
			}
		case *types.Map:
			visit(own, t.Key())
			visit(own, t.Elem())
		case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
			visit(own, t.Elem())
		}
	}
	for _, path := range kept {
		p := all[path]
		if p == nil {
			continue
		}
		for _, name := range p.Scope().Names() {
			if o := p.Scope().Lookup(name); o.Exported() {
				visit(p, o.Type())
			}
		}
	}
	return found
}
