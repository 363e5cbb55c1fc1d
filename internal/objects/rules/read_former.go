package rules

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	kubejson "sigs.k8s.io/json"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/moved"
)

// ReadFormer makes the fields of a body that the types do not have what decoding into the types of the release would
// make of them. unknown are the paths of the fields in them that do not exist, and wrong are values that cannot be decoded,
// which it removes. found reports whether there are any such fields.
func ReadFormer(tree any, fields moved.Fields) (unknown []string, wrong []moved.Mismatch, found bool) {
	fields.EachKept(tree, func(parent map[string]any, name, path string, of moved.Owner) {
		found = true
		data, err := json.Marshal(parent[name])
		if err != nil {
			panic("rules: what was JSON is none: " + err.Error())
		}
		delete(parent, name)
		value := reflect.New(builtin.FormerType(of.Model, name))
		strict, err := kubejson.UnmarshalStrict(data, value.Interface())
		for _, e := range strict {
			if field, ok := strings.CutPrefix(e.Error(), "unknown field "); ok {
				unknown = append(unknown, path+"."+strings.Trim(field, `"`))
			}
		}
		var wrongType *json.UnmarshalTypeError
		switch {
		case errors.As(err, &wrongType):
			wrong = append(wrong, formerMismatch(wrongType, path, of.Struct))
		case err != nil:
			wrong = append(wrong, moved.Mismatch{Path: path, Err: err})
		case !isUnset(value.Elem()):
			parent[name] = value.Interface()
		}
	})
	return unknown, wrong, found
}

// formerMismatch returns the error about the type of a value as the decoder reports it for a whole object.
func formerMismatch(e *json.UnmarshalTypeError, path, owner string) moved.Mismatch {
	names := strings.Split(path, ".")
	for i, name := range names {
		names[i], _, _ = strings.Cut(name, "[")
	}
	if e.Field != "" {
		owner, names = e.Struct, append(names, e.Field)
	}
	return moved.Mismatch{Path: path, Value: e.Value, Into: owner + "." + strings.Join(names, "."), Type: strings.Replace(e.Type.String(), "builtin.", "v1.", 1)}
}

// isUnset reports whether a field is omitted, or always written without a value.
func isUnset(v reflect.Value) bool { return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 }
