package main

import (
	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/world"
)

// webhooks are those that flags can name.
func webhooks(maker whatif.Maker, in corpusInput) ([]whatif.NamedWebhook, error) {
	keys := make([]*world.CaseKey, len(in.cases))
	for i, c := range in.cases {
		keys[i] = c.key
	}
	return whatif.Webhooks(maker, keys)
}

// unknownWebhook is the error about a flag that names no webhook of those there are.
func unknownWebhook(flag, name string, hooks []whatif.NamedWebhook) error {
	known := make([]string, len(hooks))
	for i, h := range hooks {
		known[i] = h.Name
	}
	err := didyoumean.Unknown(flag+": there is no such webhook", name, known)
	if err.Hint() != "" || len(known) == 0 {
		return err
	}
	are := "there are "
	if len(known) == 1 {
		are = "there is "
	}
	return hinted(err, are+didyoumean.Few(known))
}
