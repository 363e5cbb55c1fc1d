package backends

import (
	"errors"

	"github.com/admsim/admsim/internal/consent"
	"github.com/admsim/admsim/internal/scenario"
)

// Declare notes what backends may want done, so that whoever is asked about one of them is
// asked about all. [New] does so, too.
func Declare(p *consent.Policy, declared scenario.Backends) { p.Declare(acts(declared)...) }

// acts are all that backends may want done.
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

// connectionAct is a connection for a webhook or a service. Without an address it leads to
// where the configuration of the webhook says.
func connectionAct(at scenario.Source, name, address string) consent.Act {
	return consent.Act{File: at.File, Line: at.Line, For: name, Address: address}
}

// refusedAt is err with its place, and with a hint: that of a refusal, else this one.
func refusedAt(at scenario.Source, err error, hint string) error {
	if err == nil {
		return nil
	}
	if refusal := (*consent.Refusal)(nil); errors.As(err, &refusal) {
		hint = refusal.Hint
	}
	return &scenario.Error{Source: at, Message: err.Error(), Hint: hint, Err: err}
}
