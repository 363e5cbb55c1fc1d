package fault

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/hint"
)

// Form is the syntax of a rule in one line.
const Form = "VERBS:RESOURCES:FAULT[,KEY=VALUE]..."

// ErrForm is the error for a line with another syntax.
var ErrForm = errors.New("want " + Form)

const example = "such as update:configmaps:conflict,every=3 or *:*:throttled,retryAfter=5 or get:pods:latency=2s"

var keys = []string{"after", "events", "every", "latency", "name", "namespace", "retryAfter", "times", "user"}

// Parse parses a rule that is written in one line.
func Parse(text string) (Rule, error) {
	parts := strings.SplitN(text, ":", 3)
	if len(parts) != 3 {
		return Rule{}, hint.Add(ErrForm, example)
	}
	r := Rule{Verbs: list(parts[0]), Resources: list(parts[1]), Source: "--fault " + text}
	for i, word := range strings.Split(parts[2], ",") {
		key, value, isPair := strings.Cut(strings.TrimSpace(word), "=")
		switch {
		case !isPair && i == 0:
			r.Kind = Kind(key)
			continue
		case !isPair:
			return r, hint.Add(fmt.Errorf("%q is no key with a value", word), example)
		}
		if err := r.set(key, value); err != nil {
			return r, err
		}
	}
	return r, r.explained()
}

// explained returns what is wrong with the rule, with a hint about how to fix it.
func (r Rule) explained() error {
	key, err := r.Check()
	if err == nil {
		return nil
	}
	switch key {
	case "fault":
		unknown := didyoumean.Unknown(fmt.Sprintf("unknown fault %q", r.Kind), string(r.Kind), Kinds())
		unknown.Else = "it is one of " + strings.Join(Kinds(), ", ")
		return unknown
	case "verbs":
		for _, verb := range r.Verbs {
			if meant := didyoumean.Nearest(verb, Verbs); meant != "" && meant != verb {
				return hint.Add(err, fmt.Sprintf("did you mean %q?", meant))
			}
		}
	}
	return err
}

func list(text string) (all []string) {
	for word := range strings.SplitSeq(text, ",") {
		all = append(all, strings.TrimSpace(word))
	}
	return all
}

func (r *Rule) set(key, value string) (err error) {
	number := func(to *int) {
		if *to, err = strconv.Atoi(value); err != nil || *to < 1 {
			err = fmt.Errorf("%s=%s: want a whole number from 1", key, value)
		}
	}
	switch key {
	case "after":
		number(&r.After)
	case "every":
		number(&r.Every)
	case "times":
		number(&r.Times)
	case "events":
		number(&r.Events)
	case "retryAfter":
		number(&r.RetryAfter)
	case "latency":
		if r.Latency, err = time.ParseDuration(value); err != nil || r.Latency <= 0 {
			err = hint.Add(fmt.Errorf("latency=%s: want a duration", value), "such as 20ms or 1m30s")
		}
	case "name":
		r.Names = append(r.Names, value)
	case "namespace":
		r.Namespaces = append(r.Namespaces, value)
	case "user":
		r.Users = append(r.Users, value)
	default:
		err = didyoumean.Unknown(fmt.Sprintf("unknown key %q", key), key, keys)
	}
	return err
}
