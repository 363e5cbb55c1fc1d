package plugins

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/release/upstream"
)

// This file contains what is only needed for releases older than those that the recorder was written for.

// variants lists the files of the recorder of which a release needs one: the first whose text is in a file of the module
// apiserver or component-base.
var variants = []struct {
	module, path string
	files        [][2]string // name of the file, text
}{
	{"apiserver", "pkg/audit/context.go", [][2]string{
		{"audit.go", ") GetEventAnnotations("}, {"audit_before.go", "func WithAuditContext("}, {"audit_none.go", ""},
	}},
	{"apiserver", "pkg/warning/context.go", [][2]string{{"warnings.go", "func WithWarningRecorder("}, {"warnings_before.go", ""}}},
	{"apiserver", "pkg/admission/initializer/interfaces.go", [][2]string{{"complete.go", "InspectFeatureGates("}, {"complete_before.go", ""}}},
	{"apiserver", "pkg/authorization/authorizer/interfaces.go", [][2]string{
		{"authorize.go", "Authorize(ctx context.Context,"}, {"authorize_before.go", ""},
	}},
	{"component-base", "featuregate/feature_gate.go", [][2]string{{"known.go", "GetAll() map["}, {"known_before.go", ""}}},
}

// programsFor returns the names of the files that are compiled with the plugins of a release.
func programsFor(ctx context.Context, release *upstream.Release) ([]string, error) {
	all, err := fs.Glob(recorder, "_recorder/*.go")
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i] = strings.TrimPrefix(all[i], "_recorder/")
	}
	for _, v := range variants {
		file, err := release.File(ctx, v.module, v.path)
		if err != nil {
			return nil, err
		}
		text, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		chosen := slices.IndexFunc(v.files, func(f [2]string) bool { return bytes.Contains(text, []byte(f[1])) })
		for i, f := range v.files {
			if i != chosen {
				all = slices.DeleteFunc(all, func(name string) bool { return name == f[0] })
			}
		}
	}
	return all, nil
}
