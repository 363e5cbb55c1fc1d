package expect

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/events"
)

// deniedBy checks what denied the request.
func (c *check) deniedBy() {
	want := c.expect.DeniedBy
	if want == nil || events.DeciderOf(c.Result).Is(*want, c.Result.Code) {
		return
	}
	d := events.DeciderOf(c.Result)
	got := d.String()
	if d.Plugin == "" {
		got += fmt.Sprintf(" (%d %s)", c.Result.Code, c.Answer.status().Reason)
	}
	f := c.fail("deniedBy", deniedByText(*want), got)
	f.Hint = "its message: " + c.Answer.status().Message
	if d.Hint != "" {
		f.Hint += "; " + d.Hint
	}
}

func deniedByText(d scenario.DeniedBy) string {
	switch {
	case d.Server:
		return "the API server"
	case d.Validation:
		return "the API server's validation"
	case d.Plugin != "":
		return "plugin " + d.Plugin
	case d.MutatingWebhook != "":
		return "mutating webhook " + d.MutatingWebhook
	case d.ValidatingWebhook != "":
		return "validating webhook " + d.ValidatingWebhook
	case d.Policy != "" && d.Binding != "":
		return "policy " + d.Policy + "/" + d.Binding
	case d.Policy != "":
		return "policy " + d.Policy
	}
	return "a policy with binding " + d.Binding
}

// wantedDecider returns the name of the webhook, policy or plugin that should deny.
func (c *check) wantedDecider() string {
	d := c.expect.DeniedBy
	if d == nil {
		return ""
	}
	return cmp.Or(d.Plugin, d.MutatingWebhook, d.ValidatingWebhook, d.Policy)
}

// whyNot says what happened to the webhook, policy or plugin that should deny.
func (c *check) whyNot(name string) string {
	for _, e := range slices.Backward(events.Of(c.Result)) {
		if !e.Is(name) {
			continue
		}
		if !e.Called() {
			return e.Name() + " was skipped: " + e.Because()
		}
		return e.Name() + " was asked: " + string(e.Outcome())
	}
	return "nothing is called " + name
}
