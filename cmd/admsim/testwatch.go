package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suitefile"
)

// quiet is how long nothing must have changed before suites run again: editors and git change several files at once.
const quiet = 100 * time.Millisecond

// again runs everything now, and whenever a file changes, until ctx is done. Errors are printed and do not end it.
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
		w := watched{Watcher: watcher, whole: map[string]bool{}, files: map[string]bool{}}
		if err := w.all(paths, files); err != nil {
			return fmt.Errorf("watching: %w", err)
		}
		fmt.Fprintln(stderr, "admsim: watching; interrupt to end")
		if done, err := w.changed(ctx); done || err != nil {
			return err
		}
	}
}

// watched is what suites depend on. Folders that are only watched for a file in them may change otherwise: a webhook
// may write its log there.
type watched struct {
	*fsnotify.Watcher
	whole map[string]bool // folders
	files map[string]bool
}

// changed returns when something has changed and then nothing more for a moment.
func (w watched) changed(ctx context.Context) (done bool, err error) {
	var settled <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return true, nil
		case e := <-w.Events:
			name := filepath.Clean(e.Name)
			matters := w.whole[filepath.Dir(name)] && !strings.HasPrefix(filepath.Base(name), ".") || w.files[name]
			if e.Op != fsnotify.Chmod && matters {
				settled = time.After(quiet)
			}
		case err := <-w.Errors:
			return true, fmt.Errorf("watching: %w", err)
		case <-settled:
			return false, nil
		}
	}
}

// all watches the folders of suites and everything below them, the folders of what they load, and the programs that
// they start.
func (w watched) all(paths []string, files *suitefile.Files) error {
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
				w.programs(s, folders)
			}
		}
	}
	for folder := range folders {
		if err := w.folder(folder); err != nil {
			return err
		}
	}
	for file := range w.files {
		_ = w.Add(filepath.Dir(file)) // the program and its folder may not have been built yet
	}
	return nil
}

// folder watches a folder and everything below it, or the folder of a file.
func (w watched) folder(folder string) error {
	add := func(name string) error {
		w.whole[filepath.Clean(name)] = true
		return w.Add(name)
	}
	return suitefile.Walk(folder, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // deleted, or never existed
		case d.IsDir() && name != folder && suitefile.LeftOut(d.Name()) && d.Name() != "testdata": // which cases use
			return fs.SkipDir
		case d.IsDir():
			return add(name)
		case name == folder:
			return add(filepath.Dir(name))
		}
		return nil
	})
}

// programs adds the files and folders in the commands of webhooks, such as ./bin/webhook, webhook.js in node
// webhook.js, and ./webhook in go run ./webhook.
func (w watched) programs(s scenario.Suite, folders map[string]bool) {
	backends := slices.Clone(s.Backends.List)
	for _, c := range s.Cases {
		backends = append(backends, c.Override.Backends.List...)
	}
	for _, b := range backends {
		if b.Command == nil {
			continue
		}
		for i, arg := range b.Command.Args {
			name, isPath := arg, strings.ContainsAny(arg, "/.")
			if !filepath.IsAbs(name) {
				name = filepath.Join(b.Folder(), arg)
			}
			info, err := os.Stat(name)
			switch {
			case err != nil && i == 0 && isPath, err == nil && info.Mode().IsRegular() && (i > 0 || isPath):
				w.files[filepath.Clean(name)] = true
			case err == nil && info.IsDir() && isPath:
				folders[name] = true
			}
		}
	}
}
