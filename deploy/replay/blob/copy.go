package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"sync"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/gcerrors"
	"golang.org/x/sync/errgroup"
)

// A result counts what was copied.
type result struct {
	mutex         sync.Mutex
	copied, there int
	bytes         int64
}

// copyAll copies everything in one place to another one.
func copyAll(ctx context.Context, from, to string, parallel int) (*result, error) {
	source, err := open(ctx, from, false)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", from, err)
	}
	defer source.Close()
	target, err := open(ctx, to, true)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", to, err)
	}
	r := &result{}
	err = r.all(ctx, source, target, parallel)
	if err := errors.Join(err, target.Close()); err != nil {
		return nil, err
	}
	if r.copied+r.there == 0 {
		return nil, fmt.Errorf("there is nothing in %s", from)
	}
	return r, nil
}

// open opens a bucket by its URL, or a folder as a bucket. A file in a folder gets its name only when it is complete.
func open(ctx context.Context, place string, make bool) (*blob.Bucket, error) {
	if u, err := url.Parse(place); err == nil && u.Scheme != "" {
		return blob.OpenBucket(ctx, place)
	}
	folder, err := filepath.Abs(place)
	if err != nil {
		return nil, err
	}
	return fileblob.OpenBucket(folder, &fileblob.Options{CreateDir: make, NoTempDir: true, Metadata: fileblob.MetadataDontWrite})
}

func (r *result) all(ctx context.Context, source, target *blob.Bucket, parallel int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for list := source.List(nil); ; {
		o, err := list.Next(ctx)
		if errors.Is(err, io.EOF) {
			return group.Wait()
		}
		if err != nil {
			return errors.Join(err, group.Wait())
		}
		if o.IsDir || strings.HasSuffix(o.Key, "/") { // placeholders for folders that consoles create
			continue
		}
		group.Go(func() error {
			if err := r.one(ctx, source, target, o); err != nil {
				return fmt.Errorf("%s: %w", o.Key, err)
			}
			return nil
		})
	}
}

// one copies an object unless the target already has it. If the source knows its checksum, so does the target.
func (r *result) one(ctx context.Context, source, target *blob.Bucket, o *blob.ListObject) error {
	switch there, err := target.Attributes(ctx, o.Key); {
	case err == nil && there.Size == o.Size && !there.ModTime.Before(o.ModTime):
		r.note(0, false)
		return nil
	case err != nil && gcerrors.Code(err) != gcerrors.NotFound:
		return err
	}
	in, err := source.NewReader(ctx, o.Key, nil)
	if err != nil {
		return err
	}
	defer in.Close()
	err = target.Upload(ctx, o.Key, in, &blob.WriterOptions{ContentType: in.ContentType(), ContentMD5: o.MD5})
	if err == nil {
		r.note(o.Size, true)
	}
	return err
}

func (r *result) note(bytes int64, copied bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.bytes += bytes; copied {
		r.copied++
	} else {
		r.there++
	}
}
