package patch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	jsonpatch "github.com/evanphx/json-patch/v5"
)

// kube-apiserver applies JSON patches with version 4 of a library; this package uses version 5 for merge patches. The
// two differ in what they refuse and in their messages, and both decode a document again for much of what they do. So
// the steps below behave like version 4, but on a tree of this package, in time that grows with the sizes of document
// and patch.

// copyLimit is the most bytes that the copy operations of one patch may add up to: the default of
// kubernetes/apiserver:pkg/server/config.go, JSONPatchMaxCopyBytes.
const copyLimit = 3 * 1024 * 1024

// ErrPanic stands for patches at which a library of the server panics, and the server with it: a test of a list that
// contains null, or a strategic merge of a list whose items have lists as keys.
var ErrPanic = errors.New("runtime error: invalid memory address or nil pointer dereference")

// An OperationError is the error of an operation that does not apply. Its text is that of Err.
type OperationError struct {
	Index      int  // of the operation, from 0
	TestFailed bool // it is a test, and the value is another one
	Err        error
}

func (e *OperationError) Error() string { return e.Err.Error() }
func (e *OperationError) Unwrap() error { return e.Err }

// Apply returns the document changed by the patch. The patch applies as a whole or not at all. The error is an
// [OperationError], unless the document is wrong.
func (p Patch) Apply(doc []byte) ([]byte, error) {
	if len(doc) == 0 {
		return doc, nil
	}
	if err := checkDocument(doc); err != nil {
		return nil, err
	}
	doc = bytes.TrimSpace(doc)
	s := steps{doc: &node{raw: doc}, inParts: p.inParts, terse: p.terse}
	for i, op := range p.ops {
		err := s.step(op)
		if s.panics {
			err = ErrPanic
		}
		if err != nil {
			failed := &OperationError{i, errors.Is(err, jsonpatch.ErrTestFailed), err}
			if p.terse && !errors.Is(err, ErrPanic) {
				failed.Err = withoutContext(err)
			}
			return nil, failed
		}
	}
	if !s.changed {
		return doc, nil
	}
	var written, compact bytes.Buffer
	s.doc.write(&written)
	if err := json.Compact(&compact, written.Bytes()); err != nil {
		return nil, fmt.Errorf("writing the patched document: %w", err)
	}
	return compact.Bytes(), nil
}

// checkDocument refuses documents that are neither object nor list, with the messages of the decoder.
func checkDocument(doc []byte) error {
	if (doc[0] == '{' || doc[0] == '[') && json.Valid(doc) {
		return nil // the usual case, without decoding anything
	}
	type partialArray []json.RawMessage
	type partialDoc map[string]json.RawMessage
	if doc[0] == '[' {
		return json.Unmarshal(doc, new(partialArray))
	}
	return json.Unmarshal(doc, new(partialDoc))
}

