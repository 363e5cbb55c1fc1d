package recording

import (
	"bufio"
	"bytes"

	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A Source is a stream of records, plain or compressed.
type Source struct {
	Name string
	Size int64 // in bytes as stored, 0: not known
	Open func() (io.ReadCloser, error)
}

// Find returns the sources that paths name: files, folders with all below them whose names
// are those of logs, sorted by name, and - for stdin.
func Find(paths []string, stdin io.Reader) ([]Source, error) {
	var found []Source
	for _, path := range paths {
		if path == "-" {
			open := func() (io.ReadCloser, error) { return io.NopCloser(stdin), nil }
			found = append(found, Source{Name: "-", Open: open})
			continue
		}
		stat, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !stat.IsDir() {
			found = append(found, file(path, stat))
			continue
		}
		below, err := folder(path)
		if err != nil {
			return nil, err
		}
		found = append(found, below...)
	}
	return found, nil
}

func folder(root string) (found []Source, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isLog(entry.Name()) {
			return err
		}
		stat, err := os.Stat(path) // behind a link too, as those of mounted volumes are
		if err != nil || !stat.Mode().IsRegular() {
			return err
		}
		found = append(found, file(path, stat))
		return nil
	})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s: no file in it is called .log, .json, .jsonl or .ndjson, with or without .gz or .zst", root)
	}
	return found, err
}

func file(path string, stat fs.FileInfo) Source {
	s := Source{Name: path, Open: func() (io.ReadCloser, error) { return os.Open(path) }}
	if stat.Mode().IsRegular() {
		s.Size = stat.Size()
	}
	return s
}

func isLog(name string) bool {
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	switch filepath.Ext(name) {
	case ".log", ".json", ".jsonl", ".ndjson":
		return !strings.HasPrefix(name, ".")
	}
	return false
}

// A stream is an open source: what it says once unpacked, while read counts the bytes as
// they are stored.
type stream struct {
	io.Reader
	closers []func()
}

func (s *stream) close() {
	for _, c := range s.closers {
		c()
	}
}

// open opens a source, and unpacks it if it begins like something packed, whatever its
// name is.
func open(src Source, read *atomic.Int64) (*stream, error) {
	in, err := src.Open()
	if err != nil {
		return nil, err
	}
	s := &stream{closers: []func(){func() { _ = in.Close() }}}
	stored := bufio.NewReaderSize(counted{in, read}, 64<<10)
	begin, _ := stored.Peek(4) // what went wrong is said by Read
	switch {
	case bytes.HasPrefix(begin, []byte("\x1f\x8b")):
		var z *gzip.Reader
		z, err = gzip.NewReader(stored)
		s.Reader = unpacked{z}
	case bytes.Equal(begin, []byte("\x28\xb5\x2f\xfd")):
		var z *zstd.Decoder
		z, err = zstd.NewReader(stored, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		if err == nil {
			s.Reader, s.closers = unpacked{z}, append(s.closers, z.Close)
		}
	default:
		s.Reader = stored
	}
	if err != nil {
		s.close()
		return nil, fmt.Errorf("%s: %w", src.Name, err)
	}
	return s, nil
}

// unpacked says of a file that was cut off what is wrong with it.
type unpacked struct{ io.Reader }

func (u unpacked) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("the compressed file ends early: %w", err)
	}
	return n, err
}

type counted struct {
	io.Reader
	read *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read.Add(int64(n))
	return n, err
}
