package envtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/internal/wholefile"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Folder is a folder for KUBEBUILDER_ASSETS.
type Folder struct {
	Path    string
	Release *kubeversion.Release
}

// DefaultFolder returns the folder for a release in the user's cache directory.
func DefaultFolder(r *kubeversion.Release) (Folder, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return Folder{}, hint.Add(err, "name a folder: admsim envtest DIR")
	}
	return Folder{filepath.Join(cache, "admsim", "envtest", fmt.Sprintf("%s-%s-%s", r.Version, runtime.GOOS, runtime.GOARCH)), r}, nil
}

// settingsFile holds what the programs of a folder simulate. It also marks the folder as ours.
const settingsFile = "admsim.json"

type settings struct {
	KubernetesVersion string `json:"kubernetesVersion"`
}

// Make creates the folder, or recreates it with the current program. program is admsim itself.
//
// The programs are hard links. Unlike symbolic links these still work after admsim is moved, deleted or reinstalled,
// and unlike copies they take no space. Where hard links are impossible, such as between two disks, the programs are
// copies.
func (f Folder) Make(program string) error {
	program, err := filepath.EvalSymlinks(program)
	if err != nil {
		return err
	}
	if err := f.mayFill(); err != nil {
		return err
	}
	if err := os.MkdirAll(f.Path, 0o755); err != nil {
		return err
	}
	text, err := json.Marshal(settings{f.Release.Version})
	if err != nil {
		return err
	}
	if err := wholefile.Write(filepath.Join(f.Path, settingsFile), append(text, '\n'), 0o644); err != nil {
		return err
	}
	for _, name := range programs() {
		if err := link(program, filepath.Join(f.Path, name+filepath.Ext(executable))); err != nil {
			return err
		}
	}
	return nil
}

// mayFill returns an error if a folder holds other programs.
func (f Folder) mayFill() error {
	if _, err := os.Stat(filepath.Join(f.Path, settingsFile)); err == nil {
		return nil
	}
	if info, err := os.Stat(f.Path); err == nil && !info.IsDir() {
		return hint.Add(fmt.Errorf("%s is a file, not a folder", f.Path), "name another folder")
	}
	for _, name := range programs() {
		path := filepath.Join(f.Path, name+filepath.Ext(executable))
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return hint.Add(fmt.Errorf("%s exists, and admsim did not write it", path), "name another folder")
		}
	}
	return nil
}

// link replaces to by the program from. Another process may do the same, or run the existing program.
func link(from, to string) error {
	if same(from, to) {
		return nil
	}
	folder, err := os.MkdirTemp(filepath.Dir(to), ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	made := filepath.Join(folder, filepath.Base(to))
	if os.Link(from, made) != nil {
		if err := copyProgram(from, made); err != nil {
			return err
		}
	}
	return os.Rename(made, to)
}

func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func copyProgram(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// FolderOf returns the folder that a program is in. Outside of such a folder the default release is simulated.
func FolderOf(program string) (Folder, error) {
	f := Folder{filepath.Dir(program), kubeversion.Default()}
	text, err := os.ReadFile(filepath.Join(f.Path, settingsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	var s settings
	if err := json.Unmarshal(text, &s); err != nil {
		return f, fmt.Errorf("%s: %w", filepath.Join(f.Path, settingsFile), err)
	}
	f.Release, err = kubeversion.Parse(s.KubernetesVersion)
	return f, err
}

// Kubectl returns the first real kubectl on a search path: one that is not a program of such a folder.
func (f Folder) Kubectl(search string) (string, error) {
	for _, dir := range filepath.SplitList(search) {
		path := filepath.Join(dir, Kubectl+filepath.Ext(executable))
		info, err := os.Stat(path)
		if err != nil || info.IsDir() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, settingsFile)); err == nil || same(path, filepath.Join(f.Path, KubeAPIServer+filepath.Ext(executable))) {
			continue
		}
		return path, nil
	}
	return "", hint.Add(errors.New("there is no kubectl on the PATH, and admsim has none of its own"), "install kubectl, or set TEST_ASSET_KUBECTL to the path of one")
}
