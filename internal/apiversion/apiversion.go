// Package apiversion names the versions of admsim's own formats: of the files that it reads, and of the documents that
// it prints. docs/compatibility.md says what a version promises.
package apiversion

// Group is the API group of all formats.
const Group = "admsim.dev"

// Written is the version of everything that is written today.
const Written = Group + "/v1beta1"

// Versions returns the versions that can be read, with the written version first. They all have the same fields:
// v1alpha1 was frozen as v1beta1. A version with other fields needs more in internal/migrate than another name.
func Versions() []string { return []string{"v1beta1", "v1alpha1"} }

// Read returns the versions with their group, as in files.
func Read() []string { return of("") }

// Kinds returns a kind in all versions that can be read, such as "admsim.dev/v1beta1 Suite".
func Kinds(kind string) []string { return of(" " + kind) }

func of(kind string) []string {
	var all []string
	for _, v := range Versions() {
		all = append(all, Group+"/"+v+kind)
	}
	return all
}
