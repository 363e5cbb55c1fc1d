package main

import "testing"

// A command is found by the name that it has in the groups.
func TestNames(t *testing.T) {
	for _, g := range groups {
		for _, c := range g.commands {
			if got := c.new().Name(); got != c.name {
				t.Errorf("%s is called %s among the commands", got, c.name)
			}
		}
	}
}
