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

// Known holds what is known about the cases of a corpus outside the repository, by name: which of them do not agree
// yet, and which need not agree and why.
type Known struct {
	Open   map[string]bool
	Unfair map[string]string
}

const (
	openFile   = "open.txt"
	unfairFile = "unfair.txt"
)

// LoadKnown reads the lists in a folder, which has a subfolder for each release.
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

// eachLine calls do for each line of a list except comments. A list that does not exist is empty.
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

// Fair returns the outcomes of fair cases.
func (k Known) Fair(outcomes []Outcome) []Outcome {
	return slices.DeleteFunc(slices.Clone(outcomes), func(o Outcome) bool { return k.Unfair[o.Recording.ID] != "" })
}

// News writes what differs from the lists: fair cases that do not agree and are not listed as open, and listed cases
// that agree. It reports whether there are none. Listed cases that are missing in the corpus do not count, since the
// corpus may be incomplete.
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

// ByRelease groups outcomes by release.
func ByRelease(outcomes []Outcome) map[string][]Outcome {
	by := map[string][]Outcome{}
	for _, o := range outcomes {
		release := cmp.Or(o.Recording.Kubernetes, UnnamedRelease)
		by[release] = append(by[release], o)
	}
	return by
}

// GroupTable formats the score of requests as a table with a row for each API group, and one for Pod Security.
func GroupTable(outcomes []Outcome) string {
	return tableBy("API group", outcomes, func(o Outcome) (string, bool) {
		if o.Recording.Theme() == "upstream-podsecurity" {
			return "Pod Security", true
		}
		return cmp.Or(o.Request.Group, "core"), o.Recording.Plugin == nil
	})
}

// PluginTable formats the score of calls of plugins as a table with a row for each plugin.
func PluginTable(outcomes []Outcome) string {
	return tableBy("plugin", outcomes, func(o Outcome) (string, bool) {
		if o.Recording.Plugin == nil {
			return "", false
		}
		return o.Recording.Plugin.Name, true
	})
}

// tableBy formats the score of the outcomes that have a name, with a row for each name.
func tableBy(what string, outcomes []Outcome, name func(Outcome) (string, bool)) string {
	c := columnsOf(slices.DeleteFunc(slices.Clone(outcomes), func(o Outcome) bool { _, ok := name(o); return !ok }))
	var b strings.Builder
	c.head(&b, what)
	for _, s := range scores(outcomes, name) {
		c.row(&b, s.Theme, func(o Outcome) bool { is, _ := name(o); return is == s.Theme })
	}
	c.row(&b, "**all**", func(Outcome) bool { return true })
	return b.String()
}

// Replace replaces the text in a document between two lines, after and before.
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
