package patch

import (
	"bytes"
	"encoding/json"
)

// equal is the comparison of a test operation. Objects and lists are compared by
// what they hold, everything else as it is written: 1 and 1.0 differ, and so do a
// character and its escape. Lists that hold null make the server panic.
func equal(a, b json.RawMessage) (bool, error) {
	switch a[0] {
	case '{':
		var am, bm map[string]json.RawMessage
		if json.Unmarshal(a, &am) != nil || json.Unmarshal(b, &bm) != nil {
			return false, nil
		}
		return equalMembers(am, bm)
	case '[':
		var as, bs []json.RawMessage
		if json.Unmarshal(a, &as) != nil || json.Unmarshal(b, &bs) != nil {
			return false, nil
		}
		return equalItems(as, bs)
	}
	return bytes.Equal(a, b), nil
}

func equalMembers(a, b map[string]json.RawMessage) (bool, error) {
	if len(a) != len(b) {
		return false, nil
	}
	for name, av := range a {
		bv, ok := b[name]
		if !ok || isNull(av) != isNull(bv) {
			return false, nil
		}
		if isNull(av) {
			continue
		}
		if same, err := equal(av, bv); !same {
			return false, err
		}
	}
	return true, nil
}

func equalItems(a, b []json.RawMessage) (bool, error) {
	if len(a) != len(b) {
		return false, nil
	}
	for i := range a {
		if isNull(a[i]) || isNull(b[i]) {
			return false, ErrPanic
		}
		if same, err := equal(a[i], b[i]); !same {
			return false, err
		}
	}
	return true, nil
}
