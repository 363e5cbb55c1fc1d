package main

import (
	"io"

	"github.com/admsim/admsim/internal/render"
	"github.com/admsim/admsim/internal/scenario"
)

// reading returns the options with which commands read manifests: kustomizations and Helm charts are built.
func reading(stdin io.Reader, opened func(name string)) scenario.Options {
	return scenario.Options{Stdin: stdin, Opened: opened, Builders: []scenario.Builder{render.Kustomize{}, render.Helm{}}}
}
