package patch

import "strings"

// Members are the members of a document that the patch may look at or change, by name. ok is
// false where that cannot be told, or is the whole document.
func (p Patch) Members() (names []string, ok bool) {
	for _, op := range p.ops {
		path, err := op.Path()
		if err != nil {
			return nil, false
		}
		if names, ok = withMember(names, path); !ok {
			return nil, false
		}
		if op["from"] == nil {
			continue
		}
		from, err := op.From()
		if err != nil {
			return nil, false
		}
		if names, ok = withMember(names, from); !ok {
			return nil, false
		}
	}
	return names, true
}

func withMember(names []string, pointer string) ([]string, bool) {
	rest, ok := strings.CutPrefix(pointer, "/")
	if !ok {
		return nil, false
	}
	name, _, _ := strings.Cut(rest, "/")
	if name == "" || strings.Contains(name, "~") {
		return nil, false
	}
	for _, known := range names {
		if known == name {
			return names, true
		}
	}
	return append(names, name), true
}
