package objects

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

// bounded is what the text of a quantity may be: reading 1e-999999999 writes a billion digits.
var bounded = endless.Bounds{Length: 10_000, Exponent: 999_999}

// endlessQuantity is the error about a quantity that is not looked at any further; nil if data has none.
// data is looked through for what may be one, which costs little and finds none in nearly all objects.
// Only then the fields that are quantities are looked for.
func endlessQuantity(data []byte, gvk schema.GroupVersionKind) error {
	if !mayBeEndless(data) || !json.Valid(data) { // what is no JSON is not read by the server either
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
		if text := strings.Trim(string(value), `"`); found == nil && !bounded.Hold(text) {
			found = tooLong(text)
		}
		return nil
	})
	err := quickjson.Unmarshal(data, into, quickjson.WithUnmarshalers(quantities), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if found == nil && err != nil { // which is for the server's decoder to put into words, if it comes to it
		return endlessValue(data)
	}
	return found
}

// endlessValue is the error about a value that would be endless if it was a quantity. Which values are is not
// known where the object cannot be read.
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
		if text := token.String(); endless.Number(text) && !bounded.Hold(text) {
			return tooLong(text)
		}
	}
}

func tooLong(text string) error {
	return fmt.Errorf("quantities must have at most %d characters and exponents of at most %d, since kube-apiserver may take forever for others: admsim does not read %s", bounded.Length, bounded.Exponent, beginning(text))
}

// mayBeEndless reports whether text like that of an endless quantity is anywhere.
func mayBeEndless(data []byte) bool {
	run, exponent := 0, false // characters of a number so far; the digits of an exponent are among them
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case '0' <= c && c <= '9' || c == '.':
			if run++; run > bounded.Length || exponent && run > 5 {
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
