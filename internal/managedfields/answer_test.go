package managedfields

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// answer returns a document, or the text of an error, with its code if it is a status.
func answer(result string, err error) string {
	if status, ok := err.(apierrors.APIStatus); ok {
		return fmt.Sprintf("error: %d %s", status.Status().Code, status.Status().Message)
	}
	if err != nil {
		return "error: " + err.Error()
	}
	return result
}

// sameAnswer compares documents by their content, with numbers as they are written, and errors by their text.
func sameAnswer(a, b string) bool { return reflect.DeepEqual(decoded(a), decoded(b)) }

// decoded returns a document as Go values. A text that is not a document is returned as it is.
func decoded(doc string) any {
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return doc
	}
	return v
}
