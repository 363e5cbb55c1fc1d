package conformance

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Known is what is known of the cases of a corpus that is not in the repository, by their names: which
// do not agree yet, and which nobody has to agree with, and why.
type Known struct {
	Open   map[string]bool
	Unfair map[string]string
}

const (
	openFile   = "open.txt"
	unfairFile = "unfair.txt"
)

// LoadKnown reads the lists of a folder, which has one for each release.
func LoadKnown(folder, release string) (Known, error) {
	k := Known{Open: map[string]bool{}, Unfair: map[string]string{}}
	err := eachLine(filepath.Join(folder, release, openFile), func(line string) error {
		k.Open[line] = true
		return nil
	})
	if err != nil {
		return k, err
	}
	return k, eachLine(filepath.Join(folder, release, unfairFile), func(line string) error {
		name, reason, _ := strings.Cut(line, " ")
		if reason == "" {
			return fmt.Errorf("%s has no reason", name)
		}
		k.Unfair[name] = reason
		return nil
	})
}

// eachLine hands on the lines of a list that is no comment. A list that does not exist is empty.
func eachLine(name string, do func(string) error) error {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := do(line); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// Fair are the outcomes of cases that are fair.
func (k Known) Fair(outcomes []Outcome) []Outcome {
	return slices.DeleteFunc(slices.Clone(outcomes), func(o Outcome) bool { return k.Unfair[o.Recording.ID] != "" })
}

// News writes what the lists do not say: fair cases that differ and are not listed as open, and listed
// ones that agree. It returns whether there are none. Cases that the corpus does not have are no news,
// since it may be a part of all.
func (k Known) News(w io.Writer, outcomes []Outcome) (none bool) {
	none = true
	for _, o := range k.Fair(outcomes) {
		switch listed := k.Open[o.Recording.ID]; {
		case o.Agrees() && listed:
			none = false
			fmt.Fprintf(w, "%s agrees with the server now: take it off the list (-update)\n", o.Recording.ID)
		case !o.Agrees() && !listed:
			none = false
			fmt.Fprintf(w, "--- %s (-server +admsim)\n%s\n", o.Name(), o.Diff)
		}
	}
	return none
}

// WriteOpen writes the list of the fair cases of a release that do not agree.
func (k Known) WriteOpen(folder, release string, outcomes []Outcome) error {
	var names []string
	for _, o := range k.Fair(outcomes) {
		if !o.Agrees() {
			names = append(names, o.Recording.ID+"\n")
		}
	}
	slices.Sort(names)
	text := "# Cases of Kubernetes' own tests whose answer is not the server's yet. make conformance UPDATE=1\n" +
		"# rewrites this list; it may only get shorter.\n" + strings.Join(names, "")
	if err := os.MkdirAll(filepath.Join(folder, release), 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, release, openFile), []byte(text), 0o644)
}

// ByRelease are outcomes by the release that they are about.
func ByRelease(outcomes []Outcome) map[string][]Outcome {
	by := map[string][]Outcome{}
	for _, o := range outcomes {
		release := cmp.Or(o.Recording.Kubernetes, UnnamedRelease)
		by[release] = append(by[release], o)
	}
	return by
}

// GroupTable is the score as a table with a row for each API group.
func GroupTable(outcomes []Outcome) string {
	c := columnsOf(outcomes)
	var b strings.Builder
	group := func(o Outcome) (string, bool) { return cmp.Or(o.Request.Group, "core"), true }
	c.head(&b, "API group")
	for _, s := range scores(outcomes, group) {
		c.row(&b, s.Theme, func(o Outcome) bool { name, _ := group(o); return name == s.Theme })
	}
	c.row(&b, "**all**", func(Outcome) bool { return true })
	return b.String()
}

// Replace replaces what a document has between two lines, the first of which is given.
func Replace(document, after, before, with string) error {
	text, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	head, rest, found := strings.Cut(string(text), after+"\n")
	_, tail, ends := strings.Cut(rest, before+"\n")
	if !found || !ends {
		return fmt.Errorf("%s has no place between %q and %q", document, after, before)
	}
	return os.WriteFile(document, []byte(head+after+"\n"+with+before+"\n"+tail), 0o644)
}
