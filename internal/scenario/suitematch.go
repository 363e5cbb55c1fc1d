package scenario

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/manifest"
)

// anyText stands for any text.
const anyText = "*"

// readMatch reads the exact text that is expected, or a mapping of what it has to contain or match.
func readMatch(v manifest.Value) *Match {
	m := &Match{Source: v.Source()}
	switch is := v.Is.(type) {
	case nil:
		return nil
	case string:
		m.Is = &is
		return m
	case map[string]any:
	default:
		v.Errorf("put a text in quotes, or write one of is, contains, matches", "%s instead of a text or a mapping", manifest.TypeName(v.Is))
		return nil
	}
	if !v.Mapping("is", "contains", "matches") {
		return nil
	}
	if is := v.At("is"); is.Given() {
		m.Is = new(is.Text())
	}
	m.Contains, m.Matches = textOrTexts(v.At("contains")), textOrTexts(v.At("matches"))
	for _, expression := range m.Matches {
		if _, err := regexp.Compile(expression); err != nil {
			v.At("matches").Errorf("", "%v", err)
		}
	}
	if m.Is == nil && len(m.Contains)+len(m.Matches) == 0 {
		v.Errorf("the text itself, or one of is, contains, matches", "nothing is expected of it")
	}
	return m
}

func textOrTexts(v manifest.Value) []string {
	if _, isText := v.Is.(string); isText {
		return []string{v.Text()}
	}
	return v.Texts()
}

func readMatches(v manifest.Value) *Matches {
	if !v.Given() {
		return nil
	}
	all := &Matches{Source: v.Source()}
	for _, one := range v.ListOfTexts() {
		switch m := readMatch(one); {
		case m == nil:
			if !one.Given() {
				one.Wrong("a text")
			}
		case m.Is != nil && *m.Is == anyText:
			all.Others = true
		default:
			all.Each = append(all.Each, *m)
		}
	}
	return all
}

// readNamedMatches reads what is expected under each key; {absent: true} says that the key must not exist.
func readNamedMatches(v manifest.Value, read func(manifest.Value) *Match) (all []NamedMatch) {
	if !manifest.AnyMapping(v) {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(v.Is.(map[string]any))) {
		one := v.Key(key)
		if fields, ok := one.Is.(map[string]any); ok && fields["absent"] != nil {
			one.Mapping("absent")
			if !one.At("absent").Flag() {
				one.At("absent").Errorf("drop it, or write \"*\" for any text", "absent: false says nothing")
			}
			all = append(all, NamedMatch{Key: key, Match: Match{Source: one.Source()}, Absent: true})
			continue
		}
		m := read(one)
		if m == nil {
			if !one.Given() {
				one.Errorf("\"*\" stands for any text, {absent: true} for none", "nothing is expected")
			}
			continue
		}
		all = append(all, NamedMatch{Key: key, Match: *m})
	}
	return all
}

// readPart reads a text that another text has to contain.
func readPart(v manifest.Value) *Match {
	if text, isText := v.Is.(string); isText && text != anyText {
		return &Match{Contains: []string{text}, Source: v.Source()}
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

// String describes the expectation.
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

func readTraceExpect(v manifest.Value) *TraceExpect {
	keys := []string{"order", "called", "notCalled", "rounds", "skipped", "within"}
	if !v.Saying("one of " + strings.Join(keys, ", ")).Mapping(keys...) {
		return nil
	}
	t := &TraceExpect{
		Order:     readNames(v.At("order")),
		Called:    readNames(v.At("called")),
		NotCalled: readNames(v.At("notCalled")),
		Skipped:   readNamedMatches(v.At("skipped").Saying("such as {policy.example.com: namespaceSelector}"), readPart),
		Source:    v.Source(),
	}
	if rounds := v.At("rounds").Saying("such as {policy.example.com: 1}"); manifest.AnyMapping(rounds) {
		for _, name := range slices.Sorted(maps.Keys(rounds.Is.(map[string]any))) {
			one := rounds.Key(name)
			if !one.Given() {
				one.Wrong("a number")
			}
			t.Rounds = append(t.Rounds, NamedNumber{name, int(one.Number(0, 2)), one.Source()})
		}
	}
	if within := v.At("within"); within.Given() {
		t.Within = new(within.Duration())
	}
	return t
}

func readNames(v manifest.Value) (all []NamedPlace) {
	for _, one := range v.Saying("name some; notCalled names who is not to be called").ListOfTexts() {
		if !one.Given() {
			one.Wrong("a name")
		}
		if name := one.Text(); name != "" {
			checkName(one)
			all = append(all, NamedPlace{name, one.Source()})
		}
	}
	return all
}

// decodeInto decodes data that this package encoded.
func decodeInto(data []byte, into any) {
	if err := json.Unmarshal(data, into); err != nil {
		panic(fmt.Sprintf("an encoded value does not decode: %v", err))
	}
}
