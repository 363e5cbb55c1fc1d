package scenario

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/admsim/admsim/internal/manifest"
)

// A TrustedFolder is a folder that the user trusts, with everything below it.
type TrustedFolder struct {
	Path          string // absolute
	Exec, Network bool
}

// LoadTrust reads a trust file, in which users say what the worlds of which folders may do on their machine:
//
//	trust:
//	- folder: /home/alice/shop # absolute, with all below it
//	  allow: [exec, network]   # both where it is left out
//
// A file that does not exist trusts no folder. The error is an [Errors].
func LoadTrust(file string) (folders []TrustedFolder, err error) {
	l := manifest.NewLoader(manifest.Options{})
	if _, err := fs.Stat(l.FS, file); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	docs, ok := l.Documents(file)
	switch {
	case !ok || len(docs) == 0:
	case len(docs) > 1:
		l.Errs.Add(docs[1].Source, "", "%d documents instead of one", len(docs))
	case docs[0].Value != nil:
		d := docs[0]
		folders = readTrust(manifest.FormOf(d, &l.Errs))
	}
	return folders, l.Errs.Err()
}

func readTrust(v manifest.Value) (all []TrustedFolder) {
	if !v.Mapping("trust") {
		return nil
	}
	for _, entry := range v.At("trust").List() {
		if !entry.Mapping("folder", "allow") {
			continue
		}
		f := TrustedFolder{Path: entry.At("folder").Text()}
		if !filepath.IsAbs(f.Path) {
			entry.Errorf("such as folder: /home/alice/shop", "folder %q is not an absolute path", f.Path)
			continue
		}
		if allow := entry.At("allow"); allow.Given() {
			for _, one := range allow.List() {
				what := one.OneOf("exec", "network")
				f.Exec, f.Network = f.Exec || what == "exec", f.Network || what == "network"
			}
		} else {
			f.Exec, f.Network = true, true
		}
		all = append(all, f)
	}
	return all
}
