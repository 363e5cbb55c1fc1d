package report

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

func (o *Outage) text(p *page, verbose bool) {
	p.line(0, p.paint(p.bold, o.title()))
	if n := o.Denied.Requests; n > 0 {
		p.line(0, p.paint(p.faint, fmt.Sprintf("%s denied even when all webhooks answer; -v shows why", areCounted(n, "is", "are"))))
	}
	o.table(p, verbose)
	if verbose && o.Denied.Requests > 0 {
		p.line(0, "")
		p.line(0, p.paint(p.bold, "while all webhooks answer"))
		p.losses("are denied", p.bad, o.Denied, verbose)
	}
	for _, one := range o.Outages {
		if one.Fail.Requests+one.Unchecked.Requests+one.Delayed.Requests > 0 {
			one.text(p, verbose)
		}
	}
	for _, d := range o.Deadlocks {
		p.deadlock(d)
	}
	if o.Budget != nil {
		o.Budget.text(p)
	}
	for _, e := range o.Errors {
		p.labelled(0, p.bad, "undecided:", e.Request.String()+": "+e.Error)
	}
}

func (o *Outage) title() string {
	title := plural(o.Requests, "request") + ": " + o.Corpus
	if o.Undecided > 0 {
		title += fmt.Sprintf("; %s could not be answered", plural(o.Undecided, "more"))
	}
	return title
}

func areCounted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

// asked are the situations that matter to a request, and those in which no webhook in
// trouble is asked: all that is known of these is that the requests do not need them.
func (o *Outage) asked() (asked, never []OutageOf) {
	for _, one := range o.Outages {
		if one.Asked > 0 {
			asked = append(asked, one)
		} else {
			never = append(never, one)
		}
	}
	return asked, never
}

// table is the situations that matter to a request at a glance, and the names of the others.
func (o *Outage) table(p *page, verbose bool) {
	asked, never := o.asked()
	if len(asked) > 0 {
		p.rows(asked)
	}
	if len(never) == 0 {
		return
	}
	most := 5
	if verbose {
		most = len(never)
	}
	p.line(0, "")
	p.line(2, p.paint(p.changed, neverAsked)+": "+plural(len(never), "situation"))
	for _, one := range never[:min(most, len(never))] {
		p.line(4, one.title())
	}
	if n := len(never) - most; n > 0 {
		p.line(4, p.paint(p.faint, fmt.Sprintf("and %s more; -v names them", thousands(n))))
	}
	p.paragraph(2, p.faint, neverAskedHint)
}

const (
	neverAsked     = "never asked by these requests"
	neverAskedHint = "what they break for others is not known: name requests that they apply to, as manifests, recordings or suites"
)

// rows are situations at a glance.
func (p *page) rows(all []OutageOf) {
	p.line(0, "")
	wide := len("while")
	for _, one := range all {
		wide = max(wide, columns(one.title()))
	}
	p.line(2, p.paint(p.faint, padded("while", wide)+left("asked", 9)+left("fail", 9)+left("unchecked", 11)+left("up to", 9)))
	for _, one := range all {
		fail, unchecked := left(thousands(one.Fail.Requests), 9), left(thousands(one.Unchecked.Requests), 11)
		if one.Fail.Requests > 0 {
			fail = p.paint(p.bad, fail)
		}
		if one.Unchecked.Requests > 0 {
			unchecked = p.paint(p.changed, unchecked)
		}
		p.line(2, padded(one.title(), wide)+left(thousands(one.Asked), 9)+fail+unchecked+left(briefly(one.Longest.Duration), 9))
	}
}

