package lines

import (
	"encoding/json"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/pkg/patch"
)

// Patched applies the operations of a JSON patch to the object of a review, and returns the result as JSON, or nil if
// the review has no object.
func Patched(r *recording.Record, operations []byte) (object any, err error) {
	text := r.Review.Object.Raw
	if len(operations) > 0 {
		if text, err = patch.JSON(text, operations); err != nil {
			return nil, err
		}
	}
	if len(text) == 0 {
		return nil, nil
	}
	err = json.Unmarshal(text, &object)
	return object, err
}
