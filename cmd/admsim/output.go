package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/formats"
	"github.com/admsim/admsim/internal/wholefile"
)

// outputFlags are the flags that say where results go and in which format.
type outputFlags struct {
	command string // as [formats.Of] knows it
	outputs []string
	colour  string
	verbose bool

	besides []string   // other files that the command writes
	read    *readFiles // must not be overwritten; may be nil
}

// add adds the flags for answers to requests.
func (f *outputFlags) add(c *cobra.Command, command string) {
	f.addOutputs(c, command)
	c.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "also show plugins that had nothing to do, why webhooks matched, and audit annotations; in other formats, the reviews sent")
}

// addOutputs adds all flags but --verbose.
func (f *outputFlags) addOutputs(c *cobra.Command, command string) {
	f.command = command
	names := formatNames(command)
	c.Flags().StringArrayVarP(&f.outputs, "output", "o", nil, "output `FORMAT` ("+strings.Join(names, ", ")+"), or FORMAT=FILE to write to a file; repeatable (default text)")
	c.Flags().StringVar(&f.colour, "color", "auto", "colour in text: auto, always or never; with NO_COLOR set, auto means never")
	setCompletions(c, "output", names)
	setCompletions(c, "color", colours)
}

var colours = []string{"auto", "always", "never"}

// formatNames returns the names of a command's formats.
func formatNames(command string) (names []string) {
	for _, f := range formats.Of(command) {
		names = append(names, string(f))
	}
	return names
}

// An output is one place that results go to, in one format.
type output struct {
	format formats.Format
	path   string // empty: standard output
	colour bool
	// columns is the width of the terminal that it goes to; 0: none.
	columns int
}

// nameFiles prints where the result is if it went to files only: in the log of a CI job, a bare exit code explains
// nothing.
func nameFiles(c *cobra.Command, what string, stderr io.Writer) {
	outputs, err := c.Flags().GetStringArray("output")
	if err != nil || len(outputs) == 0 {
		return
	}
	files := make([]string, len(outputs))
	for i, o := range outputs {
		if files[i] = fileOf(o); files[i] == "" {
			return
		}
	}
	fmt.Fprintf(stderr, "admsim: %s: see %s\n", what, strings.Join(files, ", "))
}

// fileOf returns the file of an output, empty for standard output.
func fileOf(output string) string {
	if _, path, _ := strings.Cut(output, "="); path != "-" {
		return path
	}
	return ""
}

// parse returns the outputs of the flags, or those of the formats otherwise if there are none. It refuses impossible
// outputs before anything is run.
func (f *outputFlags) parse(stdout io.Writer, otherwise ...formats.Format) (all []output, err error) {
	colour, err := f.coloured(stdout)
	if err != nil {
		return nil, err
	}
	columns := columnsOf(stdout)
	if len(f.outputs) == 0 {
		for _, format := range otherwise {
			all = append(all, output{format, "", colour, columns})
		}
		return all, nil
	}
	toStdout := ""
	for _, text := range f.outputs {
		name, path, isFile := strings.Cut(text, "=")
		format, err := formats.Parse(name, f.command)
		if err != nil {
			return nil, err
		}
		switch {
		case isFile && path == "":
			return nil, fmt.Errorf("output %q names no file", text)
		case fileOf(text) != "":
			all = append(all, output{format, path, f.colour == "always", 0})
			continue
		case format == formats.GitHub: // its lines may be mixed with those of others
		case toStdout != "":
			return nil, hinted(fmt.Errorf("two outputs for standard output: %s and %s", toStdout, text),
				fmt.Sprintf("write one of them to a file: -o %s=FILE", name))
		default:
			toStdout = text
		}
		all = append(all, output{format, "", colour, columns})
	}
	return all, nil
}

// hasPage reports whether one of the outputs is an HTML page.
func hasPage(outputs []output) bool {
	return slices.ContainsFunc(outputs, func(o output) bool { return o.format == formats.HTML })
}

// check refuses outputs that parse refuses.
func (f *outputFlags) check() error {
	_, err := f.parse(io.Discard)
	return err
}

// printers write to all outputs. What goes to files is kept until the end, so that a failed run leaves no partial file.
type printers struct {
	all   []*formats.Printer
	files []*outputFile
}

type outputFile struct {
	path string
	bytes.Buffer
}

// open creates the printers; results without a file go to stdout.
func (f *outputFlags) open(stdout io.Writer) (*printers, error) {
	outputs, err := f.parse(stdout, formats.Text)
	if err != nil {
		return nil, err
	}
	p := &printers{}
	for _, o := range outputs {
		to := rawWriter(stdout)
		if o.path != "" {
			file := &outputFile{path: o.path}
			p.files, to = append(p.files, file), file
		}
		p.all = append(p.all, formats.NewPrinter(to, o.format, document.Options{Verbose: f.verbose, Colour: o.colour, Columns: o.columns}))
	}
	return p, nil
}

// coloured reports whether text on stdout has colours.
func (f *outputFlags) coloured(stdout io.Writer) (bool, error) {
	switch f.colour {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto":
		return isTerminal(stdout) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", nil
	}
	return false, oneOf("--color", f.colour, colours)
}

// columnsOf returns the width of a terminal; 0 if it is not known, or w is none.
func columnsOf(w io.Writer) int {
	f, ok := rawWriter(w).(*os.File)
	if !ok || !isTerminal(w) {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// isTerminal reports whether w is a terminal: a character device other than the null device.
func isTerminal(w io.Writer) bool {
	f, ok := rawWriter(w).(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// write writes a result to all outputs. Files are written at the end, so that a failed run leaves no partial file.
func write(outputs []output, stdout io.Writer, o document.Options, write func(io.Writer, formats.Format, document.Options) error) error {
	var files []*outputFile
	for _, one := range outputs {
		to := rawWriter(stdout)
		if one.path != "" {
			file := &outputFile{path: one.path}
			files, to = append(files, file), file
		}
		o.Colour, o.Columns = one.colour, one.columns
		if err := write(to, one.format, o); err != nil {
			return fmt.Errorf("writing the result: %w", err)
		}
	}
	return saveOutputs(files)
}

// resultMode is the mode of files with results. As with files that a shell writes, the umask decides who may read them.
// Recordings, which hold everything that was sent and answered, are only readable by their owner.
const resultMode = 0o666

func saveOutputs(files []*outputFile) (err error) {
	for _, file := range files {
		if e := wholefile.Write(file.path, file.Bytes(), resultMode); e != nil {
			err = errors.Join(err, fmt.Errorf("writing the result: %w", e))
		}
	}
	return err
}

func (f *outputFlags) detail() document.Detail {
	if f.verbose {
		return document.Reviews
	}
	return document.Usual
}

func (p *printers) each(do func(*formats.Printer) error) error {
	for _, one := range p.all {
		if err := do(one); err != nil {
			return fmt.Errorf("writing the result: %w", err)
		}
	}
	return nil
}

// undecided counts a request whose outcome nobody can know.
func (p *printers) undecided() {
	for _, one := range p.all {
		one.Undecided()
	}
}

// close ends all outputs and writes the files.
func (p *printers) close() error {
	return errors.Join(p.each((*formats.Printer).Close), saveOutputs(p.files))
}
