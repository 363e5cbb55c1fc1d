package managedfields

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// answer is a document or the text of an error, with its code if it is a status.
func answer(result string, err error) string {
	if status, ok := err.(apierrors.APIStatus); ok {
		return fmt.Sprintf("error: %d %s", status.Status().Code, status.Status().Message)
	}
	if err != nil {
		return "error: " + err.Error()
	}
	return result
}

// sameAnswer compares documents by what they hold, numbers as they are written, and errors by their text.
func sameAnswer(a, b string) bool { return reflect.DeepEqual(decoded(a), decoded(b)) }

// decoded is a document as Go values; one that is no document is its text.
func decoded(doc string) any {
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return doc
	}
	return v
}
