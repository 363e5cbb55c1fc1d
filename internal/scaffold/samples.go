package scaffold

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/smallest"
	"github.com/admsim/admsim/internal/worlds"
	"github.com/admsim/admsim/pkg/trace"
)

// samples are objects for which webhooks and policies are called, each in a file of testdata.
type samples struct {
	*Builder
	world     *worlds.Loaded
	manifests []scenario.Manifest // of the user
	all       []*sample
}

// A sample is one of these objects.
type sample struct {
	name, kind string
	key        string    // distinguishes it from other samples
	subjects   []subject // what the sample is for
	of         schema.GroupVersionKind
	object     map[string]any
	defined    *definition // of a sample that is for a definition, and not for subjects
}

func (s *sample) file() string { return "testdata/" + s.name + ".yaml" }

// add adds an object for which s is called, unless an existing sample will do.
func (all *samples) add(s subject) error {
	resource, ok := creatable(all.world.Simulator().Resources().All(), s.rules)
	if !ok {
		hint := "is a CustomResourceDefinition missing in what was given?"
		switch {
		case len(s.rules) == 0:
			hint = "it has no rules: use the configuration as it is in a cluster, where a controller may have written them (admsim snapshot)"
		case !s.creates():
			hint = "its rules are about other operations: write a case with a request for one of them"
		}
		all.Warn(&scenario.Error{
			Source:  s.at,
			Message: s.String() + " is not asked about anything that is created; there is no case for it",
			Hint:    hint,
		})
		return nil
	}
	namespace, why, wanted := "", "", wantedLabels(s.objects)
	if resource.Namespaced {
		namespace, why = all.namespace(s)
	}
	key := fmt.Sprint(resource.Kind, namespace, wanted)
	if i := slices.IndexFunc(all.all, func(one *sample) bool { return one.key == key }); i >= 0 {
		all.all[i].subjects = append(all.all[i].subjects, s)
		return nil
	}
	one := &sample{kind: strings.ToLower(resource.Kind.Kind), key: key, subjects: []subject{s}, of: resource.Kind}
	if one.name = one.kind; all.isTaken(one.name) {
		one.name = plainName(one.kind + "-for-" + s.word())
	}
	one.name = freeName(one.name, all.isTaken)
	object := smallest.Object(resource.Kind, "sample", namespace, resource.CRD)
	one.object = object
	if len(wanted) > 0 {
		object["metadata"].(map[string]any)["labels"] = wanted
	}
	data, err := manifest(object)
	if err != nil {
		return err
	}
	if namespace != "" && namespace != metav1.NamespaceDefault {
		all.Note(fmt.Sprintf("%s is in namespace %s, %s", one.file(), namespace, why))
	}
	all.files[one.file()] = data
	all.all = append(all.all, one)
	return nil
}

// isTaken reports whether another sample has a name.
func (all *samples) isTaken(name string) bool { return all.files["testdata/"+name+".yaml"] != nil }

// skipped reports whether a hook that the sample is for was not called for it.
func (s *sample) skipped(h hook) bool {
	return !h.called() && slices.ContainsFunc(s.subjects, func(one subject) bool { return one.configuration == h.Configuration && one.name == h.Name })
}

// fails returns a warning for each subject of the sample in which an expression fails for it: the case takes that for
// what is wanted.
func (s *sample) fails(r *result) (warnings []*scenario.Error) {
	for _, one := range s.subjects {
		h := one.in(r)
		if h == nil {
			continue
		}
		e := h.failure()
		if e == nil {
			continue
		}
		then := ", and so denies the request"
		if h.Outcome == trace.FailedOpen {
			then = ", which its failurePolicy ignores"
		}
		warnings = append(warnings, &scenario.Error{
			Source:  one.at,
			Message: fmt.Sprintf("%s fails for %s%s: %s: %s", one, s.file(), then, e.Field, e.Error),
			Hint:    "correct the expression, for example with has() or .?, or change that object; then adapt what its case expects",
		})
	}
	return warnings
}

// notAsked returns a warning for each subject of the sample that is not called for it, with the reason.
func (s *sample) notAsked(r *result) (warnings []*scenario.Error) {
	for _, one := range s.subjects {
		h := one.in(r)
		why := ""
		switch {
		case h != nil && h.called():
			continue
		case h != nil:
			why = h.Because
		case !r.Allowed() && r.Status() != nil:
			why = "the request is refused earlier: " + r.Status().Message
		default:
			continue // its plugin does not run
		}
		warnings = append(warnings, &scenario.Error{
			Source:  one.at,
			Message: fmt.Sprintf("%s is not asked about %s: %s", one, s.file(), why),
			Hint:    "change that object so that it is, and adapt what its case expects",
		})
	}
	return warnings
}
