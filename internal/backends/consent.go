package backends

import (
	"errors"

	"github.com/admsim/admsim/internal/consent"
	"github.com/admsim/admsim/internal/scenario"
)

// Declare records what backends may want to do, so that a user who is asked about one of them is asked about all of
// them. [New] does so, too.
func Declare(p *consent.Policy, declared scenario.Backends) { p.Declare(acts(declared)...) }

// acts returns everything that backends may want to do.
func acts(declared scenario.Backends) (all []consent.Act) {
	for _, d := range declared.List {
		switch {
		case d.Command != nil:
			all = append(all, programAct(d.Source, d.Webhook, commandOf(d)))
		case d.URL != "":
			all = append(all, connectionAct(d.Source, d.Webhook, d.URL))
		case d.Live:
			all = append(all, connectionAct(d.Source, d.Webhook, ""))
		}
	}
	return all
}

func programAct(at scenario.Source, webhook string, c scenario.Command) consent.Act {
	return consent.Act{File: at.File, Line: at.Line, For: webhook, Program: c.Args, Env: c.Env, Dir: c.Dir}
}

// connectionAct returns the act of connecting for a webhook or a service. Without an address, it is the address in the
// configuration of the webhook.
func connectionAct(at scenario.Source, name, address string) consent.Act {
	return consent.Act{File: at.File, Line: at.Line, For: name, Address: address}
}

// refusedAt adds a place and a hint to err: the hint of a refusal, or else the given one.
func refusedAt(at scenario.Source, err error, hint string) error {
	if err == nil {
		return nil
	}
	if refusal := (*consent.Refusal)(nil); errors.As(err, &refusal) {
		hint = refusal.Hint
	}
	return &scenario.Error{Source: at, Message: err.Error(), Hint: hint, Err: err}
}