// errorContext matches the context that errors give in addition to what went wrong.
var errorContext = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(error (in \w+ for (path|from): '[^']*'|while adding value during copy): )?(value was not a proper array index: '[^']*': )?|` +
		`: (missing value|invalid index referenced|test failed)$`)
})

// withoutContext rewrites an error without its context.
func withoutContext(err error) error {
	text := errorContext().ReplaceAllString(err.Error(), "")
	if strings.Contains(text, " operation does not apply: ") {
		text = "jsonpatch " + text
	}
	if rest, ok := strings.CutPrefix(text, "testing value "); ok {
		text = "Testing value " + rest
	}
	return errors.New(text)
}

// steps holds a document while a patch is applied.
type steps struct {
	doc     *node
	changed bool
	copied  int // bytes added by copy operations so far

	inParts, terse bool // see [Patch]
	panics         bool // the server's library panics
}

func (s *steps) step(op jsonpatch.Operation) error {
	switch kind := op.Kind(); kind {
	case "add":
		return s.add(op)
	case "remove":
		return s.remove(op)
	case "replace":
		return s.replace(op)
	case "move":
		return s.move(op)
	case "test":
		return s.test(op)
	case "copy":
		return s.copy(op)
	default:
		return fmt.Errorf("Unexpected kind: %s", kind)
	}
}

func (s *steps) path(op jsonpatch.Operation) (string, error) { return s.orUnknown(op.Path()) }
func (s *steps) from(op jsonpatch.Operation) (string, error) { return s.orUnknown(op.From()) }

// orUnknown returns a pointer that no location has, if an operation has no pointer and errors are terse.
func (s *steps) orUnknown(pointer string, err error) (string, error) {
	if err != nil && s.terse {
		return "unknown", nil
	}
	return pointer, err
}

func (s *steps) add(op jsonpatch.Operation) error {
	path, err := s.path(op)
	if err != nil {
		return fmt.Errorf("add operation failed to decode path: %w", jsonpatch.ErrMissing)
	}
	at, ok := s.find(path)
	if !ok {
		return fmt.Errorf("add operation does not apply: doc is missing path: \"%s\": %w", path, jsonpatch.ErrMissing)
	}
	value, err := nodeOf(op)
	if err == nil {
		err = s.insert(at, value)
	}
	if err != nil {
		return inContext(err, "error in add for path: '%s': %w", path)
	}
	return nil
}

func (s *steps) remove(op jsonpatch.Operation) error {
	path, err := s.path(op)
	if err != nil {
		return fmt.Errorf("remove operation failed to decode path: %w", jsonpatch.ErrMissing)
	}
	at, ok := s.find(path)
	if !ok {
		return fmt.Errorf("remove operation does not apply: doc is missing path: \"%s\": %w", path, jsonpatch.ErrMissing)
	}
	if err := s.erase(at); err != nil {
		return inContext(err, "error in remove for path: '%s': %w", path)
	}
	return nil
}

// replace adds a missing member if the object exists (W-208).
func (s *steps) replace(op jsonpatch.Operation) error {
	path, err := s.path(op)
	if err != nil {
		return fmt.Errorf("replace operation failed to decode path: %w", err)
	}
	if path == "" && !s.inParts {
		return s.replaceDocument(op)
	}
	at, ok := s.find(path)
	if !ok {
		return fmt.Errorf("replace operation does not apply: doc is missing path: %s: %w", path, jsonpatch.ErrMissing)
	}
	if _, err := s.value(at); err != nil {
		return fmt.Errorf("replace operation does not apply: doc is missing key: %s: %w", path, jsonpatch.ErrMissing)
	}
	value, err := nodeOf(op)
	if err != nil {
		return err
	}
	s.changed = true
	return at.overwrite(value)
}

func (s *steps) replaceDocument(op jsonpatch.Operation) error {
	raw, sent := op["value"]
	switch {
	case !sent:
		return ErrPanic
	case raw == nil || isScalar(*raw):
		// The server formats this message with a verb, but without an error.
		return errors.New("replace operation value must be object or array: %!w(<nil>)")
	}
	doc, err := newNode(*raw)
	if err != nil {
		return err
	}
	s.doc, s.changed = doc, true
	return nil
}

func (s *steps) move(op jsonpatch.Operation) error {
	from, err := s.from(op)
	if err != nil {
		return fmt.Errorf("move operation failed to decode from: %w", err)
	}
	at, ok := s.find(from)
	if !ok {
		return fmt.Errorf("move operation does not apply: doc is missing from path: %s: %w", from, jsonpatch.ErrMissing)
	}
	value, err := s.value(at)
	if err != nil {
		return fmt.Errorf("error in move for path: '%s': %w", at.key, err)
	}
	if err := s.erase(at); err != nil {
		return inContext(err, "error in move for path: '%s': %w", at.key)
	}
	path, err := s.path(op)
	if err != nil {
		return fmt.Errorf("move operation failed to decode path: %w", err)
	}
	to, ok := s.find(path)
	if !ok {
		return fmt.Errorf("move operation does not apply: doc is missing destination path: %s: %w", path, jsonpatch.ErrMissing)
	}
	if err := s.insert(to, value); err != nil {
		return inContext(err, "error in move for path: '%s': %w", path)
	}
	return nil
}

// copy copies a missing member as null.
func (s *steps) copy(op jsonpatch.Operation) error {
	from, err := s.from(op)
	if err != nil {
		return fmt.Errorf("copy operation failed to decode from: %w", err)
	}
	at, ok := s.find(from)
	if !ok {
		return fmt.Errorf("copy operation does not apply: doc is missing from path: %s: %w", from, jsonpatch.ErrMissing)
	}
	value, err := s.value(at)
	if err != nil {
		return fmt.Errorf("error in copy for from: '%s': %w", from, err)
	}
	path, err := s.path(op)
	if err != nil {
		return fmt.Errorf("copy operation failed to decode path: %w", jsonpatch.ErrMissing)
	}
	to, ok := s.find(path)
	if !ok {
		return fmt.Errorf("copy operation does not apply: doc is missing destination path: %s: %w", path, jsonpatch.ErrMissing)
	}
	if value.isNull() {
		value = newNull()
	} else if value, err = value.deepCopy(); err != nil {
		return fmt.Errorf("error while performing deep copy: %w", err)
	} else {
		s.copied += len(value.raw)
	}
	if s.copied > copyLimit {
		return jsonpatch.NewAccumulatedCopySizeError(copyLimit, int64(s.copied))
	}
	if err := s.insert(to, value); err != nil {
		return inContext(err, "error while adding value during copy: %w")
	}
	return nil
}

func (s *steps) test(op jsonpatch.Operation) error {
	path, err := s.path(op)
	if err != nil {
		return fmt.Errorf("test operation failed to decode path: %w", err)
	}
	raw, sent := op["value"]
	value := s.doc
	if path == "" && !s.inParts {
		if !sent {
			return ErrPanic
		}
	} else {
		at, ok := s.find(path)
		if !ok {
			return fmt.Errorf("test operation does not apply: is missing path: %s: %w", path, jsonpatch.ErrMissing)
		}
		if value, err = s.value(at); err != nil {
			return fmt.Errorf("error in test for path: '%s': %w", path, err)
		}
		if value.isNull() {
			value = nil
		}
	}
	holds := value == nil && raw == nil
	if value != nil && raw != nil {
		want, err := newNode(*raw)
		if err != nil {
			return err
		}
		if holds, err = equal(value, want); err != nil {
			return err
		}
	}
	if !holds {
		return fmt.Errorf("testing value %s failed: %w", path, jsonpatch.ErrTestFailed)
	}
	return nil
}

func (s *steps) insert(at location, value *node) error {
	s.changed = true
	return at.insert(value)
}

func (s *steps) erase(at location) error {
	s.changed = true
	return at.erase()
}

// inContext adds err as the last argument of a message. A panic is returned without a message.
func inContext(err error, format string, args ...any) error {
	if errors.Is(err, ErrPanic) {
		return err
	}
	return fmt.Errorf(format, append(args, err)...)
}

// valueOf returns the value that an operation writes: null if it has none.
func valueOf(op jsonpatch.Operation) json.RawMessage { return orNull(op["value"]) }

func nodeOf(op jsonpatch.Operation) (*node, error) { return newNode(valueOf(op)) }
