// Command admsim-bucket copies what is below a prefix of a bucket, or in a folder, to another bucket or folder:
// recordings and worlds to where admsim replay reads them, and results to where they are kept.
//
// It is a separate program in a module of its own: the clients of three clouds are larger than admsim itself, which
// needs none of them.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	_ "gocloud.dev/blob/azureblob" // azblob://
	_ "gocloud.dev/blob/gcsblob"   // gs://
	_ "gocloud.dev/blob/s3blob"    // s3://
)

const usage = `usage: admsim-bucket [-j N] FROM TO

FROM and TO are folders, or buckets as gocloud.dev names them. With a prefix, only objects below it are
copied, under names without it:

  s3://BUCKET?region=eu-central-1&prefix=replay/
  gs://BUCKET?prefix=replay/
  azblob://CONTAINER?prefix=replay/       the account is in AZURE_STORAGE_ACCOUNT

What already exists with the same size and is not older is not copied again. Nothing is deleted.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stderr))
}

// run returns the exit code.
func run(ctx context.Context, args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet("admsim-bucket", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage) }
	parallel := flags.Int("j", 8, "how many to copy at once")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() != 2 || *parallel < 1 {
		flags.Usage()
		return 2
	}
	done, err := copyAll(ctx, flags.Arg(0), flags.Arg(1), *parallel)
	if err != nil {
		fmt.Fprintf(stderr, "admsim-bucket: error: %v\n", err)
		return 1
	}
	fmt.Fprintf(stderr, "admsim-bucket: %d copied, %d bytes; %d were there\n", done.copied, done.bytes, done.there)
	return 0
}
