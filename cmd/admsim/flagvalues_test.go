package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// Whatever a flag cannot be is told with what it should be, and not in the words of a parser.
func TestBadFlagValues(t *testing.T) {
	for _, c := range allCommands(newRoot(invocation{}, []string{"help"})) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			const value = "no such value"
			var invalid *pflag.InvalidValueError
			if !errors.As(c.Flags().Set(f.Name, value), &invalid) {
				return
			}
			if got, want := badFlagValue(invalid).Error(), `--`+f.Name+` "no such value": want `; !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s", c.CommandPath(), got)
			}
		})
	}
}
