package change

import (
	"encoding/json"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	kjson "sigs.k8s.io/json"

	"github.com/admsim/admsim/pkg/patch"
)

// strategic applies a strategic merge patch, which merges lists by the keys in the struct tags of dataStruct. Errors
// are those that the server answers with, API statuses if the server makes them so:
// kubernetes/apiserver:pkg/endpoints/handlers/patch.go, strategicPatchObject.
func strategic(doc, body []byte, dataStruct any) ([]byte, error) {
	merged, _, err := strategicTree(doc, body, dataStruct)
	if err != nil {
		return nil, err
	}
	return json.Marshal(merged)
}

// strategicTree is [strategic] with the result as a tree. read is the decoded patch.
func strategicTree(doc, body []byte, dataStruct any) (merged, read map[string]any, err error) {
	var docMap map[string]any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(doc, &docMap); err != nil {
		return nil, nil, err
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(body, &read); err != nil {
		return nil, nil, apierrors.NewBadRequest(err.Error())
	}
	defer func() {
		if recover() != nil {
			merged, read, err = nil, nil, patch.ErrPanic
		}
	}()
	merged, err = strategicpatch.StrategicMergeMapPatch(docMap, read, dataStruct)
	if err != nil {
		return nil, nil, strategicStatus(err)
	}
	return merged, read, nil
}

func strategicStatus(err error) error {
	switch err {
	case mergepatch.ErrBadJSONDoc,
		mergepatch.ErrBadPatchFormatForPrimitiveList,
		mergepatch.ErrBadPatchFormatForRetainKeys,
		mergepatch.ErrBadPatchFormatForSetElementOrderList,
		mergepatch.ErrUnsupportedStrategicMergePatchFormat:
		return apierrors.NewBadRequest(err.Error())
	case mergepatch.ErrNoListOfLists, mergepatch.ErrPatchContentNotMatchRetainKeys:
		return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
	}
	return err
}
