// Package convert turns the tests of other tools into suites of admsim: the Suites of gator, the tests of the kyverno
// CLI, kaptest and kube-vap-test for admission policies, and those of the cel-admission-library.
//
// Start with [Run]. Names and the relative paths of files are kept; policies that a tool applies without a binding get
// one. What a suite cannot express is listed with its place, and left out.
//
// The package runs nothing: whether a converted suite passes is for package suite to find out.
package convert

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/scenario"
	server "github.com/admsim/admsim/internal/world"
)

// A File is a file to be written.
type File struct {
	Name string // with slashes, below the folder that is written to
	Data []byte
}

// A Result is the result of a conversion.
type Result struct {
	Files []File // in the order of their names
	Cases int    // number of converted cases

	// Unsupported is what could not be converted or read; cases that need it are left out.
	Unsupported scenario.Errors
	// Warnings are about cases that may not pass, since the tool decides differently from an API server.
	Warnings scenario.Errors
}

// tools has the converter of each tool, by name.
var tools = map[string]func(*conversion){
	"gator":                 (*conversion).gator,
	"kyverno":               (*conversion).kyverno,
	"kaptest":               (*conversion).kaptest,
	"kube-vap-test":         (*conversion).vaptest,
	"cel-admission-library": (*conversion).celLibrary,
}

// toolNames returns the names of the tools whose tests can be converted.
func toolNames() []string { return slices.Sorted(maps.Keys(tools)) }

// Run converts the tests of a tool in a file, or anywhere in a folder. The error says that nothing could be converted
// because there are no such tests.
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
	c.result.Unsupported = append(c.errs, c.result.Unsupported...)
	if c.result.Cases == 0 && c.foreign > 0 && c.foreign == len(c.result.Unsupported) {
		return nil, &scenario.Error{
			Source:  scenario.Source{File: from},
			Message: "no test is about admission policies of Kubernetes: all of them test policies of Kyverno's own kinds",
			Hint:    "only Kyverno evaluates these. admsim can ask its admission controller: docs/policies.md says how",
		}
	}
	if c.result.Cases == 0 && len(c.result.Unsupported) == 0 {
		return nil, &scenario.Error{Source: scenario.Source{File: from}, Message: "no tests of " + tool}
	}
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		c.result.Files = append(c.result.Files, File{name, c.files[name]})
	}
	return &c.result, nil
}

// A conversion is the state while tests are converted.
type conversion struct {
	input
	files   map[string][]byte
	result  Result
	names   map[string]bool // names of suites
	foreign int             // number of entries in Unsupported about policies that only their own engine evaluates
}

// unsupported reports something that cannot be converted.
func (c *conversion) unsupported(at scenario.Source, hint, format string, args ...any) {
	c.result.Unsupported = append(c.result.Unsupported, &scenario.Error{Source: at, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// warn reports something that may have another result.
func (c *conversion) warn(at scenario.Source, hint, format string, args ...any) {
	c.result.Warnings = append(c.result.Warnings, &scenario.Error{Source: at, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// decode decodes a document into a struct for a tool's format, and reports an error if it does not fit.
func (c *conversion) decode(d document, form any) bool {
	err := d.Decode(form)
	var unfit *scenario.Error
	if errors.As(err, &unfit) {
		c.result.Unsupported = append(c.result.Unsupported, unfit)
	}
	return err == nil
}

// keep copies a file of the input to the same place in the output.
func (c *conversion) keep(name string) {
	if data, ok := c.read(name); ok {
		c.files[name] = data
	}
}

// suites writes the suites for a file of tests, one after the other. A suite whose world an API server would refuse,
// for example because an expression of a policy does not compile, is left out with its cases: admsim test runs nothing
// if it finds one.
func (c *conversion) suites(name string, all []suite) {
	var text bytes.Buffer
	for _, s := range all {
		if len(s.Cases) == 0 || !c.usable(s) {
			continue
		}
		s.Metadata.Name = c.distinct(s.Metadata.Name, path.Dir(name))
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

// usable reports whether an API server accepts the world of a suite, and reports what it refuses.
func (c *conversion) usable(s suite) bool {
	at := s.Cases[0].from
	found, err := scenario.Parse(at.File, encode(map[string]any{"apiVersion": "v1", "kind": "List", "items": s.World.Objects}))
	if err == nil {
		_, _, err = server.New(found, server.Options{Unchecked: true, Incomplete: len(s.World.Load) > 0})
	}
	var all scenario.Errors
	if err != nil && !errors.As(err, &all) {
		all = scenario.Errors{{Message: err.Error()}}
	}
	for _, e := range all {
		message := e.Message
		if said := (*field.Error)(nil); errors.As(e.Err, &said) { // without places in the generated text
			whose, _, _ := strings.Cut(message, said.Field)
			message = whose + said.Error()
		}
		c.unsupported(at, e.Hint, "%s", message)
	}
	return err == nil
}

// distinct makes the name of a suite unique, with the help of its folder.
func (c *conversion) distinct(name, folder string) string {
	if c.names == nil {
		c.names = map[string]bool{}
	}
	if c.names[name] && folder != "." {
		name += "-" + strings.ReplaceAll(folder, "/", "-")
	}
	return unique(name, c.names)
}

// suiteName returns the file for the suites of a file of tests: next to it, with the suffix by which admsim finds
// suites.
func suiteName(tests string) string {
	return strings.TrimSuffix(tests, path.Ext(tests)) + "_admsim.yaml"
}

// unique returns a name that is not used yet.
func unique(name string, used map[string]bool) string {
	one := name
	for i := 2; used[one]; i++ {
		one = fmt.Sprintf("%s (%d)", name, i)
	}
	used[one] = true
	return one
}
