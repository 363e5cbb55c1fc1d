package patch

import (
	"encoding/json"
	"fmt"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
)

// insert sets a member of an object, or makes room for an item in a list.
func (s *steps) insert(at place, value json.RawMessage) error {
	if err := at.acceptsInsert(); err != nil {
		return err
	}
	return s.edit("add", at.pointer, value)
}

// overwrite sets a member of an object, or an item that a list has.
func (s *steps) overwrite(at place, value json.RawMessage) error {
	if at.within.isList {
		return s.edit("replace", at.pointer, value)
	}
	return s.insert(at, value)
}

// erase removes a member or an item.
func (s *steps) erase(at place) error {
	if err := at.acceptsErase(); err != nil {
		return err
	}
	for {
		if err := s.edit("remove", at.pointer, nil); err != nil {
			return err
		}
		// Of a member that is written twice the library removes one at a time.
		again, ok := find(s.doc, at.pointer)
		if at.within.isList || !ok || again.acceptsErase() != nil {
			return nil
		}
	}
}

// edit runs one operation that is known to apply.
func (s *steps) edit(op, pointer string, value json.RawMessage) error {
	doc, err := edit(s.doc, op, pointer, value)
	if err != nil {
		return fmt.Errorf("%s at %q, which should have applied: %w", op, pointer, err)
	}
	s.doc = doc
	return nil
}

func edit(doc []byte, op, pointer string, value json.RawMessage) ([]byte, error) {
	// The library takes an empty token in the middle of a pointer for the container
	// itself, so the member with the empty name is changed on its own and put back.
	if head, tail, ok := strings.Cut(pointer, "//"); ok {
		head, tail = head+"/", "/"+tail
		at, _ := find(doc, head)
		inner, err := at.value()
		if err != nil {
			return nil, err
		}
		if inner, err = edit(inner, op, tail, value); err != nil {
			return nil, err
		}
		return edit(doc, "add", head, inner)
	}
	o := jsonpatch.Operation{"op": quote(op), "path": quote(pointer)}
	if value != nil {
		o["value"] = &value
	}
	return jsonpatch.Patch{o}.ApplyWithOptions(doc, editOptions())
}

func editOptions() *jsonpatch.ApplyOptions {
	return &jsonpatch.ApplyOptions{
		SupportNegativeIndices: true,
		EscapeHTML:             false, // strings stay as they are written: a test compares them so
	}
}
