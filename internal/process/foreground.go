package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/admsim/admsim/internal/hint"
)

// killAfter is how long a command may take to end once it is asked to.
const killAfter = 10 * time.Second

// A Foreground is the user's own command, which gets the terminal.
type Foreground struct {
	Args           []string
	Env            []string // NAME=value, in addition to admsim's environment
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Exists reports whether a command of that name can be run.
func Exists(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

// Run runs the command until it ends or ctx is done, and returns its exit code; if a signal ended it, what a shell
// would return. No permission is needed, since the user named the command on the command line.
func (f Foreground) Run(ctx context.Context) (code int, err error) {
	c := exec.CommandContext(ctx, f.Args[0], f.Args[1:]...)
	c.Env = append(os.Environ(), f.Env...)
	c.Stdin, c.Stdout, c.Stderr = f.Stdin, f.Stdout, f.Stderr
	c.Cancel = func() error { return c.Process.Signal(askSignal) }
	c.WaitDelay = killAfter
	err = c.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return 0, hint.Add(fmt.Errorf("%s: no such program", f.Args[0]), "programs are looked for in the folders of PATH; write ./"+filepath.Base(f.Args[0])+" for one in this folder")
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if code := exit.ExitCode(); code >= 0 {
			return code, nil
		}
		return byShells(exit.ProcessState), nil
	}
	return 0, err
}
