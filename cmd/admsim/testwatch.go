package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/admsim/admsim/internal/suitefile"
)

// quiet is for how long nothing may have changed before suites run again: editors and git
// change several files at once.
const quiet = 100 * time.Millisecond

// again runs everything now, and whenever a file changes, until ctx is done. What goes wrong
// is printed and is not the end.
func (t *testCommand) again(ctx context.Context, paths []string, stdout, stderr io.Writer) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watching: %w", err)
	}
	defer watcher.Close()
	for {
		files, err := t.once(ctx, paths, stdout, stderr)
		if err != nil && !errors.Is(err, errDenied) && !errors.Is(err, errUnknown) {
			printError(stderr, err)
		}
		if err := watchAll(watcher, paths, files); err != nil {
			return fmt.Errorf("watching: %w", err)
		}
		fmt.Fprintln(stderr, "admsim: watching; interrupt to end")
		if done, err := changed(ctx, watcher); done || err != nil {
			return err
		}
	}
}

// changed returns once something changed and then did not for a moment.
func changed(ctx context.Context, watcher *fsnotify.Watcher) (done bool, err error) {
	var settled <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return true, nil
		case e := <-watcher.Events:
			if e.Op != fsnotify.Chmod && !strings.HasPrefix(filepath.Base(e.Name), ".") {
				settled = time.After(quiet)
			}
		case err := <-watcher.Errors:
			return true, fmt.Errorf("watching: %w", err)
		case <-settled:
			return false, nil
		}
	}
}

// watchAll watches the folders of suites and all below them, and those of what they load.
func watchAll(watcher *fsnotify.Watcher, paths []string, files *suitefile.Files) error {
	folders := map[string]bool{}
	for _, path := range orDefault(paths) {
		path = strings.TrimSuffix(strings.TrimSuffix(path, "..."), "/")
		if path == "" {
			path = "."
		}
		folders[path] = true
	}
	if files != nil {
		for _, one := range files.Load(reading(nil, nil)) {
			for _, s := range one.Suites {
				folders[filepath.Dir(s.Source.File)] = true
				for _, m := range s.World.Objects {
					folders[filepath.Dir(m.Source.File)] = true
				}
			}
		}
	}
	for folder := range folders {
		err := suitefile.Walk(folder, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil // it is gone, or never was
			case d.IsDir() && name != folder && suitefile.LeftOut(d.Name()) && d.Name() != "testdata": // whose files cases name
				return fs.SkipDir
			case d.IsDir():
				return watcher.Add(name)
			case name == folder:
				return watcher.Add(filepath.Dir(name))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
