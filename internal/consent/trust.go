package consent

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Trust is the contents of a trust file: which folders are trusted with what.
type Trust struct {
	File    string // absolute
	Folders []Folder
}

// A Folder is a folder that the caller trusts, with everything below it.
type Folder struct {
	Path          string // absolute
	Exec, Network bool
}

// Allows returns the names of what the folder is trusted with.
func (f Folder) Allows() (all []string) {
	if f.Exec {
		all = append(all, "exec")
	}
	if f.Network {
		all = append(all, "network")
	}
	return all
}

// With returns the trust with an entry for a folder, which replaces an earlier one.
func (t *Trust) With(f Folder) *Trust {
	u := t.Without(f.Path)
	u.Folders = append(u.Folders, f)
	return u
}

// Without returns the trust without a folder.
func (t *Trust) Without(path string) *Trust {
	folders := slices.DeleteFunc(slices.Clone(t.Folders), func(f Folder) bool { return f.Path == path })
	return &Trust{File: t.File, Folders: folders}
}

// Of returns the entry of a folder itself, not of one above it.
func (t *Trust) Of(path string) Folder {
	for _, f := range t.Folders {
		if f.Path == path {
			return f
		}
	}
	return Folder{Path: path}
}

// covers reports whether the folder of an act is trusted with it. Two folders have to be trusted: that of the file that
// declares the act, with links followed, and the folder in its name, where the program starts.
func (t *Trust) covers(a Act) bool {
	file, ok := real(a.File)
	if !ok {
		return false
	}
	folder, ok := real(filepath.Dir(a.File))
	return ok && t.includes(file, a.IsProgram()) && t.includes(folder, a.IsProgram())
}

func (t *Trust) includes(path string, program bool) bool {
	return slices.ContainsFunc(t.Folders, func(f Folder) bool {
		if program && !f.Exec || !program && !f.Network {
			return false
		}
		folder, err := filepath.EvalSymlinks(f.Path)
		return err == nil && filepath.IsAbs(folder) && inside(folder, path)
	})
}

// Discounted says why the trust file does not count for a caller who loads these files and folders; empty if it counts.
// A file that could have come with them is not the caller's word: one inside of what is loaded, or in the git checkout
// around it.
func (t *Trust) Discounted(loaded ...string) string {
	for _, path := range loaded {
		folder, ok := real(path)
		if !ok {
			continue
		}
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			folder = filepath.Dir(folder)
		}
		if reason := t.within(folder, "which is loaded"); reason != "" {
			return reason
		}
		if checkout := checkoutOf(folder); checkout != "" {
			if reason := t.within(checkout, "the checkout that is loaded"); reason != "" {
				return reason
			}
		}
	}
	return ""
}

// discounted also says why it does not count in the current folder, which may be a checkout that git does not know.
func (t *Trust) discounted(loaded []string) string {
	if reason := t.DiscountedHere(); reason != "" {
		return reason
	}
	return t.Discounted(loaded...)
}

// DiscountedHere says why the trust file does not count while admsim runs in the current folder.
func (t *Trust) DiscountedHere() string {
	current, ok := real(".")
	if !ok {
		return ""
	}
	reason := t.within(current, "the current folder")
	if reason != "" {
		reason += ": run admsim in a folder below, such as that of the world"
	}
	return reason
}

func (t *Trust) within(folder, what string) string {
	file, err := realToBe(t.File)
	if err != nil || folder == filepath.Dir(folder) || !inside(folder, file) { // the root is not a world
		return ""
	}
	return fmt.Sprintf("%s does not count, since it is inside %s, %s", t.File, folder, what)
}

// realToBe returns where a file is or would be created, with links followed.
func realToBe(file string) (string, error) {
	found, err := filepath.EvalSymlinks(file)
	if err == nil || filepath.Dir(file) == file {
		return found, err
	}
	folder, err := realToBe(filepath.Dir(file))
	return filepath.Join(folder, filepath.Base(file)), err
}

// checkoutOf returns the nearest folder, from this one upwards, that is a git checkout.
func checkoutOf(folder string) string {
	for at := folder; at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
	}
	return ""
}

// Folder returns the folder that has to be trusted for an act, with links followed. ok is false if the act is declared
// in no file, or in a file that is only linked to.
func (a Act) Folder() (path string, ok bool) {
	file, inFile := real(a.File)
	named, inFolder := real(filepath.Dir(a.File))
	if !inFile || !inFolder {
		return "", false
	}
	if info, err := os.Stat(named); err != nil || !info.IsDir() { // an archive
		named = filepath.Dir(named)
	}
	return named, named == filepath.Dir(file)
}

// real returns the path that a path leads to, with links followed. A path inside of an archive leads to the archive. ok
// is false if there is no file, as for standard input.
func real(path string) (at string, ok bool) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	for at := whole; at != filepath.Dir(at); at = filepath.Dir(at) {
		found, err := filepath.EvalSymlinks(at)
		if err != nil {
			continue
		}
		if at != whole { // a name below a file is that of a file in an archive
			info, err := os.Stat(found)
			return found, err == nil && info.Mode().IsRegular()
		}
		return found, true
	}
	return whole, whole == filepath.Dir(whole)
}

// inside reports whether a path is a folder or below it; neither may contain links.
func inside(folder, path string) bool {
	relative, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(relative)
}

// Folders returns the folders that have to be trusted for acts, with what they have to be trusted with. It returns none
// if one of the acts has no folder.
func Folders(acts []Act) []Folder {
	t := &Trust{}
	for _, a := range acts {
		folder, ok := a.Folder()
		if !ok {
			return nil
		}
		f := t.Of(folder)
		f.Exec, f.Network = f.Exec || a.IsProgram(), f.Network || !a.IsProgram()
		t = t.With(f)
	}
	return t.Folders
}

// YAML returns the text of the file.
func (t *Trust) YAML() []byte {
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
