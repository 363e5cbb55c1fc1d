package main

import (
	"go/ast"
	"testing"
)

// The other parts of a tag stay as they are.
func TestSetTag(t *testing.T) {
	const name = "bytes,2,opt,name=a"
	for _, tt := range []struct {
		tag, want string
		changes   bool
	}{
		{"`json:\"a\" listType:\"map\"`", "`json:\"a\" listType:\"map\" protobuf:\"bytes,2,opt,name=a\"`", true},
		{"`json:\"a\" protobuf:\"bytes,1,opt,name=a\" listType:\"map\"`", "`json:\"a\" protobuf:\"bytes,2,opt,name=a\" listType:\"map\"`", true},
		{"`protobuf:\"bytes,2,opt,name=a\" json:\"a\"`", "`protobuf:\"bytes,2,opt,name=a\" json:\"a\"`", false},
		{"``", "`protobuf:\"bytes,2,opt,name=a\"`", true},
	} {
		literal := &ast.BasicLit{Value: tt.tag}
		if changed := setTag(literal, name); changed != tt.changes || literal.Value != tt.want {
			t.Errorf("setTag(%s) writes %s, changed %v, want %s, %v", tt.tag, literal.Value, changed, tt.want, tt.changes)
		}
	}
}
