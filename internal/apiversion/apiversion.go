// Package apiversion names the versions of admsim's own formats: of the files that it reads, and of the documents that it
// prints. docs/compatibility.md says what a version promises.
package apiversion

// Group is that of all formats.
const Group = "admsim.dev"

// Written is the version of all that is written today.
const Written = Group + "/v1beta1"

// Versions are those that are read, the one that is written first. They have the same fields: v1alpha1 was frozen as
// v1beta1. A version that differs needs more of internal/migrate than another name.
func Versions() []string { return []string{"v1beta1", "v1alpha1"} }

// Read are these with their group, as files say them.
func Read() []string { return of("") }

// Kinds are a kind in all versions that are read, such as "admsim.dev/v1beta1 Suite".
func Kinds(kind string) []string { return of(" " + kind) }

func of(kind string) []string {
	var all []string
	for _, v := range Versions() {
		all = append(all, Group+"/"+v+kind)
	}
	return all
}
