package openapi

import (
	openapiv2 "github.com/google/gnostic-models/openapiv2"
	openapiv3 "github.com/google/gnostic-models/openapiv3"
	"google.golang.org/protobuf/proto"
)

// V2Protobuf returns [Documents.V2] in protocol buffers, which client-go asks for:
// kubernetes/kube-openapi:pkg/handler/handler.go.
func (d *Documents) V2Protobuf() ([]byte, error) { return d.v2Protobuf() }

func (d *Documents) makeV2Protobuf() ([]byte, error) {
	text, err := d.V2()
	if err != nil {
		return nil, err
	}
	document, err := openapiv2.ParseDocument(text)
	if err != nil {
		return nil, err
	}
	return proto.Marshal(document)
}

// V3Protobuf returns [Documents.V3] in protocol buffers.
func (d *Documents) V3Protobuf(name string) (document []byte, ok bool, err error) {
	text, ok, err := d.V3(name)
	if !ok || err != nil {
		return nil, ok, err
	}
	parsed, err := openapiv3.ParseDocument(text)
	if err != nil {
		return nil, true, err
	}
	document, err = proto.Marshal(parsed)
	return document, true, err
}
