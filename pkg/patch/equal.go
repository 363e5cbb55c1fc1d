package patch

import "bytes"

// equal compares values like a test operation. Objects and lists are compared by their contents, everything else as it
// is written: 1 and 1.0 differ, and so do a character and its escape. Null counts as equal to an empty object or list.
// Lists that contain null make the server panic.
func equal(a, b *node) (bool, error) {
	kind := a.kind()
	if kind != '{' && kind != '[' {
		return bytes.Equal(a.raw, b.raw), nil
	}
	if b.kind() != kind && !b.isNull() {
		return false, nil
	}
	a.open()
	b.open()
	if kind == '{' {
		return equalMembers(a.object, b.object)
	}
	return equalItems(a.list, b.list)
}

func equalMembers(a, b *object) (bool, error) {
	if a.len() != b.len() {
		return false, nil
	}
	for _, m := range a.members {
		if m.value == nil {
			continue // it was removed
		}
		value, ok := b.get(m.name)
		if !ok || m.value.isNull() != value.isNull() {
			return false, nil
		}
		if m.value.isNull() {
			continue
		}
		if same, err := equal(m.value, value); !same {
			return false, err
		}
	}
	return true, nil
}

func equalItems(a, b *list) (bool, error) {
	if a.len() != b.len() {
		return false, nil
	}
	for i, item := range a.all {
		other := b.get(i)
		if item.isNull() || other.isNull() {
			return false, ErrPanic
		}
		if same, err := equal(item, other); !same {
			return false, err
		}
	}
	return true, nil
}
