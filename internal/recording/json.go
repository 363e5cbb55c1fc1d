package recording

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
)

// This package reads JSON by finding where values end. The functions in this file accept exactly what encoding/json
// accepts, several times as fast, and decode nothing.

// errShort says that the data ended before the value did.
var errShort = errors.New("ends in the middle of a JSON value")

// maxDepth is the nesting depth that encoding/json accepts.
const maxDepth = 10000

// Where characters are not expected.
const (
	afterField   = "where a comma or a closing brace should be"
	afterElement = "where a comma or a closing bracket should be"
	inString     = "in a string"
	inNumber     = "in a number"
)

var errLineInString = errors.New("the line ends in the middle of a string")

func unexpected(data []byte, i int, where string) error {
	if where == inString && data[i] == '\n' {
		return errLineInString
	}
	return fmt.Errorf("invalid character %q %s", data[i], where)
}

// skipSpace returns the index of the next character that is not white space.
func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r') {
		i++
	}
	return i
}

// skipValue returns the end of the value at i, where there must be no white space.
func skipValue(data []byte, i, depth int) (int, error) {
	if i >= len(data) {
		return i, errShort
	}
	switch c := data[i]; {
	case c == '"':
		return skipString(data, i)
	case c == '{' || c == '[':
		if depth >= maxDepth {
			return i, errors.New("exceeded max depth")
		}
		if c == '{' {
			return skipObject(data, i, depth+1)
		}
		return skipArray(data, i, depth+1)
	case c == '-' || '0' <= c && c <= '9':
		return skipNumber(data, i)
	case c == 't':
		return skipWord(data, i, "true")
	case c == 'f':
		return skipWord(data, i, "false")
	case c == 'n':
		return skipWord(data, i, "null")
	}
	return i, unexpected(data, i, "where a value should begin")
}

func skipObject(data []byte, i, depth int) (int, error) {
	i = skipSpace(data, i+1)
	if i < len(data) && data[i] == '}' {
		return i + 1, nil
	}
	for {
		_, value, err := skipKey(data, i)
		if err != nil {
			return value, err
		}
		if i, err = skipValue(data, value, depth); err != nil {
			return i, err
		}
		if i = skipSpace(data, i); i >= len(data) {
			return i, errShort
		}
		if data[i] == '}' {
			return i + 1, nil
		}
		if data[i] != ',' {
			return i, unexpected(data, i, afterField)
		}
		i = skipSpace(data, i+1)
	}
}

// skipKey returns the end of the key at i, and the beginning of its value.
func skipKey(data []byte, i int) (end, value int, err error) {
	if i >= len(data) {
		return i, i, errShort
	}
	if data[i] != '"' {
		return i, i, unexpected(data, i, "where the name of a field should begin")
	}
	if end, err = skipString(data, i); err != nil {
		return end, end, err
	}
	if i = skipSpace(data, end); i >= len(data) {
		return end, i, errShort
	}
	if data[i] != ':' {
		return end, i, unexpected(data, i, "where the colon after the name of a field should be")
	}
	return end, skipSpace(data, i+1), nil
}

func skipArray(data []byte, i, depth int) (int, error) {
	i = skipSpace(data, i+1)
	if i < len(data) && data[i] == ']' {
		return i + 1, nil
	}
	for {
		var err error
		if i, err = skipValue(data, i, depth); err != nil {
			return i, err
		}
		if i = skipSpace(data, i); i >= len(data) {
			return i, errShort
		}
		if data[i] == ']' {
			return i + 1, nil
		}
		if data[i] != ',' {
			return i, unexpected(data, i, afterElement)
		}
		i = skipSpace(data, i+1)
	}
}

const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// ends returns a word whose lowest set high bit marks the first byte of w that may end a string or begins an escape: a
// quote, a backslash or a control character. Higher bits mean nothing.
func ends(w uint64) uint64 {
	quote, slash := w^(lows*'"'), w^(lows*'\\')
	return ((quote-lows)&^quote | (slash-lows)&^slash | (w-lows*0x20)&^w) & highs
}

