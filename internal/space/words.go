package space

import (
	"fmt"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/space/diagram"
)

// words describes one product.
type words struct {
	*Space
	either bool // what is said about the object holds for the old or the new one, in updates

	namespace, object, old struct{ has, lacks []string }
	in, notIn              []string
	further                []string
	open                   []string
}

func (w *words) product(p diagram.Product) {
	for _, f := range p {
		w.factor(w.dimensions[f.Variable], f.Values)
	}
}

func (w *words) factor(d *dimension, values []int) {
	has := func(value int) bool { return slices.Contains(values, value) }
	switch d.is {
	case theNamespace:
		for value, p := range w.places {
			switch {
			case has(w.other()) && !has(value):
				w.notIn = append(w.notIn, p.names...)
			case !has(w.other()) && has(value):
				w.in = append(w.in, p.names...)
			}
		}
	case theLabel:
		to := &w.object
		switch d.of {
		case stored:
			to = &w.namespace
		case before:
			to = &w.old
		}
		w.label(d, has, &to.has, &to.lacks)
	case otherLabels:
		to := &w.object
		if d.of == before {
			to = &w.old
		}
		if has(1) {
			to.has = append(to.has, anotherLabel)
		} else {
			to.lacks = append(to.lacks, anotherLabel)
		}
	case theName:
		w.oneOf(has, w.names, "named ", true)
	case theUser:
		w.oneOf(has, w.users, "sent by ", false)
	case theGroup:
		w.whether(has(1), "sent by a member of "+d.key)
	case theDryRun:
		w.whether(has(1), "it is a dry run")
	case theCondition:
		w.condition(d, has)
	}
}

// label describes what a label has to be, or must not be.
func (w *words) label(d *dimension, has func(int) bool, yes, no *[]string) {
	known := w.values[d.key]
	var in, out []string
	for i, value := range known {
		if has(i + 1) {
			in = append(in, value)
		} else {
			out = append(out, value)
		}
	}
	absent, other := has(0), has(len(known)+1)
	switch {
	case absent && !other && len(in) == 0:
		*no = append(*no, d.key)
	case absent && other:
		*no = append(*no, labelText(d.key, out))
	case absent:
		*yes = append(*yes, labelText(d.key, in)+" or no label "+d.key)
	case other && len(out) == 0:
		*yes = append(*yes, d.key)
	case other:
		*yes = append(*yes, d.key)
		*no = append(*no, labelText(d.key, out))
	default:
		*yes = append(*yes, labelText(d.key, in))
	}
}

func labelText(key string, values []string) string {
	if len(values) == 1 {
		return key + "=" + values[0]
	}
	return fmt.Sprintf("%s in (%s)", key, strings.Join(values, ", "))
}

// oneOf describes a name: the first value stands for all other names, and the last, if any, for no name.
func (w *words) oneOf(has func(int) bool, known []string, verb string, optional bool) {
	var in, out []string
	for i, name := range known {
		if has(i + 1) {
			in = append(in, name)
		} else {
			out = append(out, name)
		}
	}
	if optional {
		if has(len(known) + 1) {
			in = append(in, "by the server")
		} else {
			out = append(out, "by the server")
		}
	}
	if has(0) {
		w.further = append(w.further, "unless "+verb+list(out, "or"))
		return
	}
	w.further = append(w.further, verb+list(in, "or"))
}

func (w *words) whether(is bool, what string) {
	if is {
		w.further = append(w.further, "if "+what)
	} else {
		w.further = append(w.further, "unless "+what)
	}
}

func (w *words) condition(d *dimension, has func(int) bool) {
	w.open = append(w.open, d.key)
	text := "`" + strings.Join(strings.Fields(d.key), " ") + "`"
	say := map[[3]bool]string{
		{true, false, false}: "if %s",
		{false, true, false}: "if %s is false",
		{false, false, true}: "if %s fails",
		{true, true, false}:  "unless %s fails",
		{true, false, true}:  "unless %s is false",
		{false, true, true}:  "unless %s",
	}
	canFail := d.count > fails
	w.further = append(w.further, fmt.Sprintf(say[[3]bool{has(isTrue), has(isFalse), has(fails) || !canFail && has(isFalse)}], text))
}

// parts returns the description.
func (w *words) parts() (parts []string) {
	if n := w.where(); n != "" {
		parts = append(parts, n)
	}
	if w.either {
		var has []string
		if len(w.object.has) > 0 {
			has = append(has, labelled(w.object.has, "and"))
		}
		for _, lacked := range w.object.lacks {
			has = append(has, lack(lacked))
		}
		if len(has) > 0 {
			parts = append(parts, "if the object has "+list(has, "and")+" (of an update, the old or the new one)")
		}
		return append(parts, w.further...)
	}
	object := "the object"
	if len(w.old.has)+len(w.old.lacks) > 0 {
		object = "the new object"
	}
	var has, lacks []string
	for _, o := range []struct {
		what       string
		has, lacks []string
	}{{object, w.object.has, w.object.lacks}, {"the old object", w.old.has, w.old.lacks}} {
		if len(o.has) > 0 {
			has = append(has, o.what+" has "+labelled(o.has, "and"))
		}
		if len(o.lacks) > 0 {
			lacks = append(lacks, o.what+" has "+labelled(o.lacks, "or"))
		}
	}
	if len(has) > 0 { // all in one part: two parts would read as if one were enough
		parts = append(parts, "if "+list(has, "and"))
	}
	if len(lacks) > 0 {
		parts = append(parts, "unless "+list(lacks, "or"))
	}
	return append(parts, w.further...)
}

// where describes the namespaces.
func (w *words) where() string {
	has, lacks := list(w.namespace.has, "and"), list(w.namespace.lacks, "or")
	text := ""
	switch {
	case len(w.in) > 0:
		text = "in namespace " + list(w.in, "or")
		if len(w.in) > 1 {
			text = "in namespaces " + list(w.in, "and")
		}
		if has != "" {
			text += " with " + has
		}
	case has != "":
		text = "in namespaces with " + has
	case lacks != "":
		text, lacks = "in namespaces without "+lacks, ""
	case len(w.notIn) > 0:
		return "in any namespace but " + list(w.notIn, "and")
	}
	if lacks != "" {
		text += " without " + lacks
	}
	if len(w.notIn) > 0 {
		text += " except " + list(w.notIn, "and")
	}
	return text
}

// anotherLabel is a label that no hook mentions.
const anotherLabel = "another label"

// labelled says what labels an object has.
func labelled(labels []string, conjunction string) string {
	var phrases, mentioned []string
	for _, l := range labels {
		if l != anotherLabel {
			mentioned = append(mentioned, l)
		}
	}
	switch {
	case len(mentioned) == 1 || len(mentioned) > 1 && conjunction == "or":
		phrases = append(phrases, "the label "+list(mentioned, conjunction))
	case len(mentioned) > 1:
		phrases = append(phrases, "the labels "+list(mentioned, conjunction))
	}
	if len(mentioned) < len(labels) {
		phrases = append(phrases, anotherLabel)
	}
	return list(phrases, conjunction)
}

// lack says that an object lacks a label.
func lack(label string) string {
	if label == anotherLabel {
		return "no other label"
	}
	return "no label " + label
}

func list(all []string, conjunction string) string {
	switch n := len(all); n {
	case 0:
		return ""
	case 1:
		return all[0]
	default:
		return strings.Join(all[:n-1], ", ") + " " + conjunction + " " + all[n-1]
	}
}
