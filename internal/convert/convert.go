// Package convert turns the tests of other tools into suites of admsim: the Suites of gator,
// the tests of the kyverno CLI and of kaptest for admission policies, and those of the
// cel-admission-library.
//
// Start with [Run]. Names stay as they are, and what a test names stays where it is in
// relation to it; policies that a tool applies without any binding get one. What cannot be
// said in a suite is listed with its place, and left out.
//
// The package runs nothing: whether a converted suite passes is for package suite.
package convert

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/scenario"
)

// A File is one that a conversion wants written.
type File struct {
	Name string // with slashes, below the folder that is written to
	Data []byte
}

// A Result is what a conversion came to.
type Result struct {
	Files []File // in the order of their names
	Cases int    // that were converted

	// Unsupported is what could not be converted; cases that need it are left out.
	Unsupported scenario.Errors
}

// tools are what can be converted, by name.
var tools = map[string]func(*conversion){
	"gator":                 (*conversion).gator,
	"kyverno":               (*conversion).kyverno,
	"kaptest":               (*conversion).kaptest,
	"cel-admission-library": (*conversion).celLibrary,
}

// toolNames are the names of what can be converted.
func toolNames() []string { return slices.Sorted(maps.Keys(tools)) }

// Run converts the tests of a tool that are in a file, or anywhere in a folder. The error is
// about what cannot be read.
func Run(tool, from string) (*Result, error) {
	convert, ok := tools[tool]
	if !ok {
		return nil, didyoumean.Unknown(fmt.Sprintf("unknown tool %q, want one of %s", tool, strings.Join(toolNames(), ", ")), tool, toolNames())
	}
	c, err := open(from)
	if err != nil {
		return nil, err
	}
	convert(c)
	if len(c.errs) > 0 {
		return nil, c.errs
	}
	if c.result.Cases == 0 && len(c.result.Unsupported) == 0 {
		return nil, &scenario.Error{Source: scenario.Source{File: from}, Message: "no tests of " + tool}
	}
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		c.result.Files = append(c.result.Files, File{name, c.files[name]})
	}
	return &c.result, nil
}

// A conversion is one while it runs.
type conversion struct {
	input
	files  map[string][]byte
	result Result
}

// unsupported notes what cannot be converted.
func (c *conversion) unsupported(at scenario.Source, hint, format string, args ...any) {
	c.result.Unsupported = append(c.result.Unsupported, &scenario.Error{Source: at, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// decode reads a document into the form of a tool's; it is reported that it does not fit.
func (c *conversion) decode(d document, form any) bool {
	err := d.Decode(form)
	var unfit *scenario.Error
	if errors.As(err, &unfit) {
		c.result.Unsupported = append(c.result.Unsupported, unfit)
	}
	return err == nil
}

// keep copies a file of the input to where it is.
func (c *conversion) keep(name string) {
	if data, ok := c.read(name); ok {
		c.files[name] = data
	}
}

// suites writes the suites that a file of tests became, one after the other.
func (c *conversion) suites(name string, all []suite) {
	var text bytes.Buffer
	for _, s := range all {
		if len(s.Cases) == 0 {
			continue
		}
		if text.Len() > 0 {
			text.WriteString("---\n")
		}
		text.Write(s.yaml())
		c.result.Cases += len(s.Cases)
	}
	if text.Len() > 0 {
		c.files[name] = text.Bytes()
	}
}

// suiteName is the file that the suites of a file of tests go to: beside it, with the suffix
// by which admsim finds suites.
func suiteName(tests string) string {
	return strings.TrimSuffix(tests, path.Ext(tests)) + "_admsim.yaml"
}

// unique makes name one that is not used yet.
func unique(name string, used map[string]bool) string {
	one := name
	for i := 2; used[one]; i++ {
		one = fmt.Sprintf("%s (%d)", name, i)
	}
	used[one] = true
	return one
}
