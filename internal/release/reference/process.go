package reference

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// A process is a process that we started. Its output goes into a file NAME.log.
type process struct {
	name   string
	log    string
	cmd    *exec.Cmd
	ended  chan struct{}
	result error
}

func start(ctx context.Context, folder, name string, cmd *exec.Cmd) (*process, error) {
	p := &process{name: name, log: filepath.Join(folder, name+".log"), cmd: cmd, ended: make(chan struct{})}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt is for us, and we stop the process
	if err := cmd.Start(); err != nil {
		_ = log.Close()
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	go func() {
		p.result = cmd.Wait()
		_ = log.Close()
		close(p.ended)
	}()
	context.AfterFunc(ctx, p.stop)
	return p, nil
}

// until waits until ready returns true.
func (p *process) until(ctx context.Context, limit time.Duration, ready func() bool) error {
	deadline := time.After(limit)
	for !ready() {
		select {
		case <-p.ended:
			return fmt.Errorf("%s ended: %v\n%s", p.name, p.result, p.lastWords())
		case <-deadline:
			p.stop()
			return fmt.Errorf("%s was not ready after %s\n%s", p.name, limit, p.lastWords())
		case <-ctx.Done():
			p.stop() // before the command ends, which does not wait for others
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil
}

// lastWords returns the end of the log.
func (p *process) lastWords() []byte {
	text, _ := os.ReadFile(p.log)
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-10):], []byte("\n"))
}

// stop ends the process, gently at first.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(10 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
}

// freeAddress returns a loopback address on which nothing listens.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String(), nil
}
