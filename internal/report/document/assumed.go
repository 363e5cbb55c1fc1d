package document

import (
	"fmt"

	"github.com/admsim/admsim/internal/report/words"
)

// AssumedHint says what to do about webhooks without a backend.
const AssumedHint = "say how they answer in a document of kind Backends, in a file for -C"

// AboutAssumed says which webhooks have no backend, and how many answers were made up for that reason. It is empty if
// there are none.
func (d *Diff) AboutAssumed() string {
	var webhooks []Actor
	base, head := 0, 0
	for _, c := range d.Assumed {
		webhooks = append(webhooks, c.Webhook)
		base, head = base+c.Base, head+c.Head
	}
	return withoutBackend(webhooks, fmt.Sprintf("%s in base and %s in head only say that everything is allowed", words.Plural(base, "answer"), words.Thousands(head)))
}

// AboutAssumed says which webhooks have no backend, and what they are assumed to answer. It is empty if there are none.
func (o *Outage) AboutAssumed() string {
	then := "they allow everything while they answer"
	if len(o.Assumed) == 1 {
		then = "it allows everything while it answers"
	}
	return withoutBackend(o.Assumed, then)
}

func withoutBackend(webhooks []Actor, then string) string {
	if len(webhooks) == 0 {
		return ""
	}
	var names []string
	for _, w := range webhooks {
		names = append(names, w.String())
	}
	return fmt.Sprintf("no backend is declared for %s, so %s", words.Few(names), then)
}
