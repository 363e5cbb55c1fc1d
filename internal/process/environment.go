package process

import (
	"os"
	"runtime"
	"slices"
)

// Inherited are the names of the variables that every program gets from the environment of
// admsim: what few programs can do without. Tokens, which CI systems put there, are not among
// them.
func Inherited() []string {
	if runtime.GOOS == "windows" {
		return []string{"PATH", "PATHEXT", "SystemRoot", "SystemDrive", "windir", "ComSpec", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "ProgramData"}
	}
	return []string{"PATH", "HOME", "TMPDIR", "LANG"}
}

// inherited are these variables and further ones, as NAME=value, where they are set. On
// Windows a program that has no environment at all cannot even open a connection.
func inherited(further []string) (environment []string) {
	for _, name := range slices.Concat(Inherited(), further) {
		if value, set := os.LookupEnv(name); set {
			environment = append(environment, name+"="+value)
		}
	}
	if environment == nil {
		environment = []string{} // nil would be all of it
	}
	return environment
}
