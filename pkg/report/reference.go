package report

import (
	"fmt"
	"io"
)

// A Reference is what is said of plugins or of releases.
type Reference interface{ reference() }

func (PluginList) reference()      {}
func (PluginDocument) reference()  {}
func (VersionList) reference()     {}
func (VersionDocument) reference() {}

func writeReferenceText(w io.Writer, shown Reference) error {
	switch shown := shown.(type) {
	case PluginList:
		return shown.table(w)
	case PluginDocument:
		return shown.text(w, shown.Release)
	case VersionDocument:
		return shown.text(w)
	case VersionList:
		for i, v := range shown.Items {
			if i > 0 {
				fmt.Fprintln(w)
			}
			if err := v.text(w); err != nil {
				return err
			}
		}
	}
	return nil
}
