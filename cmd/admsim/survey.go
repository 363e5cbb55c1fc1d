package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/encode"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/formats"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/survey"
	"github.com/admsim/admsim/internal/wholefile"
)

// surveyFlags are the flags of questions about all possible requests.
type surveyFlags struct {
	all       bool
	witnesses string
	says      func(flag string) bool // reports whether a flag was given
}

func (f *surveyFlags) add(c *cobra.Command, usage string) {
	c.Flags().BoolVar(&f.all, "all", false, usage)
	f.addWitnesses(c)
}

func (f *surveyFlags) addWitnesses(c *cobra.Command) {
	f.says = c.Flags().Changed
	c.Flags().StringVar(&f.witnesses, "witnesses", "", "with --all: `FOLDER`, new or empty, to write one request of each region to, for admsim run -C WORLD -C FILE")
}

// perRequestFlags are the flags that describe particular requests, or how they are run and shown.
var perRequestFlags = []string{
	"as", "as-group", "namespace", "verb", "dry-run", "field-validation", "old", "expand",
	"samples", "latency-tolerance", "each", "each-service", "alike", "orders", "seed",
}

// use sets the output for a question about all requests, and refuses flags that are about particular ones. question is
// what the command line says, such as --all.
func (f *surveyFlags) use(question string, o *outputFlags) error {
	for _, flag := range perRequestFlags {
		if f.says(flag) {
			return hinted(fmt.Errorf("%s is about every request: it does not go with --%s", question, flag), "leave out one of the two")
		}
	}
	if err := f.checkFolder(); err != nil {
		return err
	}
	o.command = formats.Survey
	return o.check()
}

// checkFolder refuses a folder for witnesses that is not empty: witnesses of different runs could not be told apart.
func (f *surveyFlags) checkFolder() error {
	if f.witnesses == "" {
		return nil
	}
	found, err := os.ReadDir(f.witnesses)
	switch {
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("writing the witnesses: %w", err)
	case len(found) > 0:
		return hinted(fmt.Errorf("--witnesses: %s is not empty", f.witnesses), "name a new folder: witnesses of another run would stay beside those of this one")
	}
	return nil
}

// check refuses flags that do not go together.
func (f *surveyFlags) check(corpus []string) error {
	switch {
	case f.all && len(corpus) > 0:
		return hinted(fmt.Errorf("--all is about every request, but %s names some", corpus[0]), "leave out one of the two")
	case !f.all && f.witnesses != "":
		return hinted(errors.New("--witnesses needs --all"), "witnesses are of regions, which only --all finds")
	}
	return nil
}

// surveyed returns a loaded world for questions about all requests.
func (f *worldFlags) surveyed(name string, w *loaded) (*survey.World, error) {
	plugins, err := f.plugins.Names(w.Release)
	if err != nil {
		return nil, err
	}
	made := survey.NewWorld(name, w.Simulator(), plugins)
	return &made, nil
}

// answer loads a world, asks a question about all requests to it, and writes the answer.
func (f *surveyFlags) answer(
	ctx context.Context, of *worldFlags, o *outputFlags, options scenario.Options, stdout, stderr io.Writer,
	ask func(*loaded, *survey.World) (*document.Survey, error),
) (*document.Survey, error) {
	w, err := of.load(ctx, nil, options, stderr)
	if err != nil {
		return nil, err
	}
	defer w.close(stderr)
	if err := o.ready(); err != nil {
		return nil, err
	}
	asked, err := of.surveyed(of.title(), w)
	if err != nil {
		return nil, err
	}
	answer, err := ask(w, asked)
	if err != nil {
		return nil, err
	}
	return answer, f.write(o, stdout, stderr, answer)
}

// write writes an answer, and its witnesses to their folder.
func (f *surveyFlags) write(o *outputFlags, stdout, stderr io.Writer, answer *document.Survey) error {
	if err := writeWhatif(o, stdout, answer); err != nil || f.witnesses == "" {
		return err
	}
	if err := os.MkdirAll(f.witnesses, 0o777); err != nil {
		return fmt.Errorf("writing the witnesses: %w", err)
	}
	n, first := 0, ""
	for _, subject := range answer.Subjects {
		for _, r := range subject.Regions {
			if r.Witness == nil {
				continue
			}
			n++
			path := filepath.Join(f.witnesses, fmt.Sprintf("%03d-%s.yaml", n, r.What))
			text, err := encode.YAML(r.Witness.Manifest)
			if err == nil {
				err = wholefile.Write(path, append([]byte(aboutWitness(subject, r)), text...), resultMode)
			}
			if err != nil {
				return fmt.Errorf("writing the witnesses: %w", err)
			}
			if first == "" {
				first = path
			}
		}
	}
	if first != "" {
		fmt.Fprintf(stderr, "admsim: hint: admsim run -C %s sends one of the witnesses; add -C and the manifests of the world\n", first)
	}
	return nil
}

// writer returns a function that writes witnesses, each with a comment that says what it shows. A case may have several
// witnesses, and cases run in parallel.
func (f *surveyFlags) writer() func(name, about string, manifest []byte) (string, error) {
	var writing sync.Mutex
	written := map[string]int{}
	return func(name, about string, manifest []byte) (string, error) {
		writing.Lock()
		defer writing.Unlock()
		if err := os.MkdirAll(f.witnesses, 0o777); err != nil {
			return "", fmt.Errorf("writing the witnesses: %w", err)
		}
		name = strings.Map(func(r rune) rune {
			if strings.ContainsRune("-_.", r) || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
				return r
			}
			return '-'
		}, name)
		written[name]++
		path := filepath.Join(f.witnesses, fmt.Sprintf("%s-%d.yaml", name, written[name]))
		text, err := encode.YAML(json.RawMessage(manifest))
		if err == nil {
			err = wholefile.Write(path, append([]byte(comment(strings.Split(about, "\n"))), text...), resultMode)
		}
		if err != nil {
			return "", fmt.Errorf("writing the witnesses: %w", err)
		}
		return path, nil
	}
}

// aboutWitness returns the comment at the top of a witness's file.
func aboutWitness(subject document.SurveySubject, r document.SurveyRegion) string {
	lines := []string{fmt.Sprintf("%s %s:", subject.Title(), document.SurveyWords(r.What)), r.Text}
	for _, need := range r.Witness.Needs {
		lines = append(lines, "only if "+need+", which was not checked")
	}
	return comment(lines)
}

// comment returns lines as YAML comments.
func comment(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&b, "# %s\n", strings.Join(strings.Fields(line), " ")) // conditions may have several lines
	}
	return b.String()
}
