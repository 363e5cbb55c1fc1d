package table

import (
	_ "embed"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/kubeversion"
)

//go:embed columns.txt
var columnLines string

//go:embed descriptions.txt
var descriptionLines string

// A span is a line that some releases have.
type span struct {
	releases kubeversion.Spans
	line     string
}

// spansOf reads one of the tables above: headings, and below each of them lines with the releases that have them.
func spansOf(lines string) map[string][]span {
	all, heading := map[string][]span{}, ""
	for line := range strings.Lines(lines) {
		line = strings.TrimSuffix(line, "\n")
		below, ok := strings.CutPrefix(line, "\t")
		switch {
		case strings.HasPrefix(line, "#"):
		case !ok:
			heading = line
		default:
			releases, rest, _ := strings.Cut(below, "\t")
			spans, err := kubeversion.ParseSpans(releases)
			if err != nil {
				panic("table: " + err.Error())
			}
			all[heading] = append(all[heading], span{spans, rest})
		}
	}
	return all
}

var (
	columnSpans      = sync.OnceValue(func() map[string][]span { return spansOf(columnLines) })
	descriptionSpans = sync.OnceValue(func() map[string][]span { return spansOf(descriptionLines) })
)

// columnsOf returns the columns of a built-in kind in a release, or none if the kind has no columns of its own.
func columnsOf(kind schema.GroupKind, release *kubeversion.Release) (columns []metav1.TableColumnDefinition) {
	for _, s := range columnSpans()[kind.String()] {
		if s.releases.Have(release.Minor) {
			if c, ok := column(s.line, release); ok {
				columns = append(columns, c)
			}
		}
	}
	return columns
}

// column reads a line, as the head of columns.txt describes it; ok is false if its gate is off.
func column(line string, release *kubeversion.Release) (c metav1.TableColumnDefinition, ok bool) {
	name, description, _ := strings.Cut(line, "\t")
	name, gate, gated := strings.Cut(name, "?")
	if gated && release.Disabled(gate) {
		return c, false
	}
	name, c.Format, _ = strings.Cut(name, "/")
	if c.Name, c.Type, ok = strings.Cut(name, ":"); !ok {
		c.Type = "string"
	}
	if wide, ok := strings.CutPrefix(c.Name, "+"); ok {
		c.Name, c.Priority = wide, 1
	}
	if c.Description = description; strings.HasPrefix(description, "$") {
		c.Description = describe(description[1:], release)
	}
	return c, true
}

// describe returns the description of a field in a release, such as ObjectMeta.name.
func describe(field string, release *kubeversion.Release) string {
	for _, s := range descriptionSpans()[field] {
		if s.releases.Have(release.Minor) {
			return strings.ReplaceAll(s.line, `\n`, "\n")
		}
	}
	return ""
}

func nameColumn(release *kubeversion.Release) metav1.TableColumnDefinition {
	return metav1.TableColumnDefinition{Name: "Name", Type: "string", Format: "name", Description: describe("ObjectMeta.name", release)}
}

// createdAt returns the column of kinds without columns of their own.
func createdAt(release *kubeversion.Release) metav1.TableColumnDefinition {
	return metav1.TableColumnDefinition{Name: "Created At", Type: "date", Description: describe("ObjectMeta.creationTimestamp", release)}
}
