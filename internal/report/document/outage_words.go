package document

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/report/words"
)

func (o *Outage) Title() string {
	title := words.Plural(o.Requests, "request") + ": " + o.Corpus
	if o.Undecided > 0 {
		title += fmt.Sprintf("; %s could not be answered", words.Plural(o.Undecided, "more"))
	}
	return title
}

// Situations returns the situations that matter to a request, and those in which no webhook in trouble is asked. All
// that is known about the latter is that the requests do not need the webhooks.
func (o *Outage) Situations() (asked, never []OutageOf) {
	for _, one := range o.Outages {
		if one.Asked > 0 {
			asked = append(asked, one)
		} else {
			never = append(never, one)
		}
	}
	return asked, never
}

const (
	NeverAsked     = "whose webhooks these requests never reach"
	NeverAskedHint = "what they break for others is not known: name requests that they apply to, as manifests, recordings or suites"
)

// Title describes the situation in a few words.
func (o OutageOf) Title() string {
	switch {
	case o.Name != "":
		return o.Name
	case len(o.Troubles) == 1:
		return o.Troubles[0].Words()
	}
	var order []string
	count := map[string]int{}
	for _, t := range o.Troubles {
		words := t.does(true)
		if count[words]++; count[words] == 1 {
			order = append(order, words)
		}
	}
	for i, words := range order {
		if n := count[words]; n == 1 {
			words = o.first(words).Words()
		} else {
			words = fmt.Sprintf("%d webhooks %s", n, words)
		}
		order[i] = words
	}
	return strings.Join(order, ", ")
}

func (o OutageOf) first(words string) WebhookTrouble {
	for _, t := range o.Troubles {
		if t.does(true) == words {
			return t
		}
	}
	return WebhookTrouble{}
}

func (t WebhookTrouble) Words() string { return t.Webhook.String() + " " + t.does(false) }

// Limits says what becomes of a request that needs the webhook, and after which time.
func (t WebhookTrouble) Limits() string {
	timeout := fmt.Sprintf("timeout %ds", t.TimeoutSeconds)
	if t.FailurePolicy == "" {
		return timeout
	}
	return "failurePolicy " + t.FailurePolicy + ", " + timeout
}

// does describes what one webhook in trouble, or several, do.
func (t WebhookTrouble) does(several bool) string {
	say := map[string][2]string{
		"down": {"is down", "are down"}, "hang": {"hangs", "hang"}, "error": {"answers 500", "answer 500"},
		"bad-tls": {"has a bad certificate", "have a bad certificate"},
	}[t.Mode]
	if t.Latency != nil {
		say = [2]string{"takes " + words.Briefly(t.Latency.Duration) + " longer", "take " + words.Briefly(t.Latency.Duration) + " longer"}
	}
	if several {
		return say[1]
	}
	return say[0]
}

// Commands returns the commands that remove the obstacles, each once.
func (d Deadlock) Commands() (all []string) {
	for _, b := range d.Breaks {
		command := fmt.Sprintf("kubectl delete %s %s", strings.ToLower(configurationKind(b.Webhook)), b.Webhook.Configuration)
		if !slices.Contains(all, command) {
			all = append(all, command)
		}
	}
	return all
}

type wayOut struct {
	Say  string
	Yaml []string
}

// Ways returns how to break a deadlock: all webhooks that block the objects in one namespace exclude that namespace.
func Ways(d Deadlock) (all []wayOut) {
	for _, l := range d.Links {
		namespace, _, _ := strings.Cut(l.Service, "/")
		names := make([]string, len(l.Needs))
		for i, n := range l.Needs {
			names[i] = words.Join(n.Webhook.String(), n.Webhook.Source)
		}
		say := fmt.Sprintf("leave namespace %s out of %s:", namespace, strings.Join(names, " and "))
		if len(all) > 0 {
			say = "or " + say
		}
		all = append(all, wayOut{say, []string{
			"namespaceSelector:",
			"  matchExpressions:",
			"  - {key: kubernetes.io/metadata.name, operator: NotIn, values: [" + namespace + "]}",
		}})
	}
	return all
}

func configurationKind(a Actor) string {
	if a.Plugin == MutatingWebhooks {
		return "MutatingWebhookConfiguration"
	}
	return "ValidatingWebhookConfiguration"
}

func RoundWords(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (round %d)", n+1)
}

func InSeconds(d time.Duration) string { return d.Round(time.Millisecond).String() }
