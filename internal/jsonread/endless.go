package jsonread

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	quickjson "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/endless"
)

// bounds limits the text of a quantity: reading 1e-999999999 writes a billion digits.
var bounds = endless.Bounds{Length: 10_000, Exponent: 999_999}

// endlessQuantity returns an error about a quantity that takes too long to process, or nil if data has none. data is
// first scanned for candidates, which is cheap and finds none in nearly all objects. Only then are the fields of type
// quantity examined.
func endlessQuantity(data []byte, gvk schema.GroupVersionKind) error {
	if !MayBeEndless(data) || !json.Valid(data) { // the server does not read invalid JSON either
		return nil
	}
	into, known := builtin.New(gvk)
	if !known {
		return nil
	}
	var found error
	quantities := quickjson.UnmarshalFromFunc(func(dec *jsontext.Decoder, _ *resource.Quantity) error {
		value, err := dec.ReadValue()
		if err != nil {
			return err
		}
		if text := strings.Trim(string(value), `"`); found == nil && !bounds.Hold(text) {
			found = tooLong(text)
		}
		return nil
	})
	err := quickjson.Unmarshal(data, into, quickjson.WithUnmarshalers(quantities), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if found == nil && err != nil { // the server's decoder words the error, if it comes to that
		return endlessValue(data)
	}
	return found
}

// endlessValue returns an error about a value that would be endless if it were a quantity. It is used if the object
// cannot be read, so that it is unknown which values are quantities.
func endlessValue(data []byte) error {
	dec := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return nil // io.EOF
		}
		if kind := token.Kind(); kind != '"' && kind != '0' {
			continue
		}
		if text := token.String(); endless.Number(text) && !bounds.Hold(text) {
			return tooLong(text)
		}
	}
}

// An endlessError is about data that admsim does not read, whatever the server makes of it.
type endlessError struct{ error }

func tooLong(text string) error {
	return endlessError{fmt.Errorf("quantities must have at most %d characters and exponents of at most %d, since kube-apiserver may take forever for others: admsim does not read %s", bounds.Length, bounds.Exponent, beginning(text))}
}

// MayBeEndless reports whether data has text anywhere that looks like an endless quantity.
func MayBeEndless(data []byte) bool {
	run, exponent := 0, false // characters of a number so far, which include the digits of an exponent
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case '0' <= c && c <= '9' || c == '.':
			if run++; run > bounds.Length || exponent && run > 5 {
				return true
			}
		case (c == 'e' || c == 'E') && run > 0:
			if i+1 < len(data) && (data[i+1] == '+' || data[i+1] == '-') {
				i++
			}
			run, exponent = 0, true
		default:
			run, exponent = 0, false
		}
	}
	return false
}

func beginning(text string) string {
	if len(text) > 40 {
		return strconv.Quote(strings.ToValidUTF8(text[:40], "")) + "…"
	}
	return strconv.Quote(text)
}