func skipString(data []byte, i int) (int, error) {
	for i++; ; {
		for i+8 <= len(data) {
			found := ends(binary.LittleEndian.Uint64(data[i:]))
			if found != 0 {
				i += bits.TrailingZeros64(found) / 8
				break
			}
			i += 8
		}
		if i >= len(data) {
			return i, errShort
		}
		switch c := data[i]; {
		case c == '"':
			return i + 1, nil
		case c == '\\':
			var err error
			if i, err = skipEscape(data, i); err != nil {
				return i, err
			}
		case c < 0x20:
			return i, unexpected(data, i, inString)
		default:
			i++
		}
	}
}

func skipEscape(data []byte, i int) (int, error) {
	if i++; i >= len(data) {
		return i, errShort
	}
	switch data[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1, nil
	case 'u':
		for n := 1; n <= 4; n++ {
			if i+n >= len(data) {
				return i + n, errShort
			}
			if !isHex(data[i+n]) {
				return i + n, unexpected(data, i+n, "in a \\u escape")
			}
		}
		return i + 5, nil
	}
	return i, unexpected(data, i, "after a backslash")
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func skipNumber(data []byte, i int) (int, error) {
	if data[i] == '-' {
		i++
	}
	var err error
	if i < len(data) && data[i] == '0' {
		i++
	} else if i, err = skipDigits(data, i, inNumber); err != nil {
		return i, err
	}
	if i < len(data) && data[i] == '.' {
		if i, err = skipDigits(data, i+1, "after a decimal point"); err != nil {
			return i, err
		}
	}
	if i < len(data) && (data[i] == 'e' || data[i] == 'E') {
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		return skipDigits(data, i, "in an exponent")
	}
	return i, nil
}

func skipDigits(data []byte, i int, where string) (int, error) {
	if i >= len(data) {
		return i, errShort
	}
	if data[i] < '0' || data[i] > '9' {
		return i, unexpected(data, i, where)
	}
	for i < len(data) && '0' <= data[i] && data[i] <= '9' {
		i++
	}
	return i, nil
}

func skipWord(data []byte, i int, word string) (int, error) {
	for n := range len(word) {
		if i+n >= len(data) {
			return i + n, errShort
		}
		if data[i+n] != word[n] {
			return i + n, unexpected(data, i+n, "in the word "+word)
		}
	}
	return i + len(word), nil
}

// eachField calls f for every field of object, which must be valid JSON. A value that is not an object has no fields.
func eachField(object []byte, f func(key, value []byte)) {
	i := skipSpace(object, 0)
	if i >= len(object) || object[i] != '{' {
		return
	}
	for i = skipSpace(object, i+1); i < len(object) && object[i] == '"'; i = skipSpace(object, i+1) {
		keyEnd, value, err := skipKey(object, i)
		if err != nil {
			return
		}
		end, err := skipValue(object, value, 0)
		if err != nil {
			return
		}
		f(plain(object[i:keyEnd]), object[value:end])
		if i = skipSpace(object, end); i >= len(object) || object[i] != ',' {
			return
		}
	}
}

// eachElement calls f for every element of array, which must be valid JSON.
func eachElement(array []byte, f func(value []byte)) {
	i := skipSpace(array, 0)
	if i >= len(array) || array[i] != '[' {
		return
	}
	for i = skipSpace(array, i+1); i < len(array) && array[i] != ']'; i = skipSpace(array, i+1) {
		end, err := skipValue(array, i, 0)
		if err != nil {
			return
		}
		f(array[i:end])
		if i = skipSpace(array, end); i >= len(array) || array[i] != ',' {
			return
		}
	}
}

// fieldOf returns the value under key in object, which must be valid JSON, or nil if there is none.
func fieldOf(object []byte, key string) (found json.RawMessage) {
	eachField(object, func(k, value []byte) {
		if string(k) == key {
			found = value
		}
	})
	return found
}

// unquote returns the value of a JSON string, or "" for any other value.
func unquote(value []byte) string { return string(plain(value)) }

// plain is like unquote, but does not copy if nothing has to be replaced.
func plain(value []byte) []byte {
	if len(value) < 2 || value[0] != '"' {
		return nil
	}
	inner := value[1 : len(value)-1]
	for _, c := range inner {
		if c == '\\' || c >= 0x80 { // invalid UTF-8 is replaced
			var s string
			if err := json.Unmarshal(value, &s); err != nil {
				return nil
			}
			return []byte(s)
		}
	}
	return inner
}

// given reports whether there is a value other than null.
func given(value []byte) bool { return len(value) > 0 && string(value) != "null" }
