package scenario

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// LoadSuites reads the suites in a file, with everything that they name. Files that they
// name are inside of o.Root. The error is an [Errors] with all that is wrong; what could be read of the suites
// is returned beside it.
func LoadSuites(file string, o Options) ([]Suite, error) {
	l := newLoader(o)
	l.root = cmp.Or(o.Root, path.Dir(file))
	l.file(file)
	var suites []Suite
	errs := l.errs
	for i := range l.found {
		m := &l.found[i]
		if m.Group != Group || m.Kind != SuiteKind {
			errs.Add(m.Position("kind"), "suites begin with apiVersion: "+APIVersion+" and kind: "+SuiteKind+"; what a world is made of goes into files of its own",
				"%s in a file of suites", m)
			continue
		}
		if m.formKind(map[string]formKind{SuiteKind: suiteForm}, &errs, version) == suiteForm {
			suites = append(suites, readSuite(m, o, &errs))
		}
	}
	if len(l.found) == 0 && len(errs) == 0 {
		errs.Add(Source{File: file}, "it begins with apiVersion: "+APIVersion+" and kind: "+SuiteKind, "no suite in this file")
	}
	return suites, errs.Err()
}

// A suiteReader reads one suite.
type suiteReader struct {
	value
	options Options
}

func readSuite(m *Manifest, o Options, errs *Errors) Suite {
	r := &suiteReader{value: form(m, errs), options: o}
	r.mapping("apiVersion", "kind", "metadata", "world", "defaults", "backends", "services", "cases")
	s := Suite{Name: m.Name, Source: m.Source}
	if meta := r.at("metadata"); meta.mapping("name", "labels", "annotations") && s.Name == "" {
		meta.at("name").text()
	}
	checkLine(r.at("metadata").at("name"), s.Name)
	if s.Name == "" {
		s.Name = suiteNameOf(m.Source.File, o.FS == nil)
	}
	s.Backends.read(r.value)
	r.world(&s)
	defaults := r.at("defaults")
	if defaults.mapping("namespace", "user") {
		s.Defaults.Namespace = defaults.at("namespace").text()
		if u := readUser(defaults.at("user")); u != nil {
			s.Defaults.User = *u
		}
	}
	r.cases(&s)
	return s
}

// suiteNameOf is what a suite is called that does not say: as its file, or its folder.
func suiteNameOf(file string, onDisk bool) string {
	base := strings.TrimSuffix(path.Base(file), path.Ext(file))
	if whole, err := filepath.Abs(file); err == nil && onDisk {
		file = filepath.ToSlash(whole)
	}
	if name, ok := strings.CutSuffix(base, suiteSuffix); ok && name != "" {
		return name
	}
	if folder := path.Base(path.Dir(file)); folder != "." && folder != "/" && folder != ".." {
		return folder
	}
	return base
}

// world reads what requests find. Backends among the manifests come after those of the
// suite itself.
func (r *suiteReader) world(s *Suite) {
	v := r.at("world")
	s.World.Controllers = true
	if !v.mapping("kubernetesVersion", "load", "objects", "plugins", "authorizer", "authorization", "assumeControllers") {
		return
	}
	s.World.Release = readRelease(v.at("kubernetesVersion"))
	if controllers := v.at("assumeControllers"); controllers.given() {
		s.World.Controllers = controllers.flag()
	}
	if p := r.plugins(v.at("plugins")); p != nil {
		s.World.Plugins = *p
	}
	everyone, roles := r.authorizer(v.at("authorizer"))
	if everyone != nil {
		s.World.AllowEveryone = *everyone
	}
	s.World.Authorization = modes(v.at("authorization"))
	objects, incomplete := r.objects(v, &s.Backends)
	s.World.Objects, s.World.Incomplete = append(objects, roles...), incomplete
	for _, one := range v.at("load").list() {
		if name, ok := one.is.(string); ok {
			s.World.Load = append(s.World.Load, path.Join(path.Dir(v.of.Source.File), name))
		}
	}
}

