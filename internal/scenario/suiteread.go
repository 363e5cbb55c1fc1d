package scenario

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/manifest"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// LoadSuites reads the suites in a file, with everything that they name. The files that they name are inside of o.Root.
// The error is an [Errors] with all mistakes; what could be read of the suites is returned as well.
func LoadSuites(file string, o manifest.Options) ([]Suite, error) {
	l := manifest.NewLoader(o)
	l.Within = cmp.Or(o.Root, path.Dir(file))
	l.File(file)
	var suites []Suite
	errs := l.Errs
	for i := range l.Found {
		m := &l.Found[i]
		if m.Group != manifest.Group || m.Kind != manifest.SuiteKind {
			hint := "suites begin with apiVersion: " + manifest.APIVersion + " and kind: " + manifest.SuiteKind + "; the manifests of a world go into other files"
			if near := manifest.DidYouMean(m.Kind, []string{manifest.SuiteKind}); near != "" && m.Group == manifest.Group {
				hint = near
			}
			errs.Add(m.Position("kind"), hint, "%s in a file of suites", m)
			continue
		}
		if manifest.KindOfForm(m, &errs) == manifest.SuiteForm {
			suites = append(suites, readSuite(m, o, &errs))
		}
	}
	if len(l.Found) == 0 && len(errs) == 0 {
		errs.Add(manifest.Source{File: file}, "a suite begins with apiVersion: "+manifest.APIVersion+" and kind: "+manifest.SuiteKind, "no suite in this file")
	}
	return suites, errs.Err()
}

// A suiteReader reads one suite.
type suiteReader struct {
	manifest.Value
	options manifest.Options
}

func readSuite(m *manifest.Manifest, o manifest.Options, errs *manifest.Errors) Suite {
	r := &suiteReader{Value: manifest.Form(m, errs), options: o}
	r.Mapping("apiVersion", "kind", "metadata", "world", "defaults", "backends", "services", "cases")
	s := Suite{Name: m.Name, Source: m.Source}
	if meta := r.At("metadata"); meta.Mapping("name", "labels", "annotations") && s.Name == "" {
		meta.At("name").Text()
	}
	checkLine(r.At("metadata").At("name"), s.Name)
	if s.Name == "" {
		s.Name = suiteNameOf(m.Source.File, o.FS == nil)
	}
	s.Backends.read(r.Value)
	r.world(&s)
	defaults := r.At("defaults")
	if defaults.Mapping("namespace", "user") {
		s.Defaults.Namespace = defaults.At("namespace").Text()
		if u := readUser(defaults.At("user")); u != nil {
			s.Defaults.User = *u
		}
	}
	r.cases(&s)
	return s
}

// suiteNameOf returns the name of a suite that has none: that of its file, or of its folder.
func suiteNameOf(file string, onDisk bool) string {
	base := strings.TrimSuffix(path.Base(file), path.Ext(file))
	if whole, err := filepath.Abs(file); err == nil && onDisk {
		file = filepath.ToSlash(whole)
	}
	if name, ok := strings.CutSuffix(base, manifest.SuiteSuffix); ok && name != "" {
		return name
	}
	if folder := path.Base(path.Dir(file)); folder != "." && folder != "/" && folder != ".." {
		return folder
	}
	return base
}

// world reads the world of a suite. Backends among its manifests come after those of the suite itself.
func (r *suiteReader) world(s *Suite) {
	v := r.At("world")
	s.World.Controllers = true
	if !v.Mapping("kubernetesVersion", "load", "objects", "plugins", "authorizer", "authorization", "assumeControllers") {
		return
	}
	s.World.Release = readRelease(v.At("kubernetesVersion"))
	if controllers := v.At("assumeControllers"); controllers.Given() {
		s.World.Controllers = controllers.Flag()
	}
	if p := r.plugins(v.At("plugins")); p != nil {
		s.World.Plugins = *p
	}
	everyone, roles := r.authorizer(v.At("authorizer"))
	if everyone != nil {
		s.World.AllowEveryone = *everyone
	}
	s.World.Authorization = r.authorization(v.At("authorization"))
	objects, incomplete := r.objects(v, &s.Backends)
	s.World.Objects, s.World.Incomplete = append(objects, roles...), incomplete
	for _, one := range v.At("load").List() {
		if name, ok := one.Is.(string); ok {
			s.World.Load = append(s.World.Load, path.Join(path.Dir(v.Of.Source.File), name))
		}
	}
}

