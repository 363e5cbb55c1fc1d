package lines

import (
	"encoding/json"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/pkg/patch"
)

// Patched is the object of a review with the operations of a JSON patch applied, as JSON; nil if it has none.
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
