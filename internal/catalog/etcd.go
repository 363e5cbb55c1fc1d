package catalog

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

//go:embed etcd.txt
var etcdText string

// A storedSince is the version in which a server keeps objects in etcd, from a release on.
type storedSince struct {
	releases kubeversion.Spans
	version  schema.GroupVersion
}

var storedVersions = sync.OnceValue(func() map[schema.GroupResource][]storedSince {
	all, err := parseStored(etcdText)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return all
})

func parseStored(text string) (map[schema.GroupResource][]storedSince, error) {
	all := map[schema.GroupResource][]storedSince{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		resource := schema.ParseGroupResource(words[0])
		for _, word := range words[1:] {
			since, version, _ := strings.Cut(word, ":")
			releases, err := kubeversion.ParseSpans(since + "-")
			if err != nil {
				return nil, fmt.Errorf("%s: %w", words[0], err)
			}
			stored := schema.GroupVersion{Group: resource.Group, Version: version}
			if group, version, other := strings.Cut(version, "/"); other {
				stored = schema.GroupVersion{Group: group, Version: version}
			}
			all[resource] = append(all[resource], storedSince{releases, stored})
		}
	}
	return all, nil
}

// inEtcd returns the kind in which a server keeps the objects of a resource in etcd. It is often older than the one that
// a cluster's state holds, since a cluster may go back to the release before:
// kubernetes/apiserver:pkg/server/storage/resource_encoding_config.go.
func inEtcd(release *kubeversion.Release, r discovery.Resource) schema.GroupVersionKind {
	kind := r.Storage
	if r.CRD != nil {
		return kind
	}
	for _, stored := range storedVersions()[r.GroupResource()] {
		if stored.releases.Have(release.Minor) {
			kind = stored.version.WithKind(r.Kind.Kind)
		}
	}
	return kind
}

// hash identifies to clients the kind in which objects are stored:
// kubernetes/apiserver:pkg/endpoints/discovery/storageversionhash.go.
func hash(kind schema.GroupVersionKind) string {
	sum := sha256.Sum256([]byte(kind.Group + "/" + kind.Version + "/" + kind.Kind))
	return base64.StdEncoding.EncodeToString(sum[:8])
}
