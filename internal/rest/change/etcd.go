package change

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/wire"
	"github.com/admsim/admsim/pkg/cluster"
)

// The limits of etcd and of its client, which a server does not change.
const (
	maxRequest = 1536 << 10 // etcd-io/etcd:server/embed/config.go, DefaultMaxRequestBytes
	maxMessage = 2 << 20    // etcd-io/etcd:client/v3/options.go, defaultMaxCallSendMsgSize
)

// small is a size of objects that can be stored for certain: everything else in a request needs far less than the rest
// of the limit.
const small = 1 << 20

// A Put is a request to etcd to store an object.
type Put struct {
	Object   runtime.Object // as stored
	Resource schema.GroupResource
	Creates  bool   // for a POST, not for an update that creates
	Revision uint64 // of the stored object, or 0
}

// Refusal returns the error of a Put that is too large (PL-34), or "".
func (p Put) Refusal(types *objects.Types) (string, error) {
	format := p.format(types)
	if sizeLimit(p.Object, format) <= small {
		return "", nil
	}
	object := cluster.ShallowCopy(p.Object)
	m, err := meta.Accessor(object)
	if err != nil {
		return "", err
	}
	m.SetResourceVersion("") // kubernetes/apiserver:pkg/storage/api_object_versioner.go, PrepareObjectForStorage
	m.SetSelfLink("")
	value, err := wire.Media{Format: format}.Encode(types, object)
	if err != nil {
		return "", err
	}
	transaction := p.transaction(p.key(m.GetNamespace(), m.GetName(), format), len(value))
	switch {
	case transaction > maxMessage:
		return fmt.Sprintf("rpc error: code = ResourceExhausted desc = trying to send message larger than max (%d vs. %d)", transaction, maxMessage), nil
	case replicated(transaction) > maxRequest:
		return "etcdserver: request is too large", nil
	}
	return "", nil
}

// format returns the format in which the server stores the object (RT-09):
// kubernetes/apiextensions-apiserver:pkg/cmd/server/options/options.go, NewCRDRESTOptionsGetter.
func (p Put) format(types *objects.Types) wire.Format {
	if _, isCustom := p.Object.(*unstructured.Unstructured); isCustom {
		if types.Release().GateOn("CBORServingAndStorage") {
			return wire.CBOR
		}
		return wire.JSON
	}
	if types.Behaviour(p.Object.GetObjectKind().GroupVersionKind()).StoredAsJSON {
		return wire.JSON
	}
	return wire.Protobuf
}

// sizeLimit returns a number of bytes that the object in that format does not exceed. It does not encode the object.
func sizeLimit(object runtime.Object, format wire.Format) int {
	if custom, ok := object.(*unstructured.Unstructured); ok {
		return jsonLimit(custom.Object)
	}
	n, ok := wire.MessageSize(object)
	switch {
	case !ok:
		return math.MaxInt
	case format == wire.JSON: // whose names of fields are longer
		return 16 * n
	}
	return n
}

// jsonLimit is [sizeLimit] of a value of JSON. Each character of a string may need six, as in \u003c.
func jsonLimit(value any) int {
	n := 25 // the longest number, and a comma
	switch value := value.(type) {
	case string:
		n += 6 * len(value)
	case []any:
		for _, item := range value {
			n += jsonLimit(item)
		}
	case map[string]any:
		for name, member := range value {
			n += 6*len(name) + 4 + jsonLimit(member)
		}
	}
	return n
}

// special has the resources whose keys do not begin with their name:
// kubernetes/kubernetes:pkg/kubeapiserver/default_storage_factory_builder.go.
var special = map[string]string{
	"endpoints":              "services/endpoints",
	"ingresses":              "ingress",
	"nodes":                  "minions",
	"podsecuritypolicies":    "podsecuritypolicy",
	"replicationcontrollers": "controllers",
	"services":               "services/specs",
}

// key returns the key of an object in etcd. Only what is not stored as protocol buffers has its API group in it.
func (p Put) key(namespace, name string, format wire.Format) string {
	key := p.Resource.Resource
	if format != wire.Protobuf {
		key = p.Resource.Group + "/" + key
	} else if other, ok := special[key]; ok {
		key = other
	}
	if namespace != "" {
		key += "/" + namespace
	}
	return "/registry/" + key + "/" + name
}

// transaction returns the size of the message with which the server sends a value of that many bytes, a TxnRequest of
// etcd-io/etcd:api/etcdserverpb/rpc.proto: compare the revision, then put the value, or else get the current one, which
// a POST does not ask for (kubernetes/apiserver:pkg/storage/etcd3/store.go). The lease of an event is not counted.
func (p Put) transaction(key string, value int) int {
	compare := 2 + bytesField(3, len(key)) + protowire.SizeTag(6) + protowire.SizeVarint(p.Revision)
	put := bytesField(1, len(key)) + bytesField(2, value)
	n := bytesField(1, compare) + bytesField(2, bytesField(2, put))
	if !p.Creates {
		get := bytesField(1, len(key))
		n += bytesField(3, bytesField(1, get))
	}
	return n
}

// replicated returns the size of a transaction as etcd replicates it, with a number: an InternalRaftRequest of
// etcd-io/etcd:api/etcdserverpb/raft_internal.proto.
func replicated(transaction int) int {
	const number = 10 // bytes in half of all clusters, 9 in the others: the number begins with that of the member
	return bytesField(100, protowire.SizeTag(1)+number) + bytesField(6, transaction)
}

// bytesField returns the size of a field with n bytes.
func bytesField(number protowire.Number, n int) int {
	return protowire.SizeTag(number) + protowire.SizeBytes(n)
}
