package roles

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Table returns the objects of the releases in the form of roles.txt.
func Table(releases []Release) (string, error) {
	objects := map[string]*object{}
	for i := len(releases) - 1; i >= 0; i-- { // the newest release determines the order
		r := releases[i]
		for _, key := range slices.Sorted(maps.Keys(r.All)) {
			lines, err := r.lines(key)
			if err != nil {
				return "", fmt.Errorf("1.%d: %s: %w", r.Minor, key, err)
			}
			head := key
			if role := r.All[key].RoleRef.Name; role != "" {
				head += " " + role
			}
			head = withGates(head, r.gatesOf(key))
			if objects[head] == nil {
				objects[head] = &object{head: head}
			}
			objects[head].merge(r.Minor, lines)
		}
	}
	var all []int
	for _, r := range releases {
		all = append(all, r.Minor)
	}
	var text strings.Builder
	for _, head := range slices.Sorted(maps.Keys(objects)) {
		objects[head].write(&text, all)
	}
	return text.String(), nil
}

func withGates(line string, gates []string) string {
	for _, g := range gates {
		line += " +" + g
	}
	return line
}

// gatesOf returns the gates without which the release does not create an object.
func (r Release) gatesOf(key string) (gates []string) {
	for _, g := range slices.Sorted(maps.Keys(r.Without)) {
		if _, ok := r.Without[g][key]; !ok {
			gates = append(gates, g)
		}
	}
	return gates
}

// lines returns the content of an object, with the gates that each line needs.
func (r Release) lines(key string) ([]string, error) {
	lines, err := r.All[key].lines()
	if err != nil {
		return nil, err
	}
	gates := make([][]string, len(lines))
	for _, g := range slices.Sorted(maps.Keys(r.Without)) {
		less, ok := r.Without[g][key]
		if !ok {
			continue // the object's own gate
		}
		left, err := less.lines()
		if err != nil {
			return nil, err
		}
		if err := mark(lines, gates, left, g); err != nil {
			return nil, err
		}
	}
	for i := range lines {
		lines[i] = withGates(lines[i], gates[i])
	}
	return lines, nil
}

// mark adds the gate to the lines that are missing without it, and to the last items of a line that has fewer items
// without it.
func mark(lines []string, gates [][]string, left []string, gate string) error {
	if len(left) == len(lines) {
		for i, l := range lines {
			if plain(l) != left[i] {
				shorter, ok := markItems(l, left[i], gate)
				if !ok {
					return fmt.Errorf("without %s, %q is %q", gate, l, left[i])
				}
				lines[i] = shorter
			}
		}
		return nil
	}
	j := 0
	for i, l := range lines {
		if j < len(left) && plain(l) == left[j] {
			j++
			continue
		}
		gates[i] = append(gates[i], gate)
	}
	if j < len(left) {
		return fmt.Errorf("without %s there is %q", gate, left[j])
	}
	return nil
}

// plain returns a line with its items as they are with all gates on.
func plain(line string) string {
	items := strings.Split(line, ",")
	for i, item := range items {
		items[i], _, _ = strings.Cut(item, "?")
	}
	return strings.Join(items, ",")
}

// markItems adds the gate to those items of the last list that are missing without it.
func markItems(line, left, gate string) (string, bool) {
	at := strings.LastIndexByte(line, ' ')
	if !strings.HasPrefix(left, line[:at+1]) {
		return "", false
	}
	items, kept := strings.Split(line[at+1:], ","), strings.Split(left[at+1:], ",")
	j := 0
	for i, item := range items {
		if j < len(kept) && plain(item) == kept[j] {
			j++
			continue
		}
		if strings.Contains(item, "?") {
			items[i] += "+" + gate
		} else {
			items[i] += "?" + gate
		}
	}
	return line[:at+1] + strings.Join(items, ","), j == len(kept)
}

// lines returns the content of an object.
func (o Object) lines() (lines []string, err error) {
	for key, value := range o.Metadata.Labels {
		switch {
		case key == "kubernetes.io/bootstrapping" && value == "rbac-defaults":
		case value == "true":
			lines = append(lines, "label "+key)
		default:
			err = fmt.Errorf("label %s=%s", key, value)
		}
	}
	slices.Sort(lines)
	if len(o.Metadata.Annotations) != 1 || o.Metadata.Annotations["rbac.authorization.kubernetes.io/autoupdate"] != "true" {
		err = fmt.Errorf("annotations %v", o.Metadata.Annotations)
	}
	if a := o.AggregationRule; a != nil {
		for _, s := range a.ClusterRoleSelectors {
			for key, value := range s.MatchLabels {
				if value != "true" || len(s.MatchLabels) != 1 {
					err = fmt.Errorf("selector %v", s.MatchLabels)
				}
				lines = append(lines, "aggregates "+key)
			}
		}
	}
	for _, r := range o.Rules {
		if len(r.NonResourceURLs) > 0 {
			lines = append(lines, fmt.Sprintf("url %s %s", join(r.Verbs), join(r.NonResourceURLs)))
			continue
		}
		line := fmt.Sprintf("may %s %s %s", join(r.Verbs), join(r.APIGroups), join(r.Resources))
		if len(r.ResourceNames) > 0 {
			line += " " + join(r.ResourceNames)
		}
		lines = append(lines, line)
	}
	for _, s := range o.Subjects {
		switch s.Kind {
		case "ServiceAccount":
			lines = append(lines, "account "+s.Namespace+"/"+s.Name)
		default:
			lines = append(lines, strings.ToLower(s.Kind)+" "+s.Name)
		}
	}
	return lines, err
}

func join(list []string) string {
	words := slices.Clone(list)
	for i, w := range words {
		words[i] = cmp.Or(w, "core")
	}
	return strings.Join(words, ",")
}

// An object is the union of an object in all releases.
type object struct {
	head   string
	minors []int
	lines  []*line
}

type line struct {
	text   string
	minors []int
}

// merge adds what a release has of the object. A line that other releases have at another position is repeated.
func (o *object) merge(minor int, lines []string) {
	o.minors = append(o.minors, minor)
	at := 0
	for _, text := range lines {
		found := slices.IndexFunc(o.lines[at:], func(l *line) bool { return l.text == text })
		if found < 0 {
			o.lines = slices.Insert(o.lines, at, &line{text: text})
			found = 0
		}
		at += found
		o.lines[at].minors = append(o.lines[at].minors, minor)
		at++
	}
}

func (o *object) write(w *strings.Builder, all []int) {
	fmt.Fprintf(w, "%s%s\n", o.head, spans(o.minors, all))
	for _, l := range o.lines {
		fmt.Fprintf(w, "\t%s%s\n", l.text, spans(l.minors, o.minors))
	}
}

// spans formats the minor versions among of that have something, or returns "" if all do.
func spans(minors, of []int) string {
	if len(minors) == len(of) {
		return ""
	}
	minors = slices.Sorted(slices.Values(minors))
	var parts []string
	newest := slices.Max(of)
	for i := 0; i < len(minors); {
		j := i
		for j+1 < len(minors) && minors[j+1] == minors[j]+1 {
			j++
		}
		switch {
		case minors[j] == newest:
			parts = append(parts, fmt.Sprintf("%d-", minors[i]))
		case i == j:
			parts = append(parts, fmt.Sprint(minors[i]))
		default:
			parts = append(parts, fmt.Sprintf("%d-%d", minors[i], minors[j]))
		}
		i = j + 1
	}
	return " @" + strings.Join(parts, ",")
}
