// Package plugins is the built-in admission plugins, a file each.
//
// All of them are reached by name, through [New]. To add one: write its file, add its row
// to the table below, and see that kubeversion knows its place in the chain. The order of
// plugins is none of their business, and webhooks and policies, which are plugins too,
// have packages of their own.
package plugins

import (
	"github.com/admsim/admsim/pkg/chain"
)

// table has a row for each plugin: how to make it. Which phases it has a part in follows
// from its methods, which operations it is asked about is known to package kubeversion.
var table = map[string]func() any{
	"NamespaceLifecycle": func() any { return namespaceLifecycle{} },
}

// New returns the plugin of that name. ok tells whether admsim has it.
func New(name string) (p chain.Plugin, ok bool) {
	make, ok := table[name]
	if !ok {
		return chain.Plugin{}, false
	}
	p.Name = name
	made := make()
	p.Mutator, _ = made.(chain.Mutator)
	p.Validator, _ = made.(chain.Validator)
	return p, true
}
