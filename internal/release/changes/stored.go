package changes

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/admsim/admsim/internal/release/upstream"
)

// A StoredResource is a resource that a server keeps in etcd. Discovery has a hash of the version.
type StoredResource struct {
	Kind, Hash string
	Versions   []string // that are served: apps/v1
}

// Stored reads which resources a release keeps in etcd from its published discovery documents, by names such as
// deployments.apps.
func Stored(release *upstream.Release) (map[string]StoredResource, error) {
	documents, err := filepath.Glob(filepath.Join(release.Dir, "api", "discovery", "api*__v[0-9]*.json"))
	if err != nil {
		return nil, err
	}
	stored := map[string]StoredResource{}
	for _, name := range documents {
		var list struct {
			GroupVersion string
			Resources    []struct{ Name, Kind, StorageVersionHash string }
		}
		if err := readJSON(name, &list); err != nil {
			return nil, err
		}
		for _, r := range list.Resources {
			if r.StorageVersionHash == "" {
				continue
			}
			name := r.Name
			if group, _, ok := strings.Cut(list.GroupVersion, "/"); ok {
				name += "." + group
			}
			stored[name] = StoredResource{r.Kind, r.StorageVersionHash, append(stored[name].Versions, list.GroupVersion)}
		}
	}
	return stored, nil
}

// NextStored returns the table of internal/catalog with the versions in etcd of a release added.
func NextStored(table, version string, stored map[string]StoredResource) (string, error) {
	var head, rows []string
	known := map[string]bool{}
	for line := range strings.Lines(table) {
		line = strings.TrimSuffix(line, "\n")
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			head = append(head, line)
			continue
		}
		known[words[0]] = true
		if r, ok := stored[words[0]]; ok {
			_, group, _ := strings.Cut(words[0], ".")
			_, last, _ := strings.Cut(words[len(words)-1], ":")
			if !strings.Contains(last, "/") && group != "" {
				last = group + "/" + last
			}
			next, err := r.version(append([]string{last}, r.Versions...))
			if err != nil {
				return "", fmt.Errorf("%s: %w", words[0], err)
			}
			if next != last {
				line += fmt.Sprintf(" %d:%s", minorOf(version), strings.TrimPrefix(next, group+"/"))
			}
		}
		rows = append(rows, line)
	}
	for name, r := range stored {
		if known[name] {
			continue
		}
		first, err := r.version(r.Versions)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		_, group, _ := strings.Cut(name, ".")
		rows = append(rows, name+" "+strconv.Itoa(minorOf(version))+":"+strings.TrimPrefix(first, group+"/"))
	}
	slices.Sort(rows)
	return strings.Join(append(head, rows...), "\n") + "\n", nil
}

// version returns the version whose hash discovery has: kubernetes/apiserver:pkg/endpoints/discovery/storageversionhash.go.
func (r StoredResource) version(of []string) (string, error) {
	for _, version := range of {
		named := version
		if !strings.Contains(named, "/") {
			named = "/" + named
		}
		sum := sha256.Sum256([]byte(named + "/" + r.Kind))
		if base64.StdEncoding.EncodeToString(sum[:8]) == r.Hash {
			return version, nil
		}
	}
	return "", fmt.Errorf("%s is the hash of none of the versions %s", r.Hash, strings.Join(of, ", "))
}
