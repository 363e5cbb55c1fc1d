package document

import (
	"fmt"

	"github.com/admsim/admsim/internal/report/words"
)

// NotTried is why webhooks could not be tried.
const NotTried = "it has no backend"

// What each check is about.
var checkWords = map[string]string{
	"idempotence":  "a webhook or policy run on its own output changes nothing more",
	"order":        "mutating webhooks and policies come to the same object in any order",
	"reinvocation": "after the server's rounds no webhook or policy would change anything more",
	"final-state":  "webhooks and policies that judge an object see it as it will be, and accept it",
	"bypass":       "no request bypasses a webhook or policy that would refuse it",
}

// Of returns the findings of a check.
func (c *Check) Of(check string) (all []CheckFinding) {
	for _, f := range c.Findings {
		if f.Check == check {
			all = append(all, f)
		}
	}
	return all
}

// A CheckOutcome is the result of one check.
type CheckOutcome string

// The outcomes.
const (
	CheckOK      CheckOutcome = "ok"
	CheckNotOK   CheckOutcome = "not ok"
	CheckUntried CheckOutcome = "nothing to try"
	CheckUnknown CheckOutcome = "undecided" // no request could be answered
)

// Outcome returns the result of a check.
func (c *Check) Outcome(check string) CheckOutcome {
	switch {
	case len(c.Of(check)) > 0:
		return CheckNotOK
	case c.Requests == 0:
		return CheckUnknown
	case c.Untried(check) != "":
		return CheckUntried
	}
	return CheckOK
}

// About says what a check is about and how much was tried for it, or why nothing was.
func (c *Check) About(check string) string {
	switch c.Outcome(check) {
	case CheckUnknown:
		return "no request could be answered"
	case CheckUntried:
		return "nothing to try: " + c.Untried(check)
	}
	return checkWords[check] + c.tried(check)
}

// Untried returns why there was nothing to try for a check; it is empty if there was.
func (c *Check) Untried(check string) string {
	switch {
	case check == "idempotence" && c.Mutations == 0:
		return "no webhook or policy changed an object"
	case check == "order" && c.Pairs+c.Orders == 0:
		return "no request reached two mutating webhooks, or two mutating policies, whose order may change"
	}
	return ""
}

// tried says how much was tried for a check, and what was left out.
func (c *Check) tried(check string) string {
	switch check {
	case "idempotence":
		return fmt.Sprintf(" (%s repeated)", words.Plural(c.Mutations, "mutation"))
	case "order":
		text := fmt.Sprintf(" (%s tried in both orders", words.Plural(c.Pairs, "pair"))
		switch {
		case c.Orders > 0 && c.Exhaustive:
			text += fmt.Sprintf(", all of %s", words.Plural(c.Orders, "order"))
		case c.Orders > 0:
			text += fmt.Sprintf(", %s drawn", words.Plural(c.Orders, "order"))
		}
		return text + ")"
	case "reinvocation":
		if len(c.Repeaters) == 0 {
			return ""
		}
		names := make([]string, len(c.Repeaters))
		for i, by := range c.Repeaters {
			names[i] = by.String()
		}
		return ", except these (see idempotence): " + words.Few(names)
	}
	return ""
}

// Title says what is wrong.
func (f CheckFinding) Title() string {
	switch {
	case f.Webhook == Nobody && f.Check == "final-state":
		return "the API server " + f.Message
	case f.Webhook == Nobody:
		return f.Message
	case f.Other != Nobody && f.Check == "order":
		return f.Webhook.String() + " and " + f.Other.String() + ": " + f.Message
	}
	return f.Webhook.String() + ": " + f.Message
}

// About says where the webhooks are, and how many requests show the finding.
func (f CheckFinding) About() string {
	about := ""
	if f.Webhook != Nobody {
		about = f.Webhook.Source
	}
	switch {
	case f.Other == Nobody:
	case f.Check == "order":
		about = words.Join(about, f.Other.Source)
	default:
		about = words.Join(about, "changed by "+f.Other.String())
	}
	return words.Join(about, "in "+words.Plural(f.Requests, "request"))
}

// Nobody stands for the API server, or for several actors together.
var Nobody Actor

// Summary says how much was checked, and how much was found.
func (c *Check) Summary() string {
	undecided := ""
	if c.Undecided > 0 {
		undecided = words.Plural(c.Undecided, "request") + " could not be answered"
	}
	if c.Requests == 0 && c.Undecided > 0 {
		return undecided + ": nothing was checked"
	}
	text := words.Plural(c.Requests, "request")
	if c.Tried < c.Requests {
		text += fmt.Sprintf(", of which %s were tried; the others are similar", words.Thousands(c.Tried))
	}
	if len(c.Findings) == 0 {
		text += ": nothing found"
	} else {
		text += ": " + words.Plural(len(c.Findings), "finding")
	}
	if undecided != "" {
		text += "; " + undecided
	}
	return text
}
