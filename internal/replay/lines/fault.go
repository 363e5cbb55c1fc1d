package lines

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// atFault returns the webhooks that caused the differences of a line. Differences also mention webhooks that did not:
// those that did the same at another position, those that one side did not reach because the request had ended before,
// and those that one side called again because another webhook had changed the object.
func (l *Line) atFault() []string {
	fault, again := map[string]bool{}, map[string]bool{}
	over := l.overIn()
	for n, said := range l.notes() {
		switch {
		case said[inCluster] == said[inAdmsim]:
		case said[inCluster] != "" && said[inAdmsim] != "":
			fault[n.webhook] = true
		case over != inNeither && said[over] == "":
		case n.round != firstRound:
			again[n.webhook] = true
		default:
			fault[n.webhook] = true
		}
	}
	for _, d := range l.Differences {
		if d.Webhook != "" && !d.notes() {
			fault[l.called(d.Webhook)] = true
		}
	}
	if len(fault) == 0 {
		fault = again
	}
	return slices.Sorted(maps.Keys(fault))
}

// A side is one of the two sides that are compared.
type side int

const (
	inCluster side = iota
	inAdmsim
	inNeither
)

// overIn returns the side that denied what the other allowed.
func (l *Line) overIn() side {
	for _, d := range l.Differences {
		switch {
		case d.What != Allowed:
		case string(d.Recorded) == "true":
			return inAdmsim
		default:
			return inCluster
		}
	}
	return inNeither
}

const firstRound = "0"

// A note is the subject of an annotation: mutation.webhook.admission.k8s.io/round_0_index_1 says that a webhook was
// called in a round, and others say what it did.
type note struct{ sort, round, webhook string }

// notes returns what the differing annotations say about webhooks, on each side.
func (l *Line) notes() map[note][2]string {
	all := map[note][2]string{}
	for _, d := range l.Differences {
		if !d.notes() {
			continue
		}
		sort, place, _ := strings.Cut(d.Path, HookAnnotation)
		round, _, _ := strings.Cut(place, "_")
		for side, raw := range [2]json.RawMessage{d.Recorded, d.Simulated} {
			var said string
			if json.Unmarshal(raw, &said) != nil || said == "" {
				continue // nothing
			}
			n := note{sort, round, l.called(WebhookIn(d.Path, said))}
			both := all[n]
			both[side] = said
			all[n] = both
		}
	}
	return all
}

// notes reports whether a difference is about a note.
func (d *Difference) notes() bool {
	return (d.What == Webhooks || d.What == Patches) && strings.Contains(d.Path, HookAnnotation)
}

// called returns the name of a webhook with its configuration, which not all annotations contain.
func (l *Line) called(webhook string) string {
	for _, name := range l.Webhooks {
		if strings.HasSuffix(name, "/"+webhook) {
			return name
		}
	}
	return webhook
}

// HookAnnotation is part of the names of annotations about the call of a webhook.
const HookAnnotation = ".webhook.admission.k8s.io/round_"

// WebhookIn returns the webhook that an annotation is about.
func WebhookIn(key string, values ...string) string {
	if !strings.Contains(key, HookAnnotation) {
		return ""
	}
	for _, v := range values {
		var named struct{ Configuration, Webhook string }
		if json.Unmarshal([]byte(v), &named) == nil && named.Webhook != "" {
			return named.Configuration + "/" + named.Webhook
		}
		if v != "" {
			return v
		}
	}
	return ""
}
