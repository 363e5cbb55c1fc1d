package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// A document is one JSON object in a stream: a line, several lines, or an element of a list.
type document struct {
	Position
	raw    []byte
	fields []field
}

// A field holds where a top-level field of a document begins and ends.
type field struct{ key, keyEnd, value, end int }

func (d *document) key(f field) string   { return unquote(d.raw[f.key:f.keyEnd]) }
func (d *document) value(f field) []byte { return d.raw[f.value:f.end] }

// A BrokenError describes a piece of a source that cannot be read. The piece ends at the next line that begins an
// object.
type BrokenError struct {
	Position
	Lines int // how many lines are skipped
	Err   error
	Code  Code // Broken, Damaged or Invalid
	// Elsewhere is set if another shard counts the error.
	Elsewhere bool
}

func (e *BrokenError) Error() string { return fmt.Sprintf("%s: %s", e.Position, e.Err) }

func (e *BrokenError) Unwrap() error { return e.Err }

const (
	firstBuffer = 256 << 10
	largest     = 64 << 20
)

var errTooLarge = errors.New("too large")

// A splitter cuts a stream into documents. It never holds more than one element of a list.
type splitter struct {
	in     io.Reader
	at     Position // position of buf[start]
	max    int      // largest size of a document, in bytes
	buf    []byte
	start  int
	end    int
	readTo error // io.EOF or the error that ended the stream

	inList bool // inside the brackets of a list
	items  bool // the list is the items field of an object
	first  bool // no element of the list was read yet
}

func newSplitter(in io.Reader, at Position, max int) *splitter {
	if max == 0 {
		max = largest
	}
	at.Line = 1
	return &splitter{in: in, at: at, max: max, buf: make([]byte, min(firstBuffer, max))}
}

func (s *splitter) window() []byte { return s.buf[s.start:s.end] }

// next returns the next document, io.EOF after the last one, or a *BrokenError. It can be called again after a
// *BrokenError.
func (s *splitter) next() (document, error) {
	for {
		if !s.skipSpace() {
			return s.atEnd()
		}
		if s.inList {
			done, err := s.separator()
			if err != nil {
				return document{}, s.broken(err, 0)
			}
			if done {
				continue
			}
		}
		d, entered, err := s.object()
		if err != nil || !entered {
			return d, err
		}
	}
}

// atEnd returns the result at the end of the stream.
func (s *splitter) atEnd() (document, error) {
	switch {
	case s.readTo != io.EOF:
		err := s.readTo
		s.readTo = io.EOF
		s.inList = false
		return document{}, &BrokenError{Position: s.at, Err: err, Code: Damaged}
	case s.inList:
		s.inList = false
		return document{}, &BrokenError{Position: s.at, Err: errShort, Code: Broken}
	}
	return document{}, io.EOF
}

// object reads the object that begins here. If it turns out to be a list, the splitter enters the list instead.
func (s *splitter) object() (d document, entered bool, err error) {
	if c := s.buf[s.start]; c == '[' && !s.inList {
		s.advance(1)
		s.inList, s.items, s.first = true, false, true
		return d, true, nil
	} else if c != '{' {
		return d, false, s.broken(unexpected(s.buf, s.start, "where an object should begin"), 0)
	}
	for {
		fields, end, list, err := scanObject(s.window(), !s.inList)
		switch {
		case err == errShort && s.more():
			continue
		case err == errShort && s.readTo != nil && s.readTo != io.EOF: // reported once, here
			err, s.readTo = s.readTo, io.EOF
			damage := s.broken(err, end)
			damage.Code = Damaged
			return d, false, damage
		case err == errShort && s.readTo == nil:
			return d, false, s.broken(fmt.Errorf("%w: more than %d bytes", errTooLarge, s.max), 0)
		case err != nil:
			return d, false, s.broken(err, end)
		case list:
			s.advance(end)
			s.inList, s.items, s.first = true, true, true
			return d, true, nil
		}
		d = document{Position: s.at, raw: bytes.Clone(s.window()[:end]), fields: fields}
		s.advance(end)
		return d, false, nil
	}
}

// scanObject finds the fields of the object at the beginning of data. If lists is set and the object is a list, it
// stops after the bracket that opens its items.
func scanObject(data []byte, lists bool) (fields []field, end int, list bool, err error) {
	i := skipSpace(data, 1)
	if i < len(data) && data[i] == '}' {
		return nil, i + 1, false, nil
	}
	fields = make([]field, 0, 20)
	for {
		f := field{key: i}
		if f.keyEnd, f.value, err = skipKey(data, i); err != nil {
			return nil, f.value, false, err
		}
		if lists && f.value < len(data) && data[f.value] == '[' && string(data[f.key:f.keyEnd]) == `"items"` {
			return fields, f.value + 1, true, nil
		}
		if f.end, err = skipValue(data, f.value, 1); err != nil {
			return nil, f.end, false, err
		}
		fields = append(fields, f)
		if i = skipSpace(data, f.end); i >= len(data) {
			return nil, i, false, errShort
		}
		if data[i] == '}' {
			return fields, i + 1, false, nil
		}
		if data[i] != ',' {
			return nil, i, false, unexpected(data, i, afterField)
		}
		i = skipSpace(data, i+1)
	}
}

