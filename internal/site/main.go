// Site generates a static site from the documentation: the README, docs/ and the other pages that [sections] lists.
//
//	go run . -o dist/site
//
// The program fails if a page links to something that exists neither in the site nor in the repository, or if a page
// loads something from the network. It is a module of its own, since admsim does not need its libraries.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	repository := flag.String("C", "../..", "the `FOLDER` of the repository")
	to := flag.String("o", "../../dist/site", "the `FOLDER` to write to")
	flag.Parse()
	pages, err := build(*repository, *to)
	if err == nil {
		err = errors.Join(problems(*repository, *to)...)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "site: %v\n", err)
		os.Exit(1)
	}
	fmt.Printf("%d pages in %s\n", pages, *to)
}
