package document

import (
	"fmt"

	"github.com/admsim/admsim/internal/report/words"
)

// Others says which requests there are besides the first one; it is empty if there are none.
func (l *Latency) Others() string {
	if l.Requests < 2 {
		return ""
	}
	return "and " + words.Plural(l.Requests-1, "more request") + ", each as often as any other"
}

// Sampling says how exactly the result is known.
func (l *Latency) Sampling() string {
	if len(l.Webhooks) == 0 && l.Mean.Duration == 0 {
		return "no webhook is called, so admission takes no time"
	}
	if !l.Random {
		return "nothing is random, so these times are exact"
	}
	return fmt.Sprintf("%s drawn with seed %d; in brackets: 95%% confidence intervals of the sampling", words.Plural(l.Samples, "answer"), l.Seed)
}

// DeniedNote says which requests are denied even if all webhooks are fast; it is empty if there are none.
func (l *Latency) DeniedNote() string {
	if len(l.Denials) == 0 {
		return ""
	}
	first := l.Denials[0]
	if l.Requests == 1 {
		return fmt.Sprintf("the request is denied by %s even if all webhooks are fast, so webhooks after it are not called; admsim run shows why", first.By)
	}
	return fmt.Sprintf("of %s, %s denied even if all webhooks are fast, so webhooks after that are not called; the first is %s, denied by %s",
		words.Plural(l.Requests, "request"), words.AreCounted(len(l.Denials), "is", "are"), first.Request, first.By)
}

// A ChanceOf is how likely something is.
type ChanceOf struct {
	What string
	Bad  bool // the request suffers from it
	Chance
}

// Chances returns how likely everything is that can go wrong.
func (l *Latency) Chances() []ChanceOf {
	all := []ChanceOf{
		{"a webhook does not answer in time", false, l.Timeout},
		{"the request passes unchecked", false, l.Unchecked},
		{"the request fails", true, l.Fails},
		{l.usedUp(), true, l.Over},
	}
	if len(l.Denials) > 0 {
		all = append(all, ChanceOf{"the request is denied anyway", true, l.Denied})
	}
	return all
}

func (l *Latency) usedUp() string {
	if l.Limit.Duration == 0 {
		return "all of its time is used up"
	}
	return "the server's " + l.Limit.Duration.String() + " limit is reached"
}

// Likely returns the probability as a percentage.
func (c Chance) Likely() string { return likely(c.Is) }

// Bounds returns the confidence interval.
func (c Chance) Bounds() string { return fmt.Sprintf("[%s, %s]", likely(c.Low), likely(c.High)) }

func likely(f float64) string {
	switch {
	case f == 0:
		return "0%"
	case f < 0.001:
		return fmt.Sprintf("%.2g%%", f*100)
	}
	return fmt.Sprintf("%.4g%%", f*100)
}

// Bounds returns the confidence interval.
func (p Percentile) Bounds() string {
	return fmt.Sprintf("[%s, %s]", words.Briefly(p.Low.Duration), words.Briefly(p.High.Duration))
}

// Title says how the webhooks of the phase are called.
func (p PhaseLatency) Title() string {
	if p.Phase == "validating" {
		return "validating, side by side"
	}
	return "mutating, one after the other"
}

// In returns the webhooks of a phase.
func (l *Latency) In(p PhaseLatency) (all []WebhookLatency) {
	plugin := MutatingWebhooks
	if p.Phase == "validating" {
		plugin = ValidatingWebhooks
	}
	for _, w := range l.Webhooks {
		if w.Webhook.Plugin == plugin {
			all = append(all, w)
		}
	}
	return all
}

// Title returns the name of the webhook, and how often it is called unless that is once.
func (w WebhookLatency) Title() string {
	if w.Calls > 1.0005 || w.Calls < 0.9995 {
		return fmt.Sprintf("%s (%.2f calls)", w.Webhook.String(), w.Calls)
	}
	return w.Webhook.String()
}

// A Remark is something to know about a webhook.
type Remark struct {
	Text string
	Bad  bool
}

// Remarks returns what there is to know about the webhook.
func (w WebhookLatency) Remarks(verbose bool) (all []Remark) {
	if w.Timeouts.Of > 0 {
		all = append(all, Remark{"does not answer in time in " + w.Timeouts.Likely() + " of its calls", true})
	}
	if w.Decides.Of > 0 && (verbose || w.Decides.Is > 0.5) {
		all = append(all, Remark{"is the slowest of those side by side in " + w.Decides.Likely() + " of the requests", false})
	}
	if !w.Known {
		all = append(all, Remark{"its latency is not known, and was taken to be what its backend says", false})
	}
	return all
}
