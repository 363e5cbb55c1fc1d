package record

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/admsim/admsim/internal/conformance"
	"github.com/admsim/admsim/internal/release/reference"
)

// PlayAdmsim plays recordings as [Recorder.Play] does, but against admsim serve, which the binary must be. Each
// recording gets a server of its own that has its cluster from the start.
func (r *Recorder) PlayAdmsim(ctx context.Context, recordings []conformance.Recording, played func(*conformance.Recording) error) error {
	for i := range recordings {
		result, err := r.playAdmsim(ctx, &recordings[i])
		if err == nil {
			err = played(result)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", recordings[i].ID, err)
		}
	}
	return nil
}

func (r *Recorder) playAdmsim(ctx context.Context, of *conformance.Recording) (*conformance.Recording, error) {
	folder, err := os.MkdirTemp("", "admsim-reference-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	flags, err := r.prepare(of.Profile, folder)
	if err != nil {
		return nil, err
	}
	p := &play{Recorder: r, of: of}
	world, err := p.world()
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(folder, "world.yaml"), world, 0o600); err != nil {
		return nil, err
	}
	hooks, err := conformance.NewWebhooks(of)
	if err != nil {
		return nil, err
	}
	p.webhooks.Store(hooks)
	flags = append(flags,
		"--cluster=world.yaml", "--live", "--allow-network", "--assume-controllers=false",
		"--controllers=customresourcedefinition-controller", // part of kube-apiserver itself
		"--kubernetes-version="+cmp.Or(of.Kubernetes, conformance.UnnamedRelease))
	if len(of.Authorization) > 0 {
		flags = append(flags, "--authorization="+strings.Join(of.Authorization, ","))
	}
	if p.server, err = reference.StartAdmsim(ctx, r.binary, folder, flags...); err != nil {
		return nil, err
	}
	defer p.server.Stop()
	if p.resources, err = resources(ctx, p.server); err != nil {
		return nil, err
	}
	result := *of
	return &result, p.requests(ctx, &result)
}

// world returns the manifests of the cluster, as JSON.
func (p *play) world() ([]byte, error) {
	var all []*unstructured.Unstructured
	for i, raw := range p.of.Cluster {
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(conformance.SelectedBy(raw, conformance.UID(i))); err != nil {
			return nil, err
		}
		object.SetUID(conformance.UID(i)) // recordings have the same UID for all
		all = append(all, object)
	}
	for _, raw := range p.of.Configs {
		object, err := p.configuration(raw)
		if err != nil {
			return nil, err
		}
		all = append(all, object)
	}
	var manifests bytes.Buffer
	for _, object := range all {
		text, err := object.MarshalJSON()
		if err != nil {
			return nil, err
		}
		manifests.WriteString("---\n")
		manifests.Write(text)
	}
	return manifests.Bytes(), nil
}
