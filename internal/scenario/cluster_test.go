package scenario

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/admsim/admsim/internal/manifest"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/golden"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
)

// Each archive is a cluster. The golden text lists its objects as the server stores them, then warnings and errors. If
// an archive has a folder requests, it holds requests to that cluster.
func TestCluster(t *testing.T) {
	golden.Folders(t, "testdata/cluster/*.txtar", func(t *testing.T, files fstest.MapFS) string {
		var b strings.Builder
		found, err := manifest.Load([]string{"cluster"}, manifest.Options{FS: files})
		if err != nil {
			t.Fatal(err)
		}
		o := clusterOptions()
		if _, err := fs.Stat(files, "ignore-unknown"); err == nil {
			o.IgnoreUnknown = true
		}
		state, warnings, err := Cluster(found, o)
		for object := range state.All() {
			fmt.Fprintf(&b, "%s ", object.Source)
			writeObject(t, &b, object)
		}
		for _, w := range warnings {
			fmt.Fprintf(&b, "warning: %v\n", w)
		}
		if err != nil {
			fmt.Fprintln(&b, err)
		}
		if _, err := fs.Stat(files, "requests"); err == nil {
			writeRequests(t, &b, files, state)
		}
		return b.String()
	})
}

func writeObject(t *testing.T, b *strings.Builder, object cluster.Object) {
	t.Helper()
	data, err := kinds.New(nil, objects.Options{}).Encode(object.Object)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(b, "%s\n", data)
}

func writeRequests(t *testing.T, b *strings.Builder, files fs.FS, state *cluster.State) {
	t.Helper()
	found, err := manifest.Load([]string{"requests"}, manifest.Options{FS: files})
	if err != nil {
		t.Fatal(err)
	}
	requests, err := Requests(found, rest.Create, manifest.Options{FS: files})
	if err != nil {
		t.Fatal(err)
	}
	resources, known, _ := served(state)
	for _, r := range requests {
		if r.Review != nil {
			req, err := r.Admission(resources, known, Defaults{})
			if err != nil {
				fmt.Fprintln(b, err)
				continue
			}
			fmt.Fprintf(b, "%s %s %v/%s %v %T %T %+v\n", r.Source, req.Operation, req.Resource, req.Subresource, req.Kind, req.Object, req.OldObject, req.Options)
			continue
		}
		req, err := r.API(resources, Defaults{})
		if err != nil {
			fmt.Fprintln(b, err)
			continue
		}
		fmt.Fprintf(b, "%s %s %v/%s in %q name %q\n", r.Source, req.Verb, req.Resource, req.Subresource, req.Namespace, req.Name)
	}
}

func clusterOptions() ClusterOptions {
	uids := 0
	return ClusterOptions{
		Served: served,
		Now:    func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) },
		NewUID: func() types.UID {
			uids++
			return types.UID(fmt.Sprintf("uid-%d", uids))
		},
	}
}

func served(s *cluster.State) (*discovery.Resources, *objects.Types, error) {
	r := discovery.New(kubeversion.Default(), s)
	known := func(gvk schema.GroupVersionKind) (objects.Resource, bool) {
		found, ok := r.ForKind(gvk)
		return objects.Resource{Namespaced: found.Namespaced, Storage: found.Storage, CRD: found.CRD}, ok
	}
	return r, kinds.New(known, objects.Options{}), nil
}
