package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// A wholeFile takes its place when all of it is written: nobody ever sees half of it, and what
// was there stays where the writing fails. A device, a pipe or a file in a folder that takes no
// others is written to as it is.
type wholeFile struct {
	*os.File
	place string // empty: written in place
}

// errUnfinished drops a file whose writing was given up for a reason that is told elsewhere.
var errUnfinished = errors.New("not all was written")

func createWhole(name string, mode fs.FileMode) (*wholeFile, error) {
	inPlace := func() (*wholeFile, error) {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode)
		if err != nil {
			return nil, err
		}
		return &wholeFile{File: f}, nil
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return inPlace()
	}
	place, err := filepath.EvalSymlinks(name) // a link stays one
	if err != nil {
		if _, err := os.Lstat(name); err == nil {
			return inPlace() // a link to what has no name, as /dev/stdout is to a file that was removed
		}
		place = name
	}
	f, err := createBeside(place, mode)
	if err != nil {
		return inPlace() // or the error that names the file
	}
	return &wholeFile{f, place}, nil
}

// createBeside makes a file in the folder of another, with a name that nobody uses. Who may read
// it is what mode, the umask and the file that it is to replace agree on.
func createBeside(place string, mode fs.FileMode) (*os.File, error) {
	for n := 0; ; n++ {
		name := filepath.Join(filepath.Dir(place), fmt.Sprintf(".admsim-%d-%d", os.Getpid(), n))
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if there, err := os.Stat(place); err == nil {
			if err := f.Chmod(there.Mode().Perm() & mode); err != nil {
				return nil, errors.Join(err, f.Close(), os.Remove(name))
			}
		}
		return f, nil
	}
}

// end puts the file into its place, or where err says that the writing failed, drops it.
func (f *wholeFile) end(err error) error {
	if f.place == "" {
		return errors.Join(err, f.Close())
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), f.place)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// writeWhole writes a file at once, and the folders that it is in.
func writeWhole(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := createWhole(name, resultMode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return f.end(err)
}

var errInterrupted = errors.New("interrupted")

// grace is how long a command has to put its files in order when it is interrupted.
const grace = time.Second

// interruptible is a context that ends when the user interrupts the command, so that it can
// put its files in order. If it cannot, since something that it waits for never returns, it is ended: a file
// is in its place whole or not at all, and the guards of programs end them. A second interrupt ends it at once.
func interruptible(ctx context.Context) (context.Context, func()) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	over := make(chan struct{})
	context.AfterFunc(ctx, func() {
		stop()
		select {
		case <-over:
		case <-time.After(grace):
			fmt.Fprintln(os.Stderr, "admsim: error: interrupted")
			os.Exit(exitUnknown)
		}
	})
	return ctx, sync.OnceFunc(func() { close(over); stop() })
}
