package command

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/admsim/admsim/internal/release/command/commandtest"
)

const asCommand = "ADMSIM_TEST_COMMAND"

// TestMain acts as a command if the environment says so: it starts a shell that starts a program, and waits.
func TestMain(m *testing.M) {
	if os.Getenv(asCommand) == "" {
		os.Exit(m.Run())
	}
	Main("test", func(ctx context.Context, _ []string, out, _ io.Writer) error {
		child := Child(ctx, "sh", "-c", "sleep 600 & echo $!; wait")
		child.Stdout = out
		return child.Run()
	})
}

// A terminated command ends what its children started.
func TestTermination(t *testing.T) {
	for _, how := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asCommand+"=1")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		grandchild, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(how); err != nil {
			t.Fatal(err)
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 2 {
			t.Errorf("%v: the command ended with %v, want code 2", how, err)
		}
		if !commandtest.Ended(grandchild) {
			t.Errorf("%v: process %d was left behind", how, grandchild)
			_ = syscall.Kill(grandchild, syscall.SIGKILL)
		}
	}
}