// title is what is wrong, in a few words.
func (o OutageOf) title() string {
	switch {
	case o.Name != "":
		return o.Name
	case len(o.Troubles) == 1:
		return o.Troubles[0].words()
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
			words = o.first(words).words()
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

func (t WebhookTrouble) words() string { return t.Webhook.String() + " " + t.does(false) }

// does is what a webhook in trouble does, or several do.
func (t WebhookTrouble) does(several bool) string {
	say := map[string][2]string{
		"down": {"is down", "are down"}, "hang": {"hangs", "hang"}, "error": {"answers 500", "answer 500"},
		"bad-tls": {"has a bad certificate", "have a bad certificate"},
	}[t.Mode]
	if t.Latency != nil {
		say = [2]string{"takes " + briefly(t.Latency.Duration) + " longer", "take " + briefly(t.Latency.Duration) + " longer"}
	}
	if several {
		return say[1]
	}
	return say[0]
}

func (o OutageOf) text(p *page, verbose bool) {
	p.line(0, "")
	p.line(0, p.paint(p.bold, "while "+o.title()))
	for _, t := range o.Troubles {
		about := fmt.Sprintf("failurePolicy %s, timeout %ds", t.FailurePolicy, t.TimeoutSeconds)
		if len(o.Troubles) > 1 {
			about = t.words() + ": " + about
		}
		p.paragraph(2, p.faint, join(about, t.Webhook.Source))
	}
	p.losses("fail", p.bad, o.Fail, verbose)
	p.losses("pass unchecked", p.changed, o.Unchecked, verbose)
	p.losses("take longer", p.faint, o.Delayed, verbose)
}

func (p *page) losses(what, colour string, l Losses, verbose bool) {
	if l.Requests == 0 {
		return
	}
	p.line(2, p.paint(colour, plural(l.Requests, "request")+" "+pluralVerb(l.Requests, what)))
	most := 8
	if verbose {
		most = len(l.Samples)
	}
	said := map[string]bool{}
	for _, s := range l.Samples[:min(most, len(l.Samples))] {
		about := ""
		if s.Took.Duration > 0 {
			about = "after " + briefly(s.Took.Duration)
		}
		if s.Request.Label != "" {
			about = strings.TrimPrefix(about+", "+s.Request.Label, ", ")
		} else if s.Request.Source != "" {
			about = strings.TrimPrefix(about+", from "+s.Request.Source, ", ")
		}
		if s.Request.User != "" {
			about += " as " + s.Request.User
		}
		p.head(4, s.Request.String(), strings.TrimSpace(about))
		if s.Message != "" && (verbose || !said[s.Message]) {
			p.labelled(6, p.bad, "error:", s.Message)
			said[s.Message] = true
		}
		if s.Ignored {
			p.paragraph(6, p.changed, "though failurePolicy is Ignore: waiting took all the time that the request had")
		}
	}
	if n := l.Requests - min(most, len(l.Samples)); n > 0 {
		p.line(4, p.paint(p.faint, fmt.Sprintf("and %s more", thousands(n))))
	}
}

func pluralVerb(n int, what string) string {
	if n != 1 {
		return what
	}
	verb, rest, _ := strings.Cut(what, " ")
	if verb == "are" {
		verb = "is"
	} else if strings.HasSuffix(verb, "s") {
		verb += "es"
	} else {
		verb += "s"
	}
	return strings.TrimSpace(verb + " " + rest)
}

func (p *page) deadlock(d Deadlock) {
	p.line(0, "")
	kind := "deadlock"
	if len(d.Links) == 1 {
		kind = "self-deadlock"
	}
	p.line(0, p.paint(p.bad, kind)+p.paint(p.bold, ": once all of this is down, none of it comes up again"))
	for i, l := range d.Links {
		p.line(2, "Service "+l.Service)
		p.line(4, "← "+strings.Join(l.Workloads, ", "))
		for _, n := range l.Needs {
			p.line(6, fmt.Sprintf("%s needs %s", n.What, n.Webhook.String()))
		}
		next := d.Links[(i+1)%len(d.Links)].Service
		p.line(6, p.paint(p.faint, "which is Service "+next))
	}
	p.line(2, p.paint(p.bold, "to break it"))
	for _, way := range ways(d) {
		p.line(4, way.say)
		for _, row := range way.yaml {
			p.line(6, p.paint(p.good, row))
		}
	}
	p.line(4, "and where it has happened already, which lets requests pass until it is installed again:")
	for _, command := range d.commands() {
		p.line(6, p.paint(p.good, command))
	}
}

// commands take away what is in the way, each of them once.
func (d Deadlock) commands() (all []string) {
	for _, b := range d.Breaks {
		command := fmt.Sprintf("kubectl delete %s %s", strings.ToLower(configurationKind(b.Webhook)), b.Webhook.Configuration)
		if !slices.Contains(all, command) {
			all = append(all, command)
		}
	}
	return all
}

type wayOut struct {
	say  string
	yaml []string
}

// ways are how to break a deadlock: one namespace left out, by all webhooks that stand in
// the way of what is in it.
func ways(d Deadlock) (all []wayOut) {
	for _, l := range d.Links {
		namespace, _, _ := strings.Cut(l.Service, "/")
		names := make([]string, len(l.Needs))
		for i, n := range l.Needs {
			names[i] = join(n.Webhook.String(), n.Webhook.Source)
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
	if a.Plugin == mutatingWebhooks {
		return "MutatingWebhookConfiguration"
	}
	return "ValidatingWebhookConfiguration"
}

func (b *Budget) text(p *page) {
	p.line(0, "")
	p.line(0, p.paint(p.bold, "time"))
	verdict := fmt.Sprintf("within the %s that a request has", inSeconds(b.Limit.Duration))
	colour := p.good
	if b.Limit.Duration > 0 && b.Sum.Duration > b.Limit.Duration {
		verdict = fmt.Sprintf("and a request has %s: if they hang, it fails, whatever their failurePolicy (%s)", inSeconds(b.Limit.Duration), plural(b.Over, "request"))
		colour = p.bad
	}
	p.wrapped("  "+p.paint(colour, inSeconds(b.Sum.Duration))+"  ", 4+columns(inSeconds(b.Sum.Duration)), "", "is how long webhooks may take at most, "+verdict)
	p.head(4, b.Worst.String(), b.Worst.about())
	for _, t := range b.Serial {
		p.line(6, left(inSeconds(t.Timeout.Duration), 4)+"  "+t.Webhook.String()+roundWords(t.Webhook.Round)+p.paint(p.faint, "  one after the other"))
	}
	for _, t := range b.Parallel {
		p.line(6, left(inSeconds(t.Timeout.Duration), 4)+"  "+t.Webhook.String()+p.paint(p.faint, "  side by side"))
	}
}

func roundWords(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (round %d)", n+1)
}

func inSeconds(d time.Duration) string { return d.Round(time.Millisecond).String() }
