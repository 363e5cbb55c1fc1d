package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	fielderrors "k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/manifest"
	"github.com/admsim/admsim/internal/yamldoc"
)

// A naming reads a configuration of a server that names other files. All of them have to be in the folder of the
// configuration, or in the root of the loader.
type naming struct {
	*manifest.Loader
	file string
}

func namingFile(file string, o manifest.Options) naming {
	l := manifest.NewLoader(o)
	l.Within = path.Dir(file)
	return naming{l, file}
}

// document reads a file that holds one value.
func (n naming) document(name string) (yamldoc.Document, bool) {
	docs, ok := n.Documents(name)
	if ok && len(docs) != 1 {
		n.Errs.Add(manifest.Source{File: name}, "", "%d documents instead of one", len(docs))
		ok = false
	}
	if !ok {
		return yamldoc.Document{}, false
	}
	return docs[0], true
}

// positionsIn returns a function that returns the position of the field at a path of a document.
func positionsIn(d yamldoc.Document) func(path string) manifest.Source {
	m := manifest.Manifest{Source: d.Source, Places: d.Places}
	return m.Position
}

const confinedHint = "put it beside the file that names it"

// kubeconfigKey is the key under which the content of a kubeconfig is added to what names it.
const kubeconfigKey = "kubeConfig"

// kubeconfig embeds the kubeconfig that part names, and records where it was found. The server looks for it in its own
// file system, which is not admsim's, so it may also be beside the file that names it. If it is not found, ok is false.
func (n naming) kubeconfig(part map[string]any, file string) (tried []string, ok bool) {
	named, _ := part[kubeconfigField].(string)
	if named == "" {
		return nil, true // reported by the plugin that needs one
	}
	tried = []string{named}
	beside := path.Join(path.Dir(file), named)
	if path.IsAbs(named) {
		beside = path.Join(path.Dir(file), path.Base(named))
	}
	if beside != named {
		tried = append(tried, beside)
	}
	there := slices.DeleteFunc(slices.Clone(tried), func(name string) bool {
		_, err := fs.Stat(n.FS, name)
		return err != nil
	})
	if len(there) == 0 {
		return tried, false
	}
	i := slices.IndexFunc(there, n.Confined)
	if i < 0 {
		n.Errs.Add(manifest.Source{File: file}, confinedHint, "the kubeconfig %q is outside of the folder of %s", there[0], n.file)
		return nil, true
	}
	if kubeconfig, read := n.document(there[i]); read {
		n.credentials(kubeconfig, there[i])
		part[kubeconfigKey], part[kubeconfigField] = kubeconfig.Value, there[i]
		if whole, err := filepath.Abs(there[i]); err == nil && path.IsAbs(named) {
			part[kubeconfigField] = filepath.ToSlash(whole) // an absolute path, as some plugins require
		}
	}
	return nil, true
}

// credentials refuses a kubeconfig whose users have files outside of the allowed folders: their contents would be sent
// to webhooks.
func (n naming) credentials(kubeconfig yamldoc.Document, file string) {
	whole, _ := kubeconfig.Value.(map[string]any)
	users, _ := whole["users"].([]any)
	for i, one := range users {
		entry, _ := one.(map[string]any)
		user, _ := entry["user"].(map[string]any)
		for _, key := range []string{"tokenFile", "client-certificate", "client-key"} {
			name, _ := user[key].(string)
			if name == "" {
				continue
			}
			if !path.IsAbs(name) {
				name = path.Join(path.Dir(file), name)
			}
			if !n.Confined(name) {
				n.Errs.Add(positionsIn(kubeconfig)(fmt.Sprintf("users[%d].user.%s", i, key)), confinedHint, "%s %q is outside of the folder of %s", key, name, n.file)
			}
		}
	}
}

// wrongType matches the error of a decoder about a value of the wrong type.
var wrongType = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`json: cannot unmarshal (number [-+.\deE]+|\S+) .*Go struct field \w*\.(\S+) of type (\S+)$`)
})

// locatedAt adds places to an error about a configuration. If there are several errors, subject is put in front of
// each. field is the field of a single error.
func locatedAt(at func(path string) manifest.Source, subject string, err error) (field string, located error) {
	var found manifest.Errors
	var many utilerrors.Aggregate
	if errors.As(err, &many) {
		for _, one := range many.Errors() {
			var wrong *fielderrors.Error
			if errors.As(one, &wrong) {
				found.Add(at(wrong.Field), "", "%s%v", subject, wrong)
			}
		}
	}
	if len(found) > 0 {
		return "", found.Err()
	}
	if wrong := wrongType().FindStringSubmatch(err.Error()); wrong != nil {
		return wrong[2], &manifest.Error{Source: at(wrong[2]), Message: fmt.Sprintf("%s%s: %s instead of %s", subject, wrong[2], manifest.ATypeOfJSON(wrong[1]), manifest.GoTypeName(wrong[3])), Err: err}
	}
	field = manifest.QuotedField(err.Error())
	var one *fielderrors.Error
	if errors.As(err, &one) {
		field = one.Field
	}
	return field, &manifest.Error{Source: at(field), Message: err.Error(), Err: err}
}
