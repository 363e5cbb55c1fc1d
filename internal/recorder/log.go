package recorder

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Rotation says when a log begins a new file.
type Rotation struct {
	Size int64 // a new file begins after so many bytes on disk; 0: never
	Keep int   // how many old files are kept; 0: all
}

// A Log is a file of lines, compressed if its name ends in .zst or .gz. It may be used by one goroutine at a time.
//
// A full file is renamed to include a number, rec.jsonl.zst to rec-000001.jsonl.zst, so that the files sort by time. A
// file that exists already is renamed as well: nothing is overwritten, and a truncated file is not continued.
type Log struct {
	path     string // empty: no file
	rotation Rotation

	file    io.Writer
	close   func() error
	written int64 // to the file
	writer  flusher
}

// A flusher is a compressor, or a plain buffer.
type flusher interface {
	io.Writer
	Flush() error
}

// NewLog returns a log that writes to w.
func NewLog(w io.Writer) *Log {
	return &Log{file: w, close: func() error { return nil }, writer: bufio.NewWriter(w)}
}

// OpenLog starts a log in a file.
func OpenLog(path string, r Rotation) (*Log, error) {
	l := &Log{path: path, rotation: r}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		if info.Size() > 0 {
			if err := l.setAside(); err != nil {
				return nil, err
			}
		}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return l, l.open()
}

func (l *Log) open() error {
	// Other users must not read what the users of a cluster do.
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	l.file, l.written = file, 0
	l.close = func() error {
		if info, err := file.Stat(); err == nil && !info.Mode().IsRegular() {
			return file.Close() // a pipe cannot be synced
		}
		return errors.Join(file.Sync(), file.Close())
	}
	switch filepath.Ext(l.path) {
	case ".zst":
		l.writer, err = zstd.NewWriter(counting{l}, zstd.WithEncoderConcurrency(1))
	case ".gz":
		l.writer = gzip.NewWriter(counting{l})
	default:
		l.writer = bufio.NewWriter(counting{l})
	}
	return err
}

// Write writes a line. It reaches the file when the log is flushed.
func (l *Log) Write(line []byte) error {
	_, err := l.writer.Write(line)
	return err
}

// Flush writes buffered lines to the file, and starts a new file if this one is full.
func (l *Log) Flush() error {
	if err := l.writer.Flush(); err != nil {
		return err
	}
	if l.path == "" || l.rotation.Size == 0 || l.written < l.rotation.Size {
		return nil
	}
	if err := l.Close(); err != nil {
		return err
	}
	if err := l.setAside(); err != nil {
		return err
	}
	return l.open()
}

// Close flushes and closes the file.
func (l *Log) Close() error {
	var err error
	if c, ok := l.writer.(io.Closer); ok {
		err = c.Close()
	} else {
		err = l.writer.Flush()
	}
	return errors.Join(err, l.close())
}

type counting struct{ *Log }

func (c counting) Write(text []byte) (int, error) {
	n, err := c.file.Write(text)
	c.written += int64(n)
	return n, err
}

// setAside renames the file, and removes the oldest files if there are too many.
func (l *Log) setAside() error {
	base, suffix := split(l.path)
	old, err := numbers(base, suffix)
	if err != nil {
		return err
	}
	next := 1
	if len(old) > 0 {
		next = old[len(old)-1] + 1
	}
	if err := os.Rename(l.path, numbered(base, next, suffix)); err != nil {
		return err
	}
	old = append(old, next)
	for l.rotation.Keep > 0 && len(old) > l.rotation.Keep {
		if err := os.Remove(numbered(base, old[0], suffix)); err != nil {
			return err
		}
		old = old[1:]
	}
	return nil
}

func numbered(base string, n int, suffix string) string {
	return fmt.Sprintf("%s-%06d%s", base, n, suffix)
}

// split separates the extensions that say how to read a file: rec.jsonl.zst becomes rec and .jsonl.zst.
func split(path string) (base, suffix string) {
	base = path
	if ext := filepath.Ext(base); ext == ".zst" || ext == ".gz" {
		base = strings.TrimSuffix(base, ext)
	}
	base = strings.TrimSuffix(base, filepath.Ext(base))
	return base, path[len(base):]
}

// numbers returns the numbers of the renamed files, in order.
func numbers(base, suffix string) ([]int, error) {
	entries, err := os.ReadDir(filepath.Dir(base))
	if err != nil {
		return nil, err
	}
	name := regexp.MustCompile(`^` + regexp.QuoteMeta(filepath.Base(base)) + `-([0-9]{6,})` + regexp.QuoteMeta(suffix) + `$`)
	var found []int
	for _, entry := range entries {
		if match := name.FindStringSubmatch(entry.Name()); match != nil {
			if n, err := strconv.Atoi(match[1]); err == nil {
				found = append(found, n)
			}
		}
	}
	slices.Sort(found)
	return found, nil
}
