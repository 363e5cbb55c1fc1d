package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/pkg/report"
)

// outputFlags say where results go and in which format.
type outputFlags struct {
	formats []report.Format // that the command knows
	outputs []string
	colour  string
	verbose bool
}

// add adds them for answers to requests, which are written in these formats.
func (f *outputFlags) add(c *cobra.Command, formats []report.Format) {
	f.addOutputs(c, formats)
	c.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "also show plugins that had nothing to say, reasons of matches and audit annotations; in other formats the reviews sent")
}

// addOutputs adds all but --verbose.
func (f *outputFlags) addOutputs(c *cobra.Command, formats []report.Format) {
	f.formats = formats
	c.Flags().StringArrayVarP(&f.outputs, "output", "o", nil, "output `FORMAT` ("+joined(formats)+"), or FORMAT=FILE to write to a file; repeatable (default text)")
	c.Flags().StringVar(&f.colour, "color", "auto", "colour in text: auto, always or never; NO_COLOR turns auto off")
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(strings.Split(joined(formats), ", "), cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("color", cobra.FixedCompletions(colours, cobra.ShellCompDirectiveNoFileComp))
}

var colours = []string{"auto", "always", "never"}

// check checks the formats asked for.
func (f *outputFlags) check() error {
	for _, o := range f.outputs {
		name, _, _ := strings.Cut(o, "=")
		if _, err := report.ParseFormatOf(name, f.formats); err != nil {
			return err
		}
	}
	return nil
}

// printers write to all outputs asked for. What goes to files is kept until the end, so
// that a run that fails leaves no half of a file.
type printers struct {
	all   []*report.Printer
	files []*outputFile
}

type outputFile struct {
	path string
	bytes.Buffer
}

// open makes the printers; stdout is where results without a file go.
func (f *outputFlags) open(stdout io.Writer) (*printers, error) {
	colour, err := f.coloured(stdout)
	if err != nil {
		return nil, err
	}
	outputs := f.outputs
	if len(outputs) == 0 {
		outputs = []string{string(report.Text)}
	}
	p := &printers{}
	toStdout := ""
	for _, o := range outputs {
		name, path, isFile := strings.Cut(o, "=")
		format, err := report.ParseFormatOf(name, f.formats)
		if err != nil {
			return nil, err
		}
		options := report.Options{Verbose: f.verbose}
		switch {
		case isFile && path == "":
			return nil, fmt.Errorf("output %q names no file", o)
		case isFile && path != "-":
			options.Colour = f.colour == "always"
			file := &outputFile{path: path}
			p.files = append(p.files, file)
			p.all = append(p.all, report.NewPrinter(file, format, options))
		case toStdout != "":
			return nil, hinted(fmt.Errorf("two outputs for standard output: %s and %s", toStdout, o),
				fmt.Sprintf("write one of them to a file: -o %s=FILE", name))
		default:
			options.Colour = colour
			toStdout = o
			p.all = append(p.all, report.NewPrinter(stdout, format, options))
		}
	}
	return p, nil
}

// coloured tells whether text on stdout has colours.
func (f *outputFlags) coloured(stdout io.Writer) (bool, error) {
	switch f.colour {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto":
		return isTerminal(stdout) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", nil
	}
	return false, didyoumean.Unknown(fmt.Sprintf("--color %q is not one of %s", f.colour, strings.Join(colours, ", ")), f.colour, colours)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// write has a result written to all of these outputs, of formats that there are for it. What
// goes to files is written at the end, so that a run that fails leaves no half of a file.
func (f *outputFlags) write(outputs []string, formats []report.Format, stdout io.Writer, o report.Options, write func(io.Writer, report.Format, report.Options) error) error {
	colour, err := f.coloured(stdout)
	if err != nil {
		return err
	}
	var files []*outputFile
	toStdout := ""
	for _, output := range outputs {
		name, path, isFile := strings.Cut(output, "=")
		format, err := report.ParseFormatOf(name, formats)
		if err != nil {
			return err
		}
		to, options := stdout, o
		options.Colour = colour
		switch {
		case isFile && path == "":
			return fmt.Errorf("output %q names no file", output)
		case isFile && path != "-":
			options.Colour = f.colour == "always"
			file := &outputFile{path: path}
			files = append(files, file)
			to = file
		case toStdout != "" && format != report.GitHub:
			return hinted(fmt.Errorf("two outputs for standard output: %s and %s", toStdout, output),
				fmt.Sprintf("write one of them to a file: -o %s=FILE", name))
		case format != report.GitHub: // whose lines may stand between others
			toStdout = output
		}
		if err := write(to, format, options); err != nil {
			return fmt.Errorf("writing the result: %w", err)
		}
	}
	for _, file := range files {
		if e := os.WriteFile(file.path, file.Bytes(), 0o666); e != nil {
			err = errors.Join(err, fmt.Errorf("writing the result: %w", e))
		}
	}
	return err
}

func (f *outputFlags) detail() report.Detail {
	if f.verbose {
		return report.Reviews
	}
	return report.Usual
}

func (p *printers) each(do func(*report.Printer) error) error {
	for _, one := range p.all {
		if err := do(one); err != nil {
			return fmt.Errorf("writing the result: %w", err)
		}
	}
	return nil
}

// close ends all outputs and writes the files.
func (p *printers) close() error {
	err := p.each((*report.Printer).Close)
	for _, f := range p.files {
		if e := os.WriteFile(f.path, f.Bytes(), 0o666); e != nil {
			err = errors.Join(err, fmt.Errorf("writing the result: %w", e))
		}
	}
	return err
}
