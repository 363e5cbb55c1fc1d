package scenario

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// A TrustedFolder is a folder that the user trusts, with everything below it.
type TrustedFolder struct {
	Path          string // absolute
	Exec, Network bool
}

// LoadTrust reads a trust file, in which the user says what the worlds of which folders may do on this machine:
//
//	trust:
//	- folder: /home/alice/shop # absolute, with all below it
//	  allow: [exec, network]   # both where it is left out
//
// A file that does not exist trusts no folder. The error is an [Errors].
func LoadTrust(file string) (folders []TrustedFolder, err error) {
	l := newLoader(Options{})
	if _, err := fs.Stat(l.FS, file); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	docs, ok := l.documents(file)
	switch {
	case !ok || len(docs) == 0:
	case len(docs) > 1:
		l.errs.Add(docs[1].Source, "", "%d documents instead of one", len(docs))
	case docs[0].Value != nil:
		d := docs[0]
		folders = readTrust(formOf(d, &l.errs))
	}
	return folders, l.errs.Err()
}

func readTrust(v value) (all []TrustedFolder) {
	if !v.mapping("trust") {
		return nil
	}
	for _, entry := range v.at("trust").list() {
		if !entry.mapping("folder", "allow") {
			continue
		}
		f := TrustedFolder{Path: entry.at("folder").text()}
		if !filepath.IsAbs(f.Path) {
			entry.errorf("such as folder: /home/alice/shop", "folder %q is no absolute path", f.Path)
			continue
		}
		if allow := entry.at("allow"); allow.given() {
			for _, one := range allow.list() {
				what := one.oneOf("exec", "network")
				f.Exec, f.Network = f.Exec || what == "exec", f.Network || what == "network"
			}
		} else {
			f.Exec, f.Network = true, true
		}
		all = append(all, f)
	}
	return all
}
