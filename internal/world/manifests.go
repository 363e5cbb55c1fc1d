package world

import (
	"errors"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/simulator"
)

// Configure sets the configuration of plugins that a file contains.
func Configure(p *simulator.Plugins, c *scenario.AdmissionConfiguration) {
	p.Configuration, p.Located = c.Parts, c.Located
	p.Manifests = make(map[string][]simulator.Manifest, len(c.Manifests))
	for plugin, all := range c.Manifests {
		p.Manifests[plugin] = static(all)
	}
}

// Reread reads the folder of a plugin's static manifests again.
func Reread(c *scenario.AdmissionConfiguration, plugin string) ([]simulator.Manifest, error) {
	all, err := c.Reread(plugin)
	return static(all), err
}

func static(all []scenario.StaticManifest) []simulator.Manifest {
	made := make([]simulator.Manifest, len(all))
	for i := range all {
		m := &all[i]
		made[i] = simulator.Manifest{File: m.File, JSON: m.JSON, Source: m.Source.String(), Places: scenario.PlacesOf(&m.Manifest)}
	}
	return made
}

// placed returns errors about static manifests as errors about their places. It returns other errors as they are.
func placed(err error) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, one := range several.Unwrap() {
			all = append(all, placed(one))
		}
		return errors.Join(all...)
	}
	var wrong interface {
		error
		Place() string
		Hint() string
		Unwrap() error
	}
	if !errors.As(err, &wrong) || wrong.Place() == "" {
		return err
	}
	return &scenario.Error{Source: scenario.ParseSource(wrong.Place()), Message: wrong.Unwrap().Error(), Hint: wrong.Hint(), Err: wrong}
}
