package moved

// A Format defines how to read and change one type of schema, so that fields can be moved to the places of a release.
type Format[S any] struct {
	Field   func(s S, name string) (field S, ok bool) // of an object
	Element func(s S) (element S, ok bool)            // of a list or a map
	Object  func(fields map[string]S) S               // a new object
	Map     func(element S) S                         // a new map
	// Replace removes fields from an object and adds another field.
	Replace func(s S, without []string, name string, field S)
}

// Reshape moves the fields in the schema of a kind from the places of the types to those of the release. Schemas that
// several kinds share may have been changed already.
func (m Format[S]) Reshape(s S, f Fields) {
	for _, g := range f.groups {
		in, ok := m.follow(s, g.in)
		if !ok {
			continue
		}
		var hidden []string
		var leaves []leafAt[S]
		for _, p := range g.fields {
			if leaf, ok := m.follow(in, p.is); ok {
				leaves = append(leaves, leafAt[S]{p.was[1:], leaf})
				hidden = append(hidden, p.is[0].Name)
			}
		}
		if len(leaves) > 0 {
			m.Replace(in, hidden, g.was, m.build(leaves))
		}
	}
}

// A leafAt is the schema of the value at a path.
type leafAt[S any] struct {
	path fieldPath
	of   S
}

func (m Format[S]) follow(s S, p fieldPath) (found S, ok bool) {
	for _, step := range p {
		if step.In == member {
			s, ok = m.Field(s, step.Name)
		} else {
			s, ok = m.Element(s)
		}
		if !ok {
			return s, false
		}
	}
	return s, true
}

// build returns the schema of a value that has these leaves.
func (m Format[S]) build(leaves []leafAt[S]) S {
	if len(leaves[0].path) == 0 {
		return leaves[0].of
	}
	if leaves[0].path[0].In == entries {
		var below []leafAt[S]
		for _, l := range leaves {
			below = append(below, leafAt[S]{l.path[1:], l.of})
		}
		return m.Map(m.build(below))
	}
	byName := map[string][]leafAt[S]{}
	for _, l := range leaves {
		name := l.path[0].Name
		byName[name] = append(byName[name], leafAt[S]{l.path[1:], l.of})
	}
	fields := map[string]S{}
	for name, below := range byName {
		fields[name] = m.build(below)
	}
	return m.Object(fields)
}
