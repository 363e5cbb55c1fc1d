package patch

import (
	"encoding/json"
	"slices"
	"strings"
)

// Members lists the members of an object that a patch may read or change: their names, and for metadata, which is
// large, paths such as metadata.labels.
type Members []string

// Members returns the members that the patch may read or change. ok is false if they cannot be determined, or are all
// members.
func (p Patch) Members() (m Members, ok bool) {
	for _, op := range p.ops {
		path, err := op.Path()
		if err != nil || !m.add(path) {
			return nil, false
		}
		if op["from"] == nil {
			continue
		}
		if from, err := op.From(); err != nil || !m.add(from) {
			return nil, false
		}
	}
	return m, true
}

// MembersOf returns the members that a merge patch or strategic merge patch may read or change. ok is false if they
// cannot be determined.
func MembersOf(merge []byte) (m Members, ok bool) {
	var parts map[string]json.RawMessage
	if json.Unmarshal(merge, &parts) != nil || parts == nil {
		return nil, false
	}
	for name, part := range parts {
		var below map[string]json.RawMessage
		if name != "metadata" || json.Unmarshal(part, &below) != nil || below == nil {
			below = map[string]json.RawMessage{"": nil}
		}
		for child := range below {
			if strings.HasPrefix(name, "$") || strings.HasPrefix(child, "$") || !m.add(strings.TrimSuffix("/"+name+"/"+child, "/")) {
				return nil, false
			}
		}
	}
	slices.Sort(m)
	return m, true
}

// add adds the member that a JSON pointer points into.
func (m *Members) add(pointer string) bool {
	steps := strings.Split(pointer, "/")
	if len(steps) < 2 || steps[0] != "" || steps[1] == "" || strings.Contains(pointer, "~") {
		return false
	}
	name := steps[1]
	if name == "metadata" && len(steps) > 2 {
		if steps[2] == "" {
			return false
		}
		name = "metadata." + steps[2]
	}
	if !slices.Contains(*m, name) {
		*m = append(*m, name)
	}
	return true
}

// Below returns the members of metadata; whole is true if metadata as a whole is among the members.
func (m Members) Below() (names []string, whole bool) {
	for _, name := range m {
		if name == "metadata" {
			return nil, true
		}
		if child, ok := strings.CutPrefix(name, "metadata."); ok {
			names = append(names, child)
		}
	}
	return names, false
}
