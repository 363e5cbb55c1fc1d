package scenario

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/admsim/admsim/internal/consent"
)

// LoadTrust reads a trust file, in which somebody says whose worlds may do what on the machine:
//
//	trust:
//	- folder: /home/alice/shop # absolute, with all below it
//	  allow: [exec, network]   # both where it is left out
//
// One that does not exist trusts nobody. The error is an [Errors].
func LoadTrust(file string) (*consent.Trust, error) {
	l := newLoader(Options{})
	t := &consent.Trust{File: file}
	if _, err := fs.Stat(l.FS, file); errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	docs, ok := l.documents(file)
	switch {
	case !ok || len(docs) == 0:
	case len(docs) > 1:
		l.errs.Add(docs[1].Source, "", "%d documents instead of one", len(docs))
	case docs[0].Value != nil:
		d := docs[0]
		t.Folders = readTrust(form(&Manifest{Source: d.Source, places: d.Places, JSON: encode(d.Value)}, &l.errs))
	}
	return t, l.errs.Err()
}

func readTrust(v value) (all []consent.Folder) {
	if !v.mapping("trust") {
		return nil
	}
	for _, entry := range v.at("trust").list() {
		if !entry.mapping("folder", "allow") {
			continue
		}
		f := consent.Folder{Path: entry.at("folder").text()}
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

// TrustYAML is the text of a trust file.
func TrustYAML(t *consent.Trust) []byte {
	var b strings.Builder
	b.WriteString("# Worlds in these folders may run programs and open connections, see admsim trust --help.\ntrust:\n")
	if len(t.Folders) == 0 {
		return []byte(strings.TrimSuffix(b.String(), "trust:\n"))
	}
	for _, f := range t.Folders {
		b.WriteString("- folder: " + strconv.QuoteToASCII(f.Path) + "\n  allow: [" + strings.Join(f.Allows(), ", ") + "]\n")
	}
	return []byte(b.String())
}
