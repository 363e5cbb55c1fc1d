package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/auditlog"
	"github.com/admsim/admsim/internal/auditlog/policy"
	"github.com/admsim/admsim/internal/manifest"
	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/internal/serving"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// auditFlags are the flags of a server's audit log. They have the names of kube-apiserver's.
type auditFlags struct{ policy, path string }

func (f *auditFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.policy, "audit-policy-file", "", "`FILE` with the policy of the server's audit log, as for kube-apiserver")
	flags.StringVar(&f.path, "audit-log-path", "", "`FILE` to append the server's audit log to, or - for standard output; unlike --log, it is what a real server writes under the policy, secrets included")
}

// check refuses a log without a policy, which a server does not write, and a policy without a log, or without a file.
func (f auditFlags) check() error {
	switch {
	case f.path != "" && f.policy == "":
		return hinted(errors.New("--audit-log-path needs a policy"), "name one with --audit-policy-file; a kube-apiserver without a policy writes no audit log, either")
	case f.policy != "" && f.path == "":
		return hinted(errors.New("--audit-policy-file needs a log"), "name one with --audit-log-path FILE, or --audit-log-path=- for standard output")
	case f.policy != "" && f.policy != "-":
		if _, err := os.Stat(f.policy); err != nil {
			return fmt.Errorf("--audit-policy-file: %w", err)
		}
	}
	return nil
}

// open opens the audit log; nil if the server writes none.
func (f auditFlags) open(r *kubeversion.Release, stdout io.Writer, read []string, warn func(error)) (*auditFile, error) {
	if f.policy == "" {
		return nil, nil
	}
	if f.policy == "-" {
		return nil, hinted(errors.New("--audit-policy-file: the policy cannot come from standard input"), "write it to a file")
	}
	if info, err := os.Stat(f.policy); err == nil && info.IsDir() {
		return nil, hinted(fmt.Errorf("--audit-policy-file: %s is a folder", f.policy), "name a file in it")
	}
	p, warnings, err := policy.Load(f.policy, r, manifest.Options{})
	for _, w := range warnings {
		warn(w)
	}
	if err != nil || f.path == "" {
		return nil, err
	}
	if f.path == "-" {
		return &auditFile{Log: auditlog.NewLog(p, rawWriter(stdout), warn)}, nil
	}
	if err := ready([]output{{path: f.path}}, append(read, f.policy)); err != nil {
		return nil, fmt.Errorf("--audit-log-path: %w", err)
	}
	file, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, logMode)
	if err != nil {
		return nil, err
	}
	return &auditFile{auditlog.NewLog(p, file, warn), file}, nil
}

// An auditFile is an audit log with its file.
type auditFile struct {
	*auditlog.Log
	file *os.File // nil: standard output
}

// follow lets a server write the log.
func (f *auditFile) follow(o *serving.Options) {
	if f == nil {
		return
	}
	o.Staged = f.Staged
	wrote := o.Wrote
	o.Wrote = f.Wrote
	if wrote != nil {
		o.Wrote = func(a *serve.Answered) { wrote(a); f.Wrote(a) }
	}
}

func (f *auditFile) close() error {
	if f == nil {
		return nil
	}
	err := f.Close()
	if f.file != nil {
		err = errors.Join(err, f.file.Close())
	}
	if err != nil {
		return fmt.Errorf("writing the audit log: %w", err)
	}
	return nil
}
