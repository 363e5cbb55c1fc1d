package main

import "testing"

// A command has the same name as its entry in the groups.
func TestNames(t *testing.T) {
	for _, g := range groups {
		for _, c := range g.commands {
			if got := c.new().Name(); got != c.name {
				t.Errorf("%s is named %s among the commands", got, c.name)
			}
		}
	}
}
