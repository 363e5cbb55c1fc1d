package recording

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/internal/projectfiles"
)

// A Source is a stream of records, plain or compressed.
type Source struct {
	Name string
	Size int64 // in bytes as stored, 0: not known
	Open func() (io.ReadCloser, error)
}

// Find returns the sources that paths name: files, folders with all below them whose names
// are those of logs, sorted by name and those that were rotated by age, and - for stdin.
// What exclude names is left out of folders.
func Find(paths []string, exclude projectfiles.Exclusions, stdin io.Reader) ([]Source, error) {
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
		below, err := folder(path, exclude)
		if err != nil {
			return nil, err
		}
		found = append(found, below...)
	}
	return found, nil
}

func folder(root string, exclude projectfiles.Exclusions) (found []Source, err error) {
	opened, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	excluded := false
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && path != root && exclude.Match(path) {
			excluded = true
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if err != nil || entry.IsDir() || !isLog(entry.Name()) || strings.HasPrefix(entry.Name(), ".") {
			return err
		}
		below, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		stat, err := opened.Stat(below) // behind a link too, as those of mounted volumes are
		if _, outside := os.Stat(path); err != nil && outside == nil {
			return fmt.Errorf("%s: a link that leads out of %s, or has an absolute path; name the file itself, or a folder that both are in", path, root)
		}
		if err != nil || !stat.Mode().IsRegular() {
			return err
		}
		s := file(path, stat)
		s.Open = func() (io.ReadCloser, error) { return os.OpenInRoot(root, below) }
		found = append(found, s)
		return nil
	})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s: no file in it ends in .log, .json, .jsonl or .ndjson, with or without .gz or .zst", root)
		if excluded {
			err = hint.Add(err, "maybe all of them are excluded")
		}
	}
	slices.SortStableFunc(found, func(a, b Source) int { return CompareNames(a.Name, b.Name) })
	return found, err
}

// CompareNames is the order of files in a folder: by name, and of a log that was rotated the oldest first.
func CompareNames(a, b string) int {
	ofA, ageA := rotated(a)
	ofB, ageB := rotated(b)
	return cmp.Or(strings.Compare(ofA, ofB), -cmp.Compare(ageA, ageB))
}

func file(path string, stat fs.FileInfo) Source {
	s := Source{Name: path, Open: func() (io.ReadCloser, error) { return os.Open(path) }}
	if stat.Mode().IsRegular() {
		s.Size = stat.Size()
	}
	return s
}

func isLog(name string) bool { return IsLines(name) || filepath.Ext(unpackedName(name)) == ".json" }

// IsLines reports whether a file is called as those are that hold a recording and nothing else: .log, .jsonl or
// .ndjson, packed or not, and logs that were rotated, such as audit.log.1 and audit.log-20261121.gz.
func IsLines(name string) bool {
	of, _ := rotated(name)
	switch filepath.Ext(of) {
	case ".log", ".jsonl", ".ndjson":
		return true
	}
	return false
}

var rotation = regexp.MustCompile(`\.log(\.|-)([0-9]+)$`)

// rotated is the log that a file was cut off, which is of age 0, and its age: the number that logrotate gives
// it, which grows, or a date, from which it is counted back.
func rotated(name string) (of string, age int) {
	name = unpackedName(name)
	m := rotation.FindStringSubmatch(name)
	if m == nil {
		return name, 0
	}
	n, err := strconv.Atoi(m[2])
	if err != nil {
		return name, 0
	}
	if m[1] == "-" {
		n = math.MaxInt - n
	}
	return strings.TrimSuffix(name, m[0]) + ".log", n
}

func unpackedName(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
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
	if err == nil {
		err = s.checkEncoding()
	}
	if err != nil {
		s.close()
		return nil, fmt.Errorf("%s: %w", src.Name, err)
	}
	return s, nil
}

// checkEncoding refuses what is not UTF-8, which no piece of could be read.
func (s *stream) checkEncoding() error {
	text := bufio.NewReaderSize(s.Reader, 64<<10) // as it is, where it is one
	s.Reader = text
	begin, _ := text.Peek(2)
	switch string(begin) {
	case "\xFF\xFE", "\xFE\xFF", "{\x00", "\x00{", "[\x00", "\x00[":
		return errors.New("it is UTF-16, and logs are UTF-8; iconv -f UTF-16 -t UTF-8 converts it")
	}
	return nil
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
