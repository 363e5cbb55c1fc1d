// Site makes a static site of the documentation: the README, docs/ and the other pages that [sections] lists.
//
//	go run . -o dist/site
//
// What a page links to has to exist, in the site or in the repository, and nothing on a page comes from the network. The
// program fails otherwise. It is a module of its own, since the libraries that it needs are of no use to admsim.
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
