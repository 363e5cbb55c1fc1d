package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/projectfiles"
)

// badValue returns an error about the value of a flag. All such errors have the same form:
//
//	--samples "x": want a whole number, at least 1
func badValue(flag, value, want string) error {
	return fmt.Errorf("%s %q: want %s", flag, value, want)
}

// oneOf returns the error for a value that is none of the known ones.
func oneOf(flag, value string, known []string) error {
	return didyoumean.Unknown(badValue(flag, value, "one of "+strings.Join(known, ", ")).Error(), value, known)
}

// flagged returns err as an error about the value of a flag.
func flagged(flag string, err error) error {
	if unknown := didyoumean.In(err); unknown != nil {
		return &didyoumean.UnknownError{Problem: flag + ": " + unknown.Problem, Nearest: unknown.Nearest, Else: unknown.Else}
	}
	return fmt.Errorf("%s: %w", flag, err)
}

// badFlagValue returns the same error for a value that pflag refused. For the types that pflag reads itself, the
// message says what the value should be instead of what strconv reported.
func badFlagValue(err *pflag.InvalidValueError) error {
	f := err.GetFlag()
	name, cause := "--"+f.Name, errors.Unwrap(err)
	if wanted, ours := cause.(want); ours {
		return badValue(name, err.GetValue(), string(wanted))
	}
	if wanted := wantedOf[f.Value.Type()]; wanted != "" {
		return badValue(name, err.GetValue(), wanted)
	}
	return fmt.Errorf("%s %q: %w", name, err.GetValue(), cause)
}

// wantedOf describes the values of pflag's own types.
var wantedOf = map[string]string{
	"bool":     "true or false",
	"duration": "a duration such as 10ms or 1m30s",
	"uint64":   "a whole number, at least 0",
}

// want is an error of one of our own flags: it describes the value that the flag should have.
type want string

func (w want) Error() string { return "want " + string(w) }

// A wholeFlag is a count.
type wholeFlag struct {
	to    *int
	least int
}

// whole adds a flag for a number of at least least. The type has the name that pflag uses for its own.
func whole(flags *pflag.FlagSet, to *int, name, short string, least, value int, usage string) {
	*to = value
	flags.VarP(&wholeFlag{to, least}, name, short, usage)
}

func (f *wholeFlag) Type() string   { return "int" }
func (f *wholeFlag) String() string { return strconv.Itoa(*f.to) }

func (f *wholeFlag) Set(text string) error {
	n, err := strconv.Atoi(text)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return want("a smaller number")
	case err != nil || n < f.least:
		return want(fmt.Sprintf("a whole number, at least %d", f.least))
	}
	*f.to = n
	return nil
}

// A partFlag is a number from 0 to most.
type partFlag struct {
	to   *float64
	most float64
	what string
}

// part adds a flag for a number from 0 to most; errors call the number what.
func part(flags *pflag.FlagSet, to *float64, name string, most float64, what, usage string) {
	flags.Var(&partFlag{to, most, what}, name, usage)
}

func (f *partFlag) Type() string   { return "float" }
func (f *partFlag) String() string { return strconv.FormatFloat(*f.to, 'g', -1, 64) }

func (f *partFlag) Set(text string) error {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0 && n <= f.most) { // no NaN either
		return want(fmt.Sprintf("%s from 0 to %g", f.what, f.most))
	}
	*f.to = n
	return nil
}

// An excludeFlag collects patterns of files.
type excludeFlag struct{ patterns *projectfiles.Exclusions }

func (f *excludeFlag) String() string {
	if f.patterns == nil {
		return ""
	}
	return strings.Join(*f.patterns, ",")
}

func (f *excludeFlag) Type() string { return "GLOB" }

func (f *excludeFlag) Set(pattern string) error {
	if err := projectfiles.CheckExclusion(pattern); err != nil || pattern == "" {
		return want("a pattern such as values.yaml or ci/*.yaml")
	}
	*f.patterns = append(*f.patterns, pattern)
	return nil
}
