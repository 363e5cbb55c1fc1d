package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// An error about the value of a flag says what the value should be, and not what a parser says.
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
