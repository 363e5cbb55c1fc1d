// Command image makes a container image of a program that was built for several platforms: a folder in the OCI image
// layout, or tags in a registry.
//
//	image -o dist/image dist/linux_amd64/admsim dist/linux_arm64/admsim
//	image -o dist/image -push ghcr.io/admsim/admsim -tag 0.5.0 -tag latest PROGRAM...
//
// It prints the name of the image with its digest, which is what gets signed. Credentials for pushing are looked up
// where docker login and podman login store them.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/admsim/admsim/internal/artifacts/image"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "image: error: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("image", flag.ContinueOnError)
	folder := flags.String("o", "", "folder to write, in the OCI image layout")
	repository := flags.String("push", "", "repository of a registry to push to")
	version := flags.String("version", "", "version; default: that in the program")
	var tags []string
	flags.Func("tag", "tag in the folder and in the registry; default: latest", func(s string) error {
		tags = append(tags, s)
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *folder == "" && *repository == "" {
		return fmt.Errorf("want -o or -push for where the image goes")
	}
	if len(tags) == 0 {
		tags = []string{"latest"}
	}
	var programs []*image.Program
	for _, path := range flags.Args() {
		p, err := image.Open(path)
		if err != nil {
			return err
		}
		programs = append(programs, p)
		if *version == "" {
			*version = p.Version
		}
	}
	made, err := image.New(*version, programs)
	if err != nil {
		return err
	}
	digest, err := made.Digest()
	if err != nil {
		return err
	}
	called := programs[0].Name
	if *folder != "" {
		if err := image.Write(*folder, made, tags); err != nil {
			return err
		}
	}
	if *repository != "" {
		if err := push(ctx, made, *repository, tags); err != nil {
			return fmt.Errorf("pushing to %s: %w", *repository, err)
		}
		called = *repository
	}
	_, err = fmt.Fprintf(stdout, "%s@%s\n", called, digest)
	return err
}

// push pushes the image with all tags. What a registry already has is not sent again.
func push(ctx context.Context, made v1.ImageIndex, repository string, tags []string) error {
	to, err := name.NewRepository(repository)
	if err != nil {
		return err
	}
	for _, tag := range tags {
		if err := remote.WriteIndex(to.Tag(tag), made, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)); err != nil {
			return err
		}
	}
	return nil
}
