package change

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	kjson "sigs.k8s.io/json"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/pkg/patch"
)

// strategic applies a strategic merge patch, which merges lists by the keys in the struct tags of dataStruct. Errors
// are those that the server answers with, API statuses if the server makes them so:
// kubernetes/apiserver:pkg/endpoints/handlers/patch.go, strategicPatchObject.
func strategic(doc, body []byte, dataStruct any) ([]byte, error) {
	merged, _, err := strategicTree(doc, body, dataStruct, moved.Fields{}, nil)
	if err != nil {
		return nil, err
	}
	return json.Marshal(merged)
}

// strategicTree is [strategic] with the result as a tree. read is the decoded patch. elsewhere are the fields that doc
// and body have in another place than dataStruct, replaced the paths of lists that are not merged, whatever their tags
// say.
func strategicTree(doc, body []byte, dataStruct any, elsewhere moved.Fields, replaced []string) (merged, read map[string]any, err error) {
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
	if merged, err = merge(docMap, read, dataStruct, elsewhere, replaced); err != nil {
		return nil, nil, strategicStatus(err)
	}
	return merged, read, nil
}

func merge(doc, patch map[string]any, dataStruct any, elsewhere moved.Fields, replaced []string) (map[string]any, error) {
	if elsewhere.None() && len(replaced) == 0 {
		return strategicpatch.StrategicMergeMapPatch(doc, patch, dataStruct)
	}
	tags, err := strategicpatch.NewPatchMetaFromStruct(dataStruct)
	if err != nil {
		return nil, err
	}
	return strategicpatch.StrategicMergeMapPatchUsingLookupPatchMeta(doc, patch, releaseTags{LookupPatchMeta: tags, elsewhere: elsewhere, replaced: replaced})
}

// releaseTags provides the struct tags of an object in a release. Some fields are elsewhere in the struct, or not in it.
type releaseTags struct {
	strategicpatch.LookupPatchMeta
	path      string // the path of the object: spec.resourceClaims[]
	elsewhere moved.Fields
	replaced  []string
}

func (t releaseTags) LookupPatchMetadataForStruct(key string) (strategicpatch.LookupPatchMeta, strategicpatch.PatchMeta, error) {
	field, m, err := t.tagsOf(key).LookupPatchMetadataForStruct(key)
	return t.below(field, key), m, err
}

func (t releaseTags) LookupPatchMetadataForSlice(key string) (strategicpatch.LookupPatchMeta, strategicpatch.PatchMeta, error) {
	item, m, err := t.tagsOf(key).LookupPatchMetadataForSlice(key)
	if path := strings.TrimPrefix(t.path+"."+key, "."); t.elsewhere.IsAtomic(path) || slices.Contains(t.replaced, path) {
		m = strategicpatch.PatchMeta{} // which replaces the list
	}
	return t.below(item, key+"[]"), m, err
}

// tagsOf returns the tags of the struct that has a field in the release. Fields that are elsewhere in the Go types need no
// tags, since they contain no lists that are merged.
func (t releaseTags) tagsOf(key string) strategicpatch.LookupPatchMeta {
	if owner, ok := t.elsewhere.OwnerOf(t.path, key); ok {
		return strategicpatch.PatchMetaFromStruct{T: builtin.FormerStruct(owner.Model, key)}
	}
	if t.elsewhere.Begins(t.path, key) {
		return noTags{key}
	}
	return t.LookupPatchMeta
}

func (t releaseTags) below(field strategicpatch.LookupPatchMeta, step string) strategicpatch.LookupPatchMeta {
	return releaseTags{field, strings.TrimPrefix(t.path+"."+step, "."), t.elsewhere, t.replaced}
}

// noTags provides no tags: all fields of the value are replaced.
type noTags struct{ name string }

func (t noTags) LookupPatchMetadataForStruct(key string) (strategicpatch.LookupPatchMeta, strategicpatch.PatchMeta, error) {
	return noTags{key}, strategicpatch.PatchMeta{}, nil
}

func (t noTags) LookupPatchMetadataForSlice(key string) (strategicpatch.LookupPatchMeta, strategicpatch.PatchMeta, error) {
	return noTags{key}, strategicpatch.PatchMeta{}, nil
}

func (t noTags) Name() string { return t.name }

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
