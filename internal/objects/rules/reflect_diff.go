// kubernetes/kubernetes@v1.14.10:staging/src/k8s.io/apimachinery/pkg/util/diff/diff.go

package rules

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/gocmp"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// reflectDiff returns the difference between two values as the server wrote it before it used go-cmp: each place that
// differs, with both values as Go prints them.
func reflectDiff(r *kubeversion.Release, x, y *gocmp.Value) string {
	lines := []string{""}
	for _, d := range differences(field.NewPath("object"), x, y) {
		if r.Has(kubeversion.CommonStartsElided) {
			d.before, d.after = elided(d.before, d.after)
			lines = append(lines, d.path+":", "  a: "+d.before, "  b: "+d.after)
		} else {
			lines = append(lines, d.path+":", start("  a: "+d.before), start("  b: "+d.after))
		}
	}
	return strings.Join(lines, "\n")
}

// A difference is a place where two values differ, with the texts of both.
type difference struct{ path, before, after string }

// differences lists the differences between two values of one type.
func differences(at *field.Path, x, y *gocmp.Value) []difference {
	if equalValues(x, y) {
		return nil
	}
	whole := []difference{{at.String(), goText(x), goText(y)}}
	switch x.Kind {
	case gocmp.Struct:
		if hides(x) {
			return []difference{{at.String(), strconv.Quote(goText(x)), strconv.Quote(goText(y))}}
		}
		var all []difference
		for i, m := range x.Members {
			all = append(all, differences(at.Child(m.Key), m.Value, y.Members[i].Value)...)
		}
		return all
	case gocmp.Pointer:
		if x.Nil || y.Nil {
			return whole
		}
		return differences(at, x.Members[0].Value, y.Members[0].Value)
	case gocmp.Slice:
		if len(x.Members)+len(y.Members) == 0 {
			return whole
		}
		return differentElements(at, x.Members, y.Members)
	case gocmp.Map:
		if len(x.Members)+len(y.Members) == 0 {
			return whole
		}
		return differentEntries(at, x.Members, y.Members)
	}
	if _, ok := x.Origin.(time.Time); ok {
		return []difference{{at.String(), strconv.Quote(goText(x)), strconv.Quote(goText(y))}}
	}
	return whole
}

func differentElements(at *field.Path, x, y []gocmp.Member) (all []difference) {
	for i := range max(len(x), len(y)) {
		switch path := at.Index(i); {
		case i >= len(x):
			all = append(all, difference{path.String(), noValue, goText(y[i].Value)})
		case i >= len(y):
			all = append(all, difference{path.String(), goText(x[i].Value), noValue})
		default:
			all = append(all, differences(path, x[i].Value, y[i].Value)...)
		}
	}
	return all
}

func differentEntries(at *field.Path, x, y []gocmp.Member) (all []difference) {
	before := map[string]*gocmp.Value{}
	for _, m := range x {
		before[m.Key] = m.Value
	}
	for _, m := range y {
		path, was := at.Key(m.Key), before[m.Key]
		delete(before, m.Key)
		if was == nil {
			all = append(all, difference{path.String(), noValue, goText(m.Value)})
			continue
		}
		all = append(all, differences(path, was, m.Value)...)
	}
	for key, was := range before {
		all = append(all, difference{at.Key(key).String(), goText(was), noValue})
	}
	slices.SortFunc(all, func(a, b difference) int { return strings.Compare(a.path, b.path) })
	return all
}

// noValue is how Go prints that there is nothing.
const noValue = "<nil>"

// goText returns a value as Go prints it, which shows what an outermost pointer to a struct points to.
func goText(v *gocmp.Value) string {
	if v.Nil && v.Kind == gocmp.Pointer {
		return noValue
	}
	var b strings.Builder
	if v.Kind == gocmp.Pointer && v.Members[0].Value.Kind == gocmp.Struct {
		b.WriteByte('&')
		v = v.Members[0].Value
	}
	writeGo(&b, v)
	return b.String()
}

// hides reports whether a struct has fields that other packages do not see. It is compared as a whole.
func hides(v *gocmp.Value) bool {
	return slices.ContainsFunc(v.Members, func(m gocmp.Member) bool { return !unicode.IsUpper(rune(m.Key[0])) })
}

func equalValues(x, y *gocmp.Value) bool {
	if x.Kind == gocmp.Plain && x.Origin != nil {
		return reflect.DeepEqual(x.Origin, y.Origin)
	}
	return x.Nil == y.Nil && x.Text == y.Text && slices.EqualFunc(x.Members, y.Members, func(a, b gocmp.Member) bool {
		return a.Key == b.Key && equalValues(a.Value, b.Value)
	})
}

// mostShown is how many bytes of a value are shown.
const mostShown = 80

func start(line string) string { return line[:min(len(line), mostShown)] }

// elided shortens two texts to what is shown of them: from the start of what differs, if one of them is too long.
func elided(x, y string) (shownX, shownY string) {
	common := ""
	for (len(x) > mostShown || len(y) > mostShown) && len(x) > 4 && len(y) > 4 && x[:4] == y[:4] {
		common, x, y = "...", x[2:], y[2:]
	}
	cut := func(s string) string {
		if len(s) > mostShown {
			return s[:mostShown] + "..."
		}
		return s
	}
	return common + cut(x), common + cut(y)
}