// separator reads the separator before an element of a list. It reports whether the list ended instead.
func (s *splitter) separator() (done bool, err error) {
	switch c := s.buf[s.start]; {
	case c == ']':
		s.advance(1)
		s.inList = false
		return true, s.tail()
	case s.first:
		s.first = false
		return false, nil
	case c == ',':
		s.advance(1)
		if !s.skipSpace() {
			return false, errShort
		}
		return false, nil
	default:
		return false, unexpected(s.buf, s.start, afterElement)
	}
}

// tail reads what follows the items of a list.
func (s *splitter) tail() error {
	if !s.items {
		return nil
	}
	for {
		end, err := skipTail(s.window())
		if err == errShort && s.more() {
			continue
		}
		if err == nil {
			s.advance(end)
		}
		return err
	}
}

func skipTail(data []byte) (int, error) {
	i := skipSpace(data, 0)
	for {
		if i >= len(data) {
			return i, errShort
		}
		if data[i] == '}' {
			return i + 1, nil
		}
		if data[i] != ',' {
			return i, unexpected(data, i, afterField)
		}
		_, value, err := skipKey(data, skipSpace(data, i+1))
		if err != nil {
			return value, err
		}
		if i, err = skipValue(data, value, 1); err != nil {
			return i, err
		}
		i = skipSpace(data, i)
	}
}

// broken returns the error at the given byte of the window, and skips everything up to the next line that begins an
// object.
func (s *splitter) broken(err error, at int) *BrokenError {
	e := &BrokenError{Position: s.at, Err: err, Code: Broken}
	if lines := bytes.Count(s.window()[:min(at, s.end-s.start)], []byte("\n")); lines > 0 && err != errShort {
		e.Err = fmt.Errorf("line %d: %w", s.at.Line+lines, err)
	}
	s.inList = false
	for {
		if i := beginsObject(s.window()); i >= 0 {
			s.advance(i)
			break
		}
		s.advance(max(0, s.end-s.start-1-len(byteOrderMark))) // the last bytes may be the end of a line
		if !s.more() {
			s.advance(s.end - s.start)
			break
		}
	}
	e.Lines = max(1, s.at.Line-e.Line)
	return e
}

// byteOrderMark stands at the beginning of files that some Windows programs write. It is accepted before any document,
// because logs are often concatenated.
var byteOrderMark = []byte("\xEF\xBB\xBF")

// beginsObject returns the index of the next line that begins with an object, or -1.
func beginsObject(data []byte) int {
	for at := 0; ; {
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			return -1
		}
		at += i + 1
		if bytes.HasPrefix(bytes.TrimPrefix(data[at:], byteOrderMark), []byte("{")) {
			return at
		}
	}
}

// skipSpace skips white space, and reports whether anything follows it.
func (s *splitter) skipSpace() bool {
	for {
		i := skipSpace(s.window(), 0)
		s.advance(i)
		switch {
		case bytes.HasPrefix(s.window(), byteOrderMark):
			s.advance(len(byteOrderMark))
			continue
		case bytes.HasPrefix(byteOrderMark, s.window()) && s.more(): // maybe half of one, or nothing
			continue
		}
		if s.start < s.end {
			return true
		}
		if !s.more() {
			return false
		}
	}
}

// advance moves forward by n bytes.
func (s *splitter) advance(n int) {
	s.at.Line += bytes.Count(s.buf[s.start:s.start+n], []byte("\n"))
	s.at.Offset += int64(n)
	s.start += n
}

// more reads more of the stream, and reports whether it is worth parsing again. While the document is on one line, this
// is when the line is complete; otherwise, when there is twice as much data. Parsing a large document repeatedly thus
// costs no more than parsing it twice.
func (s *splitter) more() bool {
	before := s.end - s.start
	oneLine := bytes.IndexByte(s.window(), '\n') < 0
	for s.readTo == nil && s.room() {
		n, err := s.in.Read(s.buf[s.end:])
		read := s.buf[s.end : s.end+n]
		s.end += n
		s.readTo = err
		if oneLine && bytes.IndexByte(read, '\n') >= 0 || s.end-s.start >= 2*before && n > 0 {
			return true
		}
	}
	return s.end-s.start > before
}

// room makes room to read into, and reports whether there is any.
func (s *splitter) room() bool {
	if s.end < len(s.buf) {
		return true
	}
	if s.start > 0 {
		s.end = copy(s.buf, s.window())
		s.start = 0
		return true
	}
	if len(s.buf) >= s.max {
		return false
	}
	larger := make([]byte, min(2*len(s.buf), s.max))
	copy(larger, s.buf[:s.end])
	s.buf = larger
	return true
}
