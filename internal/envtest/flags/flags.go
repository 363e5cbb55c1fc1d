// Package flags parses the command lines of real programs for programs that replace them: each flag is simulated, or
// has no effect, or is refused with a reason.
//
// Start with [New] and a table, then [Given.Parse].
package flags

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/admsim/admsim/internal/didyoumean"
)

// What is done with a flag. The only value that is not refused follows refused.
const (
	simulated = "simulated"
	accepted  = "accepted" // has no effect
	hidden    = "hidden"   // has no effect, and --help does not list it
	refused   = "refused:"
)

// A Flag is a row of a table.
type Flag struct {
	Name, Kind string // bool, or other kinds, which are not distinguished
	Verdict    string
	Text       string // what the flag does, or why it is refused
}

// Table parses a table. Each line has the fields of a [Flag], separated by tabs.
func Table(text string) (all []Flag) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := append(strings.Split(strings.TrimSuffix(line, "\n"), "\t"), "")
		all = append(all, Flag{fields[0], fields[1], fields[2], fields[3]})
	}
	return all
}

// usage returns the description of a flag in --help.
func (f Flag) usage() string {
	switch {
	case f.Verdict == simulated:
		return f.Text
	case strings.HasPrefix(f.Verdict, refused):
		return "not simulated: " + f.Text
	}
	return "accepted, and changes nothing"
}

// A value holds the values that a flag was given.
type value struct {
	Flag
	given []string
}

func (v *value) Type() string { return v.Kind }

func (v *value) String() string { return strings.Join(v.given, ",") }

func (v *value) Set(text string) error {
	if harmless, ok := strings.CutPrefix(v.Verdict, refused); ok && !v.same(text, harmless) {
		return fmt.Errorf("--%s=%s is not simulated: %s", v.Name, text, v.Text)
	}
	if v.Kind == "bool" {
		if _, err := strconv.ParseBool(text); err != nil {
			return errors.New("want true or false")
		}
	}
	v.given = append(v.given, text)
	return nil
}

// same reports whether two texts are the same value.
func (v *value) same(a, b string) bool {
	if v.Kind != "bool" {
		return a == b
	}
	x, err := strconv.ParseBool(a)
	y, _ := strconv.ParseBool(b) // from the table
	return err == nil && x == y
}

// Given holds the flags of a command line.
type Given struct {
	set *pflag.FlagSet
	all map[string]*value
}

// New returns the flags of a program, none of which is set yet.
func New(program string, table []Flag) *Given {
	g := &Given{pflag.NewFlagSet(program, pflag.ContinueOnError), map[string]*value{}}
	for _, f := range table {
		v := &value{Flag: f}
		g.all[f.Name] = v
		short := ""
		if len(f.Name) == 1 {
			short = f.Name
		}
		added := g.set.VarPF(v, f.Name, short, f.usage())
		added.Hidden = f.Verdict == hidden
		if f.Kind == "bool" {
			added.NoOptDefVal = "true"
		}
	}
	return g
}

// Usage lists the flags.
func (g *Given) Usage() string { return g.set.FlagUsages() }

// Hide removes a flag from the list.
func (g *Given) Hide(name string) { g.set.Lookup(name).Hidden = true }

// Values returns what the flags were given, by name.
func (g *Given) Values() map[string][]string {
	all := map[string][]string{}
	for name, v := range g.all {
		if len(v.given) > 0 {
			all[name] = slices.Clone(v.given)
		}
	}
	return all
}

// Parse parses a command line. The error is [pflag.ErrHelp] if help was requested. Flags that are not in the table are
// an error, as in the real program.
func (g *Given) Parse(args []string) error {
	g.set.Usage = func() {}
	err := g.set.Parse(args)
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
		var names []string
		for name := range g.all {
			names = append(names, "--"+name)
		}
		name := "--" + unknown.GetSpecifiedName()
		return didyoumean.Unknown(fmt.Sprintf("%s has no flag %s", g.set.Name(), name), name, names)
	}
	if err == nil && g.set.NArg() > 0 {
		return fmt.Errorf("%s takes no arguments: %q", g.set.Name(), g.set.Args())
	}
	return err
}

// One returns the last value of a flag, or instead if it is not set.
func (g *Given) One(name, instead string) string {
	if all := g.all[name].given; len(all) > 0 {
		return all[len(all)-1]
	}
	return instead
}

// All returns the values of a flag that may be given several times.
func (g *Given) All(name string) []string { return g.all[name].given }

// List returns all values of a flag that takes a list.
func (g *Given) List(name string) (all []string) {
	for _, text := range g.all[name].given {
		for part := range strings.SplitSeq(text, ",") {
			if part = strings.TrimSpace(part); part != "" {
				all = append(all, part)
			}
		}
	}
	return all
}

// Switches returns the values of a flag that switches things on and off by name. If bare is true, a name alone switches on.
func (g *Given) Switches(name string, bare bool) (map[string]bool, error) {
	var on map[string]bool
	for _, part := range g.List(name) {
		key, value, ok := Switch(part, bare)
		if !ok {
			return nil, fmt.Errorf("--%s: %q: want %s=true or %s=false", name, part, key, key)
		}
		if on == nil {
			on = map[string]bool{}
		}
		on[key] = value
	}
	return on, nil
}

// manyAPIs lists the names in --runtime-config that stand for the APIs of many groups.
var manyAPIs = []string{"api/all", "api/ga", "api/beta", "api/alpha"}

// Switch parses an entry of --feature-gates or, if a bare name is enough to enable something, of --runtime-config. There,
// names that stand for many APIs need one of two values: kubernetes/apiserver:pkg/server/resourceconfig/helpers.go. Up to
// 1.16, the server ignores api/all with another value.
func Switch(entry string, bare bool) (name string, on, ok bool) {
	name, text, _ := strings.Cut(entry, "=")
	switch {
	case slices.Contains(manyAPIs, name):
		return name, text == "true", text == "true" || text == "false"
	case bare && text == "":
		return name, true, true
	}
	on, err := strconv.ParseBool(text)
	return name, on, err == nil
}
