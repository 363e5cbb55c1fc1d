package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/envtest/flags"
)

// A switchFlag is a flag of kube-apiserver that enables and disables things by name: --feature-gates=A=true,B=false. It
// may be repeated.
type switchFlag struct {
	on    map[string]bool
	bare  bool // a name alone enables, as for --runtime-config
	given []string
}

// GetSlice returns the lists that were given.
func (f *switchFlag) GetSlice() []string { return f.given }

func (f *switchFlag) Type() string { return "NAME=true|false" }

func (f *switchFlag) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(f.on)) {
		parts = append(parts, fmt.Sprintf("%s=%v", name, f.on[name]))
	}
	return strings.Join(parts, ",")
}

func (f *switchFlag) Set(list string) error {
	for _, part := range strings.Split(list, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, on, ok := flags.Switch(part, f.bare)
		if !ok {
			return want(fmt.Sprintf("%s=true or %s=false", name, name))
		}
		if f.on == nil {
			f.on = map[string]bool{}
		}
		f.on[name] = on
	}
	f.given = append(f.given, list)
	return nil
}
