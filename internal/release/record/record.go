// Package record plays recorded scenarios against a real kube-apiserver, and records its answers in the form of the
// recordings.
//
// A recording has everything that a scenario needs: the cluster, the configurations, the answers of webhooks, the
// requests. Start with [New] and [Recorder.Play].
package record

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/admsim/admsim/internal/certificate"
	"github.com/admsim/admsim/internal/conformance"
	"github.com/admsim/admsim/internal/release/reference"
	"github.com/admsim/admsim/internal/steady"
)

// A Recorder plays recordings against the servers of one binary.
type Recorder struct {
	binary   string
	profiles string // folder of the profiles
	progress io.Writer

	address             string // of the webhooks
	authority, stranger []byte // CA bundles; the first one signed the certificate of the webhooks
	webhooks            atomic.Pointer[conformance.Webhooks]
	moments             steady.Word // timestamps of the run
	serving             *http.Server

	unanswered int // requests so far
}

// New starts the server of the webhooks. Progress messages are written to progress.
func New(binary, profiles string, progress io.Writer) (*Recorder, error) {
	now := time.Now()
	authority, err := certificate.NewAuthority(now)
	if err != nil {
		return nil, err
	}
	stranger, err := certificate.NewAuthority(now)
	if err != nil {
		return nil, err
	}
	pair, err := authority.Issue(now, certificate.Local()...)
	if err != nil {
		return nil, err
	}
	config, err := pair.Server()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Recorder{
		binary: binary, profiles: profiles, progress: progress,
		address: listener.Addr().String(), authority: authority.Bundle(), stranger: stranger.Bundle(), moments: steady.Moments(now),
	}
	r.serving = &http.Server{
		Handler:   http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { r.webhooks.Load().ServeHTTP(w, req) }),
		TLSConfig: config,
		ErrorLog:  log.New(io.Discard, "", 0),
	}
	go func() { _ = r.serving.ServeTLS(listener, "", "") }()
	return r, nil
}

// normalize rewrites an answer of the server in place, and returns it.
func (r *Recorder) normalize(v any) any { return steady.Value(conformance.Normalize(v), r.moments) }

// Close ends the server of the webhooks.
func (r *Recorder) Close() { _ = r.serving.Close() }

// Unanswered returns how many requests got no answer so far. They are not in the recordings.
func (r *Recorder) Unanswered() int { return r.unanswered }

// Play plays recordings, those of each profile against a server of their own, and calls played for each with the
// answers of this server. It skips, with a remark, recordings that this release cannot be set up for because it does
// not have a kind yet or any more.
func (r *Recorder) Play(ctx context.Context, recordings []conformance.Recording, played func(*conformance.Recording) error) error {
	var profiles []string
	for i := range recordings {
		if !slices.Contains(profiles, recordings[i].Profile) {
			profiles = append(profiles, recordings[i].Profile)
		}
	}
	for _, profile := range profiles {
		var those []*conformance.Recording
		for i := range recordings {
			if recordings[i].Profile == profile {
				those = append(those, &recordings[i])
			}
		}
		if _, err := os.Stat(filepath.Join(r.profiles, profile)); errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(r.progress, "profile %s: not played: the folder %s with its flags is missing\n", profile, filepath.Join(r.profiles, profile))
			continue
		}
		if err := r.playProfile(ctx, profile, those, played); err != nil {
			return fmt.Errorf("profile %s: %w", profile, err)
		}
	}
	return nil
}

func (r *Recorder) playProfile(ctx context.Context, profile string, recordings []*conformance.Recording, played func(*conformance.Recording) error) error {
	folder, err := os.MkdirTemp("", "admsim-reference-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	flags, err := r.prepare(profile, folder)
	if err != nil {
		return err
	}
	etcd, err := reference.StartEtcd(ctx, folder)
	if err != nil {
		return err
	}
	defer etcd.Stop()

	// If nothing is admitted, nothing can be created either: that server is started after another one has created the
	// objects.
	filled := reference.Options{Binary: r.binary, Folder: folder, Etcd: etcd, Flags: flags}
	asked := filled
	apart := slices.ContainsFunc(flags, func(f string) bool { return strings.Contains(f, "AlwaysDeny") })
	if apart {
		filled.Flags = nil
	}
	started := time.Now()
	server, err := reference.Start(ctx, filled)
	if err != nil {
		return err
	}
	defer func() { server.Stop() }()
	before, err := newBaseline(ctx, etcd)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.progress, "profile %s: the server was ready after %s\n", profile, time.Since(started).Round(100*time.Millisecond))
	restart := func(o reference.Options) error {
		server.Stop()
		next, err := reference.Start(ctx, o)
		if err == nil {
			server = next
		}
		return err
	}
	for _, recording := range recordings {
		if hasParams(recording) || apart {
			if err := restart(filled); err != nil {
				return err
			}
		}
		p := &play{Recorder: r, server: server, etcd: etcd, baseline: before, of: recording, between: between}
		result, err := p.fill(ctx)
		if refused := (*refusedError)(nil); errors.As(err, &refused) {
			p.remark("not played: %v", err)
			continue
		}
		if err == nil && apart {
			err = restart(asked)
			p.server = server
		}
		if err == nil {
			err = p.requests(ctx, result)
		}
		if isUnanswered(ctx, err) {
			p.remark("the rest is not played: %v", err)
			err = restart(filled)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", recording.ID, err)
		}
		if result == nil { // the server ended before the first request
			r.unanswered += len(recording.Requests)
			continue
		}
		if err := played(result); err != nil {
			return err
		}
	}
	return nil
}

// hasParams reports whether a recording has policies with parameters. After a server has had such policies and they
// were deleted, it never again notices a new parameter of the same kind: it stops the informer that it shares with
// others, and a stopped informer is not restarted
// (kubernetes/apiserver:pkg/admission/plugin/policy/generic/policy_source.go).
func hasParams(r *conformance.Recording) bool {
	return slices.ContainsFunc(r.Configs, func(raw json.RawMessage) bool {
		var policy struct{ Spec struct{ ParamKind any } }
		return json.Unmarshal(raw, &policy) == nil && policy.Spec.ParamKind != nil
	})
}

// recordedAt is the address of the webhooks in the profiles.
const recordedAt = "127.0.0.1:28445"

// prepare copies the files of a profile into the folder of the server, and returns its flags.
func (r *Recorder) prepare(profile, folder string) (flags []string, err error) {
	from := os.DirFS(filepath.Join(r.profiles, profile))
	err = fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
		to := filepath.Join(folder, filepath.FromSlash(name))
		if err != nil || name == "." {
			return err
		}
		if entry.IsDir() {
			return os.Mkdir(to, 0o700)
		}
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		if name == "flags" {
			flags = strings.Fields(string(text))
			return nil
		}
		return os.WriteFile(to, r.localize(text, folder), 0o600)
	})
	return flags, err
}

// manifestsAt is the folder of static manifests in the profiles.
const manifestsAt = "/etc/kubernetes/admission/"

// bundle matches the CA bundles in static manifests.
var bundle = regexp.MustCompile(`(?m)(caBundle: ).*$`)

// localize replaces the addresses and folders in a file of a profile by those of this server.
func (r *Recorder) localize(text []byte, folder string) []byte {
	text = bytes.ReplaceAll(text, []byte(recordedAt), []byte(r.address))
	text = bytes.ReplaceAll(text, []byte(manifestsAt), []byte(folder+"/"))
	return bundle.ReplaceAll(text, []byte("${1}"+base64.StdEncoding.EncodeToString(r.authority)))
}
