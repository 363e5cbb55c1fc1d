package patch

import (
	"encoding/json"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	kjson "sigs.k8s.io/json"
)

// Strategic applies a strategic merge patch, which merges lists by the keys that the
// struct tags of dataStruct give them. Errors are those the server answers with,
// API statuses where it makes them such:
// kubernetes/apiserver:pkg/endpoints/handlers/patch.go, strategicPatchObject.
func Strategic(doc, patch []byte, dataStruct any) ([]byte, error) {
	var docMap, patchMap map[string]any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(doc, &docMap); err != nil {
		return nil, err
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(patch, &patchMap); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	merged, err := strategicpatch.StrategicMergeMapPatch(docMap, patchMap, dataStruct)
	if err != nil {
		return nil, strategicStatus(err)
	}
	return json.Marshal(merged)
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
