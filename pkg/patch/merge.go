package patch

import (
	"bytes"
	"encoding/json"

	jsonpatch "github.com/evanphx/json-patch/v5"
)

// Errors of merge patches that callers distinguish: the server answers 400 to the second, and passes the first on
// unchanged.
var (
	errBadJSONDoc   = jsonpatch.ErrBadJSONDoc
	errBadJSONPatch = jsonpatch.ErrBadJSONPatch
)

// Merge applies a merge patch (RFC 7386): members that are null in the patch are removed, objects are merged,
// everything else is replaced. Unlike in the RFC, a patch that is null or another scalar is an error.
func Merge(doc, patch []byte) ([]byte, error) {
	// The library would return such a patch as the result.
	if json.Valid(doc) && json.Valid(patch) {
		switch trimmed := bytes.TrimSpace(patch); {
		case isNull(bytes.TrimSpace(doc)):
			return nil, errBadJSONDoc
		case isNull(trimmed) || isScalar(trimmed):
			return nil, errBadJSONPatch
		}
	}
	return jsonpatch.MergePatch(doc, patch)
}

// MergeToJSON returns the JSON patch that has the effect of the merge patch on the document.
func MergeToJSON(doc, merge []byte) ([]Operation, error) {
	merged, err := Merge(doc, merge)
	if err != nil {
		return nil, err
	}
	return Diff(doc, merged)
}
