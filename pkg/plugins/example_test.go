package plugins_test

import (
	"fmt"

	"github.com/admsim/admsim/pkg/plugins"
)

// ExampleDocumented shows what admsim plugins NAME prints.
func ExampleDocumented() {
	d, ok := plugins.Documented("AlwaysPullImages")
	fmt.Println(ok, d.Does)
	// Output:
	// true Sets imagePullPolicy to Always, so that nobody uses an image only because it is on the node.
}
