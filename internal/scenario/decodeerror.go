package scenario

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/manifest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/rest"
)

// decodeErrors adds the errors in a body that cannot be decoded, with the places that the server's message refers to.
func (x *objectRead) decodeErrors(err error) {
	text := err.Error()
	if _, strict, is := strings.Cut(text, "strict decoding error: "); is {
		if x.errs = append(x.errs, x.of.StrictErrors(strict, manifest.InCluster, x.types)...); len(x.errs) > 0 {
			return
		}
	}
	if wrong, rest := x.of.WrongTypes(text, x.types); len(wrong) > 0 {
		wrong[0].Err = err
		x.errs = append(x.errs, wrong...)
		if _, _, err := x.types.Decode(rest.JSON, rest.GroupVersionKind, objects.Strict); err != nil {
			x.errs = append(x.errs, rest.StrictErrors(err.Error(), manifest.InCluster, x.types)...)
		}
		return
	}
	if strings.Contains(text, "illegal base64 data") {
		if x.badBase64(); len(x.errs) > 0 {
			return
		}
	}
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Details != nil {
		for _, c := range status.Status().Details.Causes {
			x.errs.Add(x.of.Position(c.Field), "", "%s: %s: %s", x.of, c.Field, c.Message)
		}
		if len(x.errs) > 0 {
			return
		}
	}
	x.errs = append(x.errs, &manifest.Error{Source: x.of.Source, Message: fmt.Sprintf("%s: %v", x.of, err), Err: err})
}

// badBase64 finds the values that should be base64 and are not; the decoder does not name them.
func (x *objectRead) badBase64() {
	var object any
	if json.Unmarshal(x.of.JSON, &object) != nil {
		return
	}
	var look func(path string, v any, in bool)
	look = func(path string, v any, in bool) {
		switch v := v.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				look(strings.TrimPrefix(path+"."+key, "."), v[key], key == "caBundle" || x.of.Kind == "Secret" && path == "data" || x.of.Kind == "ConfigMap" && path == "binaryData")
			}
		case []any:
			for i, one := range v {
				look(fmt.Sprintf("%s[%d]", path, i), one, false)
			}
		case string:
			if _, err := base64.StdEncoding.DecodeString(v); in && err != nil {
				hint := "encode it: base64 -w0 FILE"
				switch {
				case strings.Contains(v, "<"), strings.Contains(v, "..."): // base64 has neither
					hint = "this stands for a value that somebody has to fill in; if a mock answers, leave the field out"
				case strings.Contains(v, "-----BEGIN"):
					hint = "the certificate itself is in base64, with its BEGIN and END lines: base64 -w0 FILE"
				}
				x.errs.Add(x.of.Position(path), hint, "%s: %s: not in base64", x.of, path)
			}
		}
	}
	look("", object, false)
}

// Slips returns the places in r's file that the server's answer calls unknown, duplicated or of the wrong type. answer
// is its message and its warnings. There are none for a patch.
func (r Request) Slips(answer []string, types *objects.Types) (all []*manifest.Error) {
	m := r.object
	if r.Plain {
		m = &r.manifest
	}
	if m == nil || len(r.Body) == 0 {
		return nil
	}
	for _, text := range answer {
		all = append(all, m.StrictErrors(text, manifest.InRequest, types)...)
		wrong, _ := m.WrongTypes(text, types)
		all = append(all, wrong...)
	}
	return all
}

// PatchSlips returns the operations of a JSON patch in r's file that no server could apply.
func (r Request) PatchSlips() []*manifest.Error {
	if _, isList := r.patch.Is.([]any); !isList || r.PatchType != rest.JSONPatch {
		return nil
	}
	var errs manifest.Errors
	operations := r.patch
	operations.Errs = &errs
	for _, operation := range operations.List() {
		checkOperation(operation)
	}
	return errs
}
