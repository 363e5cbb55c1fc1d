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

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/internal/projectfiles"
)

// A Source is a stream of records, plain or compressed.
type Source struct {
	Name string
	Size int64 // in bytes as stored; 0: unknown
	Open func() (io.ReadCloser, error)
}

// Find returns the sources that paths name: a file, all logs in and below a folder, or - for stdin. Logs in a folder
// are recognised by their names, and sorted by name and, if they were rotated, by age. Files and folders that exclude
// matches are left out. A file that several paths name is read once.
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
	return once(found), nil
}

// once leaves out sources that are there already.
func once(all []Source) (kept []Source) {
	seen := map[string]bool{}
	for _, s := range all {
		if name := filepath.Clean(s.Name); !seen[name] {
			seen[name] = true
			kept = append(kept, s)
		}
	}
	return kept
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
		stat, err := opened.Stat(below) // follows links, which the files of mounted volumes are
		if _, outside := os.Stat(path); err != nil && outside == nil {
			return hint.Add(fmt.Errorf("%s: a link that leads out of %s, or has an absolute path", path, root), "name the file itself, or a folder that both are in")
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

// CompareNames orders the files in a folder: by name, and the files of a rotated log from the oldest to the newest.
func CompareNames(a, b string) int {
	logA, ageA := rotated(a)
	logB, ageB := rotated(b)
	return cmp.Or(strings.Compare(logA, logB), -cmp.Compare(ageA, ageB))
}

func file(path string, stat fs.FileInfo) Source {
	s := Source{Name: path, Open: func() (io.ReadCloser, error) { return os.Open(path) }}
	if stat.Mode().IsRegular() {
		s.Size = stat.Size()
	}
	return s
}

func isLog(name string) bool { return IsLines(name) || filepath.Ext(unpackedName(name)) == ".json" }

// IsLines reports whether the name of a file says that it holds nothing but a recording: .log, .jsonl or .ndjson,
// compressed or not, and rotated logs such as audit.log.1 and audit.log-20261121.gz.
func IsLines(name string) bool {
	log, _ := rotated(name)
	switch filepath.Ext(log) {
	case ".log", ".jsonl", ".ndjson":
		return true
	}
	return false
}

var rotation = regexp.MustCompile(`\.log(\.|-)([0-9]+)$`)

// rotated returns the name of the log that a rotated file belongs to, and the file's age. The current file has age 0.
// The age is the number that logrotate appends, which grows, or one that shrinks with a later date.
func rotated(name string) (log string, age int) {
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

// A stream is an open source. Its contents are decompressed, while read counts the bytes as stored.
type stream struct {
	io.Reader
	closers []func()
}

func (s *stream) close() {
	for _, c := range s.closers {
		c()
	}
}

// open opens a source, and decompresses it if it begins like a compressed file, whatever its name is.
func open(src Source, read *atomic.Int64) (*stream, error) {
	in, err := src.Open()
	if err != nil {
		return nil, err
	}
	s := &stream{closers: []func(){func() { _ = in.Close() }}}
	stored := bufio.NewReaderSize(counted{in, read}, 64<<10)
	begin, _ := stored.Peek(4) // Read will return the error
	switch {
	case bytes.HasPrefix(begin, []byte("\x1f\x8b")):
		var z *gzip.Reader
		if z, err = gzip.NewReader(stored); err != nil {
			err = explained(err)
		}
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

// checkEncoding refuses text that is not UTF-8, none of which could be parsed.
func (s *stream) checkEncoding() error {
	text := bufio.NewReaderSize(s.Reader, 64<<10) // the same reader, if it is one already
	s.Reader = text
	begin, _ := text.Peek(2)
	switch string(begin) {
	case "\xFF\xFE", "\xFE\xFF", "{\x00", "\x00{", "[\x00", "\x00[":
		return hint.Add(errors.New("it is UTF-16, and logs are UTF-8"), "convert it: iconv -f UTF-16 -t UTF-8")
	}
	return nil
}

// unpacked explains the errors of a truncated file and of a damaged one.
type unpacked struct{ io.Reader }

func (u unpacked) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = explained(err)
	}
	return n, err
}

func explained(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the compressed file ends early: %w", err)
	case errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("what follows the compressed data is not compressed: %w", err)
	case errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt), errors.Is(err, zstd.ErrCRCMismatch):
		return fmt.Errorf("the compressed file is damaged, and so may be what was read of it: %w", err)
	}
	return err
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
