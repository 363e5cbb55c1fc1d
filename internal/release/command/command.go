// Package command is what the commands of this module share: [Main] runs them, [Flags] returns their flags, and [Child]
// starts other programs.
//
// A command that is interrupted or terminated ends the programs that it started, and those that they started in turn.
// So nothing is left behind if make, timeout or a CI system ends it.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// ErrDiffers is the error of a command that found a difference and has printed it.
var ErrDiffers = errors.New("there are differences")

// Main runs a command until it ends or is told to, and exits with 0 without an error, 1 for [ErrDiffers], 2 for other
// errors.
func Main(name string, run func(ctx context.Context, args []string, out, progress io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return
	case errors.Is(err, ErrDiffers):
		os.Exit(1)
	}
	fmt.Fprintf(os.Stderr, "%s: error: %v\n", name, err)
	os.Exit(2)
}

// Flags returns the flags of a command, with its usage.
func Flags(name, usage string, progress io.Writer) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(progress)
	flags.Usage = func() { fmt.Fprint(progress, usage); flags.PrintDefaults() }
	return flags
}

// gracePeriod is how long a child may take to end after it was asked to.
const gracePeriod = 10 * time.Second

// EndOrphans ends what a [Child] started and left behind, after it has ended itself.
func EndOrphans(child *exec.Cmd) {
	if child.Process != nil {
		_ = syscall.Kill(-child.Process.Pid, syscall.SIGKILL) // or there is nothing
	}
}

// Child is [exec.CommandContext] for a program that may start others, as the go command does: when ctx is done, all of
// them are asked to end, and are killed if they do not.
func Child(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = gracePeriod
	cmd.Cancel = func() error {
		group := -cmd.Process.Pid
		time.AfterFunc(gracePeriod, func() { _ = syscall.Kill(group, syscall.SIGKILL) })
		return syscall.Kill(group, syscall.SIGTERM)
	}
	return cmd
}
