// Command admsim simulates what the admission chain of a kube-apiserver does with a
// request, and explains it.
package main

import (
	"context"
	"os"
)

func main() { os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
