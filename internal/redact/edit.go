package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
)

// edit returns value with change applied to every part that steps lead to. Values on the way are copied, all others are
// shared. key is the key of value.
func edit(key string, value any, steps []step, change func(key string, value any) any) any {
	if len(steps) == 0 {
		return change(key, value)
	}
	switch value := value.(type) {
	case map[string]any:
		edited := maps.Clone(value)
		for _, k := range slices.Sorted(maps.Keys(value)) {
			if steps[0].matches(k) {
				edited[k] = edit(k, value[k], steps[1:], change)
			}
		}
		return edited
	case []any:
		edited := slices.Clone(value)
		for i, part := range value {
			if k := strconv.Itoa(i); steps[0].matches(k) {
				edited[i] = edit(k, part, steps[1:], change)
			}
		}
		return edited
	}
	return value
}

// with returns object with another value for key.
func with(object map[string]any, key string, value any) map[string]any {
	object = maps.Clone(object)
	object[key] = value
	return object
}

// decode reads one JSON value and keeps its numbers as they are.
func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more than one JSON value")
	}
	return nil
}

func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
