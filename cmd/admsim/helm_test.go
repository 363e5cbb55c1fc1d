package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// helm implements as much of the program as admsim uses; internal/helm has tests with the real one.
func helm() {
	if len(os.Args) < 4 || os.Args[1] != "template" {
		fmt.Fprintln(os.Stderr, "Error: unknown command")
		os.Exit(1)
	}
	release, chart := os.Args[2], os.Args[3]
	templates, err := filepath.Glob(filepath.Join(chart, "templates", "*.yaml"))
	if err != nil {
		panic(err)
	}
	for _, name := range templates {
		text, err := os.ReadFile(name)
		if err != nil {
			panic(err)
		}
		source := path.Join(release, "templates", filepath.Base(name))
		before, _, fails := strings.Cut(string(text), "{{ fail")
		if fails {
			fmt.Fprintf(os.Stderr, "Error: execution error at (%s:%d:4): set a host\n\nUse --debug flag to render out invalid YAML\n", source, 1+strings.Count(before, "\n"))
			os.Exit(1)
		}
		fmt.Printf("---\n# Source: %s\n%s", source, strings.ReplaceAll(string(text), "{{ .Release.Name }}", release))
	}
}