// objects reads the manifests that v loads, and those that are written in it. incomplete means that some of them could
// not be read.
func (r *suiteReader) objects(v manifest.Value, b *Backends) (objects []manifest.Manifest, incomplete bool) {
	var found []manifest.Manifest
	before := len(*r.Errs)
	for _, one := range v.At("load").ListOfTexts() {
		found = append(found, r.load(one)...)
	}
	for _, one := range v.At("objects").List() {
		found = append(found, r.inline(one)...)
	}
	incomplete = len(*r.Errs) > before
	for i := range found {
		m := &found[i]
		switch manifest.KindOfForm(m, r.Errs) {
		case manifest.ObjectForm:
			objects = append(objects, *m)
		case manifest.BackendsForm:
			readBackends(m, b, r.Errs)
		case manifest.RequestForm, manifest.ReviewForm:
			r.Errs.Add(m.Source, "name it in a case: files that cases name are not loaded with a folder", "a request is not part of a world")
		}
	}
	return objects, incomplete
}

// load reads a file or folder.
func (r *suiteReader) load(v manifest.Value) []manifest.Manifest {
	name := v.Text()
	if name == "" {
		if !v.Given() {
			v.Wrong("a path")
		}
		return nil
	}
	full, ok := v.Named(name)
	if !ok {
		return nil
	}
	l := manifest.NewLoader(r.options)
	l.Path(full)
	r.fromFile(v, l.Errs)
	for i := range l.Found {
		l.Found[i].Within = r.root()
	}
	return l.Found
}

// fromFile adds the errors of files that v names. If a file cannot be read at all, the error is about v.
func (r *suiteReader) fromFile(v manifest.Value, errs manifest.Errors) {
	for _, err := range errs {
		if err.Line == 0 {
			err.Source, err.Message = v.Source(), v.Path+": "+err.Source.File+": "+err.Message
		}
	}
	*r.Errs = append(*r.Errs, errs...)
}

func (r *suiteReader) root() string { return cmp.Or(r.options.Root, path.Dir(r.Of.Source.File)) }

// inline reads an object that is written in the suite.
func (r *suiteReader) inline(v manifest.Value) []manifest.Manifest {
	if !manifest.AnyMapping(v) {
		if !v.Given() {
			v.Wrong("an object")
		}
		return nil
	}
	found := manifest.Manifests(v.Document(), r.Errs)
	for i := range found {
		found[i].Within, found[i].OnDisk = r.root(), r.Of.OnDisk
	}
	return found
}

func readRelease(v manifest.Value) string {
	text := v.Text()
	if text == "" {
		return ""
	}
	if _, err := kubeversion.Parse(text); err != nil {
		v.Errorf("", "%v", err)
		return ""
	}
	return text
}

func (r *suiteReader) plugins(v manifest.Value) *SuitePlugins {
	if !v.Mapping("enable", "disable", "config") {
		return nil
	}
	p := &SuitePlugins{Enable: v.At("enable").Texts(), Disable: v.At("disable").Texts(), Source: v.Source(), options: r.options}
	config := v.At("config")
	if name := config.Text(); name != "" {
		p.Config, _ = config.Named(name)
	}
	for _, name := range p.Enable {
		if slices.Contains(p.Disable, name) {
			v.Errorf("drop one of them", "%s is both enabled and disabled", name)
		}
	}
	return p
}

// Configuration reads the configuration of the running plugins; see [LoadAdmissionConfiguration].
func (p SuitePlugins) Configuration(running []string, r *kubeversion.Release) (*AdmissionConfiguration, error) {
	if p.Config == "" {
		return &AdmissionConfiguration{}, nil
	}
	return LoadAdmissionConfiguration(p.Config, running, r, p.options)
}

func (r *suiteReader) cases(s *Suite) {
	v := r.At("cases")
	cases := v.List()
	if _, isList := v.Is.([]any); r.Lacks("cases") || (isList && len(cases) == 0) {
		r.Errorf("list them under cases, each with name, request and expect", "no cases in suite %q", s.Name)
	}
	names := map[string]manifest.Source{}
	for _, one := range cases {
		c, ok := r.readCase(one)
		if !ok {
			continue
		}
		if first, twice := names[c.Name]; twice && c.Name != "" {
			one.At("name").Errorf("", "two cases are named %q, the first in %s", c.Name, first)
		}
		names[c.Name] = c.Source
		s.Cases = append(s.Cases, c)
	}
}
