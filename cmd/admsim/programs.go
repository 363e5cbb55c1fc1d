package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/admsim/admsim/internal/consent"
	"github.com/admsim/admsim/internal/envtest"
	"github.com/admsim/admsim/internal/envtest/apiserver"
	"github.com/admsim/admsim/internal/envtest/credentials"
	"github.com/admsim/admsim/internal/envtest/etcd"
	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/process"
	"github.com/admsim/admsim/internal/report/formats"
	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/internal/serving"
	"github.com/admsim/admsim/pkg/simulator"
)

// runProgram runs admsim under the name of one of the programs in a folder for envtest.
func runProgram(ctx context.Context, name string, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if name != envtest.Kubectl { // kubectl gets the terminal itself
		stdout, stderr = inert.NewWriter(stdout), inert.NewWriter(withoutCredentials{stderr})
	}
	code, err := programs[name](ctx, args, stdin, stdout, stderr)
	if err != nil {
		printError(stderr, err)
		return exitDenied // as the real programs do
	}
	return code
}

type program func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int, err error)

var programs = map[string]program{envtest.KubeAPIServer: runAPIServer, envtest.Etcd: runEtcd, envtest.Kubectl: runKubectl}

// ownFolder returns the folder that contains the running program.
func ownFolder() (envtest.Folder, error) {
	self, err := os.Executable()
	if err != nil {
		return envtest.Folder{}, err
	}
	return envtest.FolderOf(self)
}

func runAPIServer(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) (int, error) {
	folder, err := ownFolder()
	if err != nil {
		return 0, err
	}
	if wantsVersion(args) {
		_, err := fmt.Fprintf(stdout, "Kubernetes v%s.0\n", folder.Release.Version)
		return 0, err
	}
	server, err := apiserver.Parse(args, folder.Release)
	if errors.Is(err, pflag.ErrHelp) {
		_, err := io.WriteString(stdout, apiserver.Help())
		return 0, err
	}
	if err != nil {
		return 0, err
	}
	collectAs("serve")
	say := saying(stderr)
	warn := warner(stderr)
	log, err := programLog(warn)
	if err != nil {
		return 0, err
	}
	policy, path := server.Audit()
	audit, err := auditFlags{policy, path}.open(server.Release, stdout, nil, warn)
	if err != nil {
		return 0, errors.Join(err, log.close())
	}
	logs := logs{warn: warn}
	options := serving.Options{
		Controllers: apiserver.Controllers(), Warn: warn, Logs: logs.serve, Created: time.Now(), Flags: server.Flags(), Words: textOf,
		Answered: func(a *serve.Answered) {
			logs.answered(a)
			if log != nil {
				log.answered(a)
			}
		},
	}
	audit.follow(&options)
	metrics := newServerMetrics(server.Release, server.Manifests())
	metrics.follow(&options)
	err = server.Run(ctx, apiserver.Surroundings{
		Consent: consent.New(consent.Options{}), Say: say,
		Start: func(sim *simulator.Simulator, c credentials.Clients) (apiserver.Cluster, error) {
			options.Tokens, options.NoAnonymous, options.Issuer = c.Tokens, c.NoAnonymous, c.Issuer
			cluster, err := serving.Start(sim, options)
			if err != nil {
				return nil, err
			}
			return reloadedCluster{cluster, metrics.reread(ctx, cluster, serving.Folders(server.Manifests(), server.Reread), say, warn)}, nil
		},
	})
	return 0, errors.Join(err, log.close(), audit.close())
}

// logVariable names the environment variable with the log of kube-apiserver, for tests that start it without flags of
// the user. If it is a folder, each server has a file of its own in it. Otherwise the servers of all test packages
// write to one file.
const logVariable = "ADMSIM_LOG"

func programLog(warn func(error)) (*requestLog, error) {
	path := os.Getenv(logVariable)
	if path == "" {
		return nil, nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() || os.IsPathSeparator(path[len(path)-1]) {
		if err := os.MkdirAll(path, 0o755); err != nil {
			return nil, err
		}
		path = filepath.Join(path, fmt.Sprintf("kube-apiserver-%d.log", os.Getpid()))
	}
	return (&logFlags{path: path, format: string(formats.Text), shared: true}).open(nil, nil, warn)
}

func runEtcd(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) (int, error) {
	if wantsVersion(args) {
		_, err := fmt.Fprintf(stdout, "etcd Version: %s (of admsim)\n", etcd.Version)
		return 0, err
	}
	server, err := etcd.Parse(args)
	if errors.Is(err, pflag.ErrHelp) {
		_, err := io.WriteString(stdout, etcd.Help())
		return 0, err
	}
	if err != nil {
		return 0, err
	}
	return 0, server.Run(ctx, saying(stderr))
}

func runKubectl(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
	folder, err := ownFolder()
	if err != nil {
		return 0, err
	}
	path, err := folder.Kubectl(os.Getenv("PATH"))
	if err != nil {
		return 0, err
	}
	return process.Foreground{Args: append([]string{path}, args...), Stdin: stdin, Stdout: stdout, Stderr: stderr}.Run(ctx)
}

func wantsVersion(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool { return arg == "--version" || strings.HasPrefix(arg, "--version=") })
}

func saying(stderr io.Writer) func(format string, args ...any) {
	return func(format string, args ...any) { fmt.Fprintf(stderr, "admsim: "+format+"\n", args...) }
}

// A reloadedCluster is reloaded when its static manifests change, until it is closed.
type reloadedCluster struct {
	apiserver.Cluster
	stop func()
}

func (c reloadedCluster) Close() {
	c.stop()
	c.Cluster.Close()
}
