package integration

import (
	"context"
	_ "embed"
	"fmt"
	"go/format"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/admsim/admsim/internal/release/upstream"
)

// startsAdmsim is the file that starts admsim, in the package that starts servers for tests.
//
//go:embed _program/admsim.go
var startsAdmsim []byte

const servers = "cmd/kube-apiserver/app/testing"

// A cut replaces the text of a source file from one line on, up to another one.
type cut struct{ from, to, with string }

// changes lists what is changed in the sources, by file: servers are those of admsim, and configurations of v1beta1, which
// the tests write into etcd, are created as v1.
var changes = map[string][]cut{
	servers + "/testserver.go": {
		{"	completedOptions, err := s.Complete(tCtx)\n", "	etcdClient, _, err := GetEtcdClients(storageConfig.Transport)\n",
			"	loopback, stop, err := StartAdmsim(tCtx, s)\n	if err != nil {\n		return result, err\n	}\n"},
		{"	result.ClientConfig = restclient.CopyConfig(server", "	result.ClientConfig.QPS", "	result.ClientConfig = loopback\n"},
		{"		if instanceOptions.DisableInvariantChecks {\n", "	result.EtcdClient = etcdClient\n", "		stop()\n	}\n"},
	},
	"test/integration/framework/test_server.go": {
		{"	completedOptions, err := opts.Complete(ctx)\n", "	kubeAPIServerClient, err := client.NewForConfig(kubeAPIServerClientConfig)\n",
			"	if setup.ModifyServerConfig != nil {\n		t.Log(\"the configuration of the server is not modified\")\n	}\n" +
				"	kubeAPIServerClientConfig, stop, err := kubeapiservertesting.StartAdmsim(ctx, opts)\n	if err != nil {\n		t.Fatal(err)\n	}\n"},
		{"		// Scrape metrics before stopping\n", "		// Calling cancel function is stopping apiserver", "		stop()\n"},
		{"	\"k8s.io/kubernetes/cmd/kube-apiserver/app/options\"\n", "	\"k8s.io/kubernetes/pkg/",
			"	\"k8s.io/kubernetes/cmd/kube-apiserver/app/options\"\n	kubeapiservertesting \"k8s.io/kubernetes/cmd/kube-apiserver/app/testing\"\n"},
	},
	"test/integration/apiserver/admissionwebhook/admission_test.go": {stored("Validating"), stored("Mutating")},
}

// stored creates a configuration that the test would write into etcd.
func stored(kind string) cut {
	return cut{"	// Attaching Mutation webhook to API server\n	ctx :=", "	// make sure we can get the webhook", fmt.Sprintf(`	var created admissionregistrationv1.%[1]sWebhookConfiguration
	val, _ := json.Marshal(webhookConfig)
	if err := json.Unmarshal(val, &created); err != nil {
		return err
	}
	created.TypeMeta = metav1.TypeMeta{}
	none := admissionregistrationv1.SideEffectClassNone
	for i := range created.Webhooks {
		created.Webhooks[i].SideEffects = &none
	}
	if _, err := client.AdmissionregistrationV1().%[1]sWebhookConfigurations().Create(context.TODO(), &created, metav1.CreateOptions{}); err != nil {
		return err
	}

`, kind)}
}

// prepare writes the sources of a release, with these changes, and a module that builds them.
func prepare(ctx context.Context, version, folder string, progress io.Writer) error {
	fmt.Fprintf(progress, "downloading the source of Kubernetes %s\n", version)
	release, err := upstream.Download(ctx, version)
	if err != nil {
		return err
	}
	sources := filepath.Join(folder, "kubernetes")
	if err := os.RemoveAll(sources); err != nil {
		return err
	}
	if err := os.CopyFS(sources, os.DirFS(release.Dir)); err != nil {
		return err
	}
	for name, cuts := range changes {
		if err := rewrite(filepath.Join(sources, filepath.FromSlash(name)), cuts); err != nil {
			return fmt.Errorf("%s of Kubernetes %s: %w", name, version, err)
		}
	}
	if err := os.WriteFile(filepath.Join(sources, filepath.FromSlash(servers), "admsim.go"), startsAdmsim, 0o644); err != nil {
		return err
	}
	return release.WriteModule(filepath.Join(folder, "module"), "admsim.example/integration", map[string]string{upstream.Main: "../kubernetes"},
		map[string][]byte{"doc.go": []byte("// Package integration has no content.\npackage integration\n")})
}

// rewrite applies cuts to a file, and removes the imports that nothing uses any more.
func rewrite(file string, cuts []cut) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text := string(data)
	for _, c := range cuts {
		if text, err = c.apply(text); err != nil {
			return err
		}
	}
	data, err = format.Source([]byte(withoutUnused(text)))
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

func (c cut) apply(text string) (string, error) {
	before, rest, found := strings.Cut(text, c.from)
	if !found {
		return "", fmt.Errorf("the source has changed: there is no %q", strings.TrimSpace(c.from))
	}
	_, after, found := strings.Cut(rest, c.to)
	if !found {
		return "", fmt.Errorf("the source has changed: there is no %q", strings.TrimSpace(c.to))
	}
	return before + c.with + c.to + after, nil
}

var (
	importLine   = regexp.MustCompile(`(?m)^\t(?:(\w+) )?"([^"]+)"\n`)
	comment      = regexp.MustCompile(`//.*`)
	majorVersion = regexp.MustCompile(`/v\d+$`)
)

// withoutUnused returns the text of a Go file without imports that it does not use.
func withoutUnused(text string) string {
	code := comment.ReplaceAllString(text, "")
	return importLine.ReplaceAllStringFunc(text, func(line string) string {
		m := importLine.FindStringSubmatch(line)
		name := m[1]
		if name == "" {
			path := majorVersion.ReplaceAllString(m[2], "")
			name = path[strings.LastIndex(path, "/")+1:]
		}
		if name == "_" || regexp.MustCompile(`\b`+regexp.QuoteMeta(name)+`\.`).MatchString(code) {
			return line
		}
		return ""
	})
}
