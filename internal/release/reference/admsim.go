package reference

import (
	"context"
	"net/http"
	"os/exec"
	"path/filepath"
	"time"
)

// StartAdmsim starts admsim serve instead of a kube-apiserver, and returns when it is ready.
func StartAdmsim(ctx context.Context, binary, folder string, flags ...string) (*Server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	s := &Server{url: "https://" + address, token: Admin, client: newClient(), Audit: &AuditLog{file: filepath.Join(folder, "audit.log")}}
	own := []string{
		"serve", "--listen=" + address, "--token=" + s.token, "--kubeconfig=kubeconfig",
		"--log=" + s.Audit.file, "--log-format=audit", "--log-reads", "--no-redact",
	}
	s.process, err = start(ctx, folder, "admsim", exec.Command(binary, append(own, flags...)...))
	if err != nil {
		return nil, err
	}
	return s, s.process.until(ctx, time.Minute, func() bool {
		answer, err := s.Do(ctx, Request{Method: http.MethodGet, Path: "/healthz"})
		return err == nil && answer.Code == http.StatusOK
	})
}
