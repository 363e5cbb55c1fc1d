package scenario

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// any text.
const anyText = "*"

// readMatch reads a text that has to be, or a mapping of what it has to contain or match.
func readMatch(v value) *Match {
	m := &Match{Source: v.source()}
	switch is := v.is.(type) {
	case nil:
		return nil
	case string:
		m.Is = &is
		return m
	case map[string]any:
	default:
		v.errorf("put a text in quotes, or write one of is, contains, matches", "%s instead of a text or a mapping", typeName(v.is))
		return nil
	}
	if !v.mapping("is", "contains", "matches") {
		return nil
	}
	if is := v.at("is"); is.given() {
		m.Is = new(is.text())
	}
	m.Contains, m.Matches = textOrTexts(v.at("contains")), textOrTexts(v.at("matches"))
	for _, expression := range m.Matches {
		if _, err := regexp.Compile(expression); err != nil {
			v.at("matches").errorf("", "%v", err)
		}
	}
	if m.Is == nil && len(m.Contains)+len(m.Matches) == 0 {
		v.errorf("the text itself, or one of is, contains, matches", "nothing is expected of it")
	}
	return m
}

func textOrTexts(v value) []string {
	if _, isText := v.is.(string); isText {
		return []string{v.text()}
	}
	return v.texts()
}

func readMatches(v value) *Matches {
	if !v.given() {
		return nil
	}
	all := &Matches{Source: v.source()}
	for _, one := range v.listOfTexts() {
		switch m := readMatch(one); {
		case m == nil:
			if !one.given() {
				one.wrong("a text")
			}
		case m.Is != nil && *m.Is == anyText:
			all.Others = true
		default:
			all.Each = append(all.Each, *m)
		}
	}
	return all
}

// readNamedMatches reads what is expected under keys; {absent: true} that there is nothing.
func readNamedMatches(v value, read func(value) *Match) (all []NamedMatch) {
	if !anyMapping(v) {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(v.is.(map[string]any))) {
		one := v.key(key)
		if fields, ok := one.is.(map[string]any); ok && fields["absent"] != nil {
			one.mapping("absent")
			if !one.at("absent").flag() {
				one.at("absent").errorf("drop it, or write \"*\" for any text", "absent: false says nothing")
			}
			all = append(all, NamedMatch{Key: key, Match: Match{Source: one.source()}, Absent: true})
			continue
		}
		m := read(one)
		if m == nil {
			if !one.given() {
				one.errorf("\"*\" stands for any text, {absent: true} for none", "nothing is expected")
			}
			continue
		}
		all = append(all, NamedMatch{Key: key, Match: *m})
	}
	return all
}

// readPart reads a text that has to be in another one.
func readPart(v value) *Match {
	if text, isText := v.is.(string); isText && text != anyText {
		return &Match{Contains: []string{text}, Source: v.source()}
	}
	return readMatch(v)
}

// Holds reports whether text is as expected.
func (m Match) Holds(text string) bool {
	if m.Is != nil && *m.Is != anyText && *m.Is != text {
		return false
	}
	for _, part := range m.Contains {
		if !strings.Contains(text, part) {
			return false
		}
	}
	for _, expression := range m.Matches {
		if !regexp.MustCompile(expression).MatchString(text) {
			return false
		}
	}
	return true
}

// String is what is expected, in words.
func (m Match) String() string {
	text := ""
	add := func(more string) {
		if text != "" {
			text += ", "
		}
		text += more
	}
	if m.Is != nil {
		if *m.Is == anyText {
			add("any text")
		} else {
			add(fmt.Sprintf("%q", *m.Is))
		}
	}
	for _, part := range m.Contains {
		add(fmt.Sprintf("containing %q", part))
	}
	for _, expression := range m.Matches {
		add(fmt.Sprintf("matching %q", expression))
	}
	return text
}

func readTraceExpect(v value) *TraceExpect {
	keys := []string{"order", "called", "notCalled", "rounds", "skipped", "within"}
	if !v.saying("one of " + strings.Join(keys, ", ")).mapping(keys...) {
		return nil
	}
	t := &TraceExpect{
		Order:     readNames(v.at("order")),
		Called:    readNames(v.at("called")),
		NotCalled: readNames(v.at("notCalled")),
		Skipped:   readNamedMatches(v.at("skipped").saying("such as {policy.example.com: namespaceSelector}"), readPart),
		Source:    v.source(),
	}
	if rounds := v.at("rounds").saying("such as {policy.example.com: 1}"); anyMapping(rounds) {
		for _, name := range slices.Sorted(maps.Keys(rounds.is.(map[string]any))) {
			one := rounds.key(name)
			if !one.given() {
				one.wrong("a number")
			}
			t.Rounds = append(t.Rounds, NamedNumber{name, int(one.number(0, 2)), one.source()})
		}
	}
	if within := v.at("within"); within.given() {
		t.Within = new(within.duration())
	}
	return t
}

func readNames(v value) (all []NamedPlace) {
	for _, one := range v.saying("name some; notCalled names who is not to be called").listOfTexts() {
		if !one.given() {
			one.wrong("a name")
		}
		if name := one.text(); name != "" {
			checkName(one)
			all = append(all, NamedPlace{name, one.source()})
		}
	}
	return all
}

// decodeInto decodes what was encoded here.
func decodeInto(data []byte, into any) {
	if err := json.Unmarshal(data, into); err != nil {
		panic(fmt.Sprintf("an encoded value does not decode: %v", err))
	}
}
