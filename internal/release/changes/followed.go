package changes

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/release/upstream"
)

// A Followed is a file of Kubernetes, with the files of ours that implement its behavior.
type Followed struct {
	Repository, Path string
	Ours             []string
}

// An area is a set of Kubernetes files that a package of ours follows as a whole, whether or not a comment names them.
type area struct {
	repository string
	pattern    string // of path.Match, a whole path
	ours       string
}

var areas = []area{
	{"kubernetes", "pkg/apis/*/validation/*.go", "internal/objects"},
	{"kubernetes", "pkg/apis/*/*/defaults.go", "internal/objects"},
	{"kubernetes", "pkg/apis/*/*/conversion.go", "internal/objects"},
	{"kubernetes", "pkg/apis/*/*/zz_generated.validations.go", "internal/objects"},
	{"kubernetes", "pkg/api/*/*.go", "internal/objects"},
	{"kubernetes", "pkg/registry/*/*/strategy.go", "internal/objects"},
	{"kubernetes", "pkg/registry/*/*/storage/storage.go", "pkg/rest"},
	{"kubernetes", "plugin/pkg/admission/*/*.go", "internal/plugins"},
	{"kubernetes", "plugin/pkg/admission/*/*/*.go", "internal/plugins"},
	{"kubernetes", "pkg/kubeapiserver/options/plugins.go", "pkg/kubeversion"},
	{"apiserver", "pkg/admission/*.go", "pkg/chain"},
	{"apiserver", "pkg/admission/plugin/*/*.go", "pkg/plugins"},
	{"apiserver", "pkg/admission/plugin/*/*/*.go", "pkg/plugins"},
	{"apiserver", "pkg/admission/plugin/webhook/*/*/*.go", "pkg/matcher"},
	{"apiserver", "pkg/cel/*/*.go", "pkg/expression"},
	{"apiserver", "pkg/util/webhook/*.go", "pkg/dispatch"},
	{"apiserver", "pkg/endpoints/handlers/*.go", "pkg/rest"},
	{"apiserver", "pkg/registry/generic/registry/*.go", "pkg/rest"},
	{"apiserver", "pkg/registry/rest/*.go", "pkg/rest"},
	{"apiextensions-apiserver", "pkg/apis/apiextensions/validation/*.go", "internal/objects"},
	{"apiextensions-apiserver", "pkg/registry/*/strategy.go", "internal/objects"},
	{"apiextensions-apiserver", "pkg/apiserver/validation/*.go", "internal/objects"},
	{"pod-security-admission", "admission/*.go", "internal/plugins"},
}

// without lists parts of the paths of files that are not followed.
var without = []string{"_test.go", "/doc.go", "zz_generated.deepcopy", "zz_generated.conversion", "/testing/", "/install/", "/metrics"}

// A citation in a comment: kubernetes/apiserver:pkg/admission/reinvocation.go, a file or a folder.
var citation = regexp.MustCompile(`\bkubernetes/([a-z-]+):([A-Za-z0-9_./-]*[A-Za-z0-9_])`)

// Follow lists the files in any of the releases that admsim, whose source is under root, follows: the files and folders
// that comments and rules name, and those of the areas.
func Follow(ctx context.Context, root string, releases ...*upstream.Release) ([]Followed, error) {
	cited, err := citations(root)
	if err != nil {
		return nil, err
	}
	ours := map[[2]string]map[string]bool{}
	follow := func(repository, file, of string) {
		if slices.ContainsFunc(without, func(part string) bool { return strings.Contains("/"+file, part) }) {
			return
		}
		at := [2]string{repository, file}
		if ours[at] == nil {
			ours[at] = map[string]bool{}
		}
		ours[at][of] = true
	}
	for _, release := range releases {
		for _, a := range areas {
			files, err := filesOf(ctx, release, a.repository)
			if err != nil {
				return nil, err
			}
			for _, file := range files {
				if ok, _ := path.Match(a.pattern, file); ok {
					follow(a.repository, file, a.ours)
				}
			}
		}
		for at, by := range cited {
			if at[0] != "kubernetes" && release.Staging["k8s.io/"+at[0]] == "" {
				continue // the repository is not a module of Kubernetes
			}
			files, err := filesOf(ctx, release, at[0])
			if err != nil {
				return nil, err
			}
			for _, file := range files {
				// A folder stands for the files directly in it: comments that name all of pkg/apis mean no file.
				if file == at[1] || path.Dir(file) == at[1] {
					for of := range by {
						follow(at[0], file, of)
					}
				}
			}
		}
	}
	var all []Followed
	for at, by := range ours {
		all = append(all, Followed{at[0], at[1], slices.Sorted(maps.Keys(by))})
	}
	slices.SortFunc(all, func(a, b Followed) int {
		return strings.Compare(a.Repository+":"+a.Path, b.Repository+":"+b.Path)
	})
	return all, nil
}

// citations returns the files of ours that cite something, by repository and path.
func citations(root string) (map[[2]string]map[string]bool, error) {
	found := map[[2]string]map[string]bool{}
	for _, folder := range []string{"cmd", "docs/rules", "internal", "pkg"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasSuffix(name, "_test.go") || !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".md") {
				return err
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			of, err := filepath.Rel(root, name)
			if err != nil {
				return err
			}
			if strings.HasPrefix(of, "internal/release/") {
				return nil // the file itself searches for these names
			}
			for _, m := range citation.FindAllStringSubmatch(string(text), -1) {
				at := [2]string{m[1], strings.TrimSuffix(m[2], "/")}
				if found[at] == nil {
					found[at] = map[string]bool{}
				}
				found[at][of] = true
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// filesOf returns the paths of the Go files of a repository in a release.
func filesOf(ctx context.Context, release *upstream.Release, repository string) ([]string, error) {
	root, err := release.File(ctx, repository, "")
	if err != nil {
		return nil, err
	}
	return goFiles(root)
}

func goFiles(root string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		file, err := filepath.Rel(root, name)
		files = append(files, filepath.ToSlash(file))
		return err
	})
	return files, err
}