// objects reads the manifests that v loads, and those that are written in it. incomplete means that some of
// them could not be read.
func (r *suiteReader) objects(v value, b *Backends) (objects []Manifest, incomplete bool) {
	var found []Manifest
	before := len(*r.errs)
	for _, one := range v.at("load").listOfTexts() {
		found = append(found, r.load(one)...)
	}
	for _, one := range v.at("objects").list() {
		found = append(found, r.inline(one)...)
	}
	incomplete = len(*r.errs) > before
	for i := range found {
		m := &found[i]
		switch kindOfForm(m, r.errs) {
		case objectForm:
			objects = append(objects, *m)
		case backendsForm:
			readBackends(m, b, r.errs)
		case requestForm, reviewForm:
			r.errs.Add(m.Source, "name it in a case: what cases name is not loaded with a folder", "a request is no part of a world")
		}
	}
	return objects, incomplete
}

// load reads a file or folder.
func (r *suiteReader) load(v value) []Manifest {
	name := v.text()
	if name == "" {
		if !v.given() {
			v.wrong("a path")
		}
		return nil
	}
	full, ok := v.named(name)
	if !ok {
		return nil
	}
	l := newLoader(r.options)
	l.path(full)
	r.fromFile(v, l.errs)
	for i := range l.found {
		l.found[i].root = r.root()
	}
	return l.found
}

// fromFile adds errors of files that v names; that one cannot be read is wrong with v.
func (r *suiteReader) fromFile(v value, errs Errors) {
	for _, err := range errs {
		if err.Line == 0 {
			err.Source, err.Message = v.source(), v.path+": "+err.Source.File+": "+err.Message
		}
	}
	*r.errs = append(*r.errs, errs...)
}

func (r *suiteReader) root() string { return cmp.Or(r.options.Root, path.Dir(r.of.Source.File)) }

// inline reads an object that is written in the suite.
func (r *suiteReader) inline(v value) []Manifest {
	if !anyMapping(v) {
		if !v.given() {
			v.wrong("an object")
		}
		return nil
	}
	found := manifests(v.document(), r.errs)
	for i := range found {
		found[i].root, found[i].onDisk = r.root(), r.of.onDisk
	}
	return found
}

func readRelease(v value) string {
	text := v.text()
	if text == "" {
		return ""
	}
	if _, err := kubeversion.Parse(text); err != nil {
		v.errorf("", "%v", err)
		return ""
	}
	return text
}

func (r *suiteReader) plugins(v value) *SuitePlugins {
	if !v.mapping("enable", "disable", "config") {
		return nil
	}
	p := &SuitePlugins{Enable: v.at("enable").texts(), Disable: v.at("disable").texts(), Source: v.source(), options: r.options}
	config := v.at("config")
	if name := config.text(); name != "" {
		p.Config, _ = config.named(name)
	}
	for _, name := range p.Enable {
		if slices.Contains(p.Disable, name) {
			v.errorf("drop one of them", "%s is both enabled and disabled", name)
		}
	}
	return p
}

// Configuration is that of the plugins, of which those named run; see
// [LoadAdmissionConfiguration].
func (p SuitePlugins) Configuration(running []string, r *kubeversion.Release) (*AdmissionConfiguration, error) {
	if p.Config == "" {
		return &AdmissionConfiguration{}, nil
	}
	return LoadAdmissionConfiguration(p.Config, running, r, p.options)
}

func (r *suiteReader) cases(s *Suite) {
	v := r.at("cases")
	cases := v.list()
	if _, isList := v.is.([]any); r.lacks("cases") || (isList && len(cases) == 0) {
		r.errorf("list them under cases, each with name, request and expect", "no cases in suite %q", s.Name)
	}
	names := map[string]Source{}
	for _, one := range cases {
		c, ok := r.readCase(one)
		if !ok {
			continue
		}
		if first, twice := names[c.Name]; twice && c.Name != "" {
			one.at("name").errorf("", "two cases are called %q, the first in %s", c.Name, first)
		}
		names[c.Name] = c.Source
		s.Cases = append(s.Cases, c)
	}
}
