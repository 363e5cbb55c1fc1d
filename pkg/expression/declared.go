package expression

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// The variables that expressions see, if they are declared.
const (
	objectVariable    = "object"
	oldObjectVariable = "oldObject"
	paramsVariable    = "params"
	requestVariable   = "request"
	namespaceVariable = "namespaceObject"
	variablesVariable = "variables"

	authorizerVariable      = "authorizer"
	requestResourceVariable = "authorizer.requestResource"
)

// declarations lists the variables that only some expressions see, and the types of patches. It is the same as in the
// server: kubernetes/apiserver:pkg/admission/plugin/cel/interface.go, a package that is not used here because it
// imports the server's audit code.
type declarations struct{ HasParams, HasAuthorizer, HasPatchTypes bool }

// fieldsOfType holds the fields of a type, by name.
type fieldsOfType map[string]*apiservercel.DeclType

func objectType(name string, required, optional fieldsOfType) *apiservercel.DeclType {
	fields := make(map[string]*apiservercel.DeclField, len(required)+len(optional))
	for name, t := range required {
		fields[name] = apiservercel.NewDeclField(name, t, true, nil, nil)
	}
	for name, t := range optional {
		fields[name] = apiservercel.NewDeclField(name, t, false, nil, nil)
	}
	return apiservercel.NewObjectType("kubernetes."+name, fields)
}

func listOf(t *apiservercel.DeclType) *apiservercel.DeclType { return apiservercel.NewListType(t, -1) }

func mapOf(t *apiservercel.DeclType) *apiservercel.DeclType {
	return apiservercel.NewMapType(apiservercel.StringType, t, -1)
}

// requestType returns the type of the variable request.
func requestType() *apiservercel.DeclType {
	text := apiservercel.StringType
	kind := objectType("GroupVersionKind", fieldsOfType{"group": text, "version": text, "kind": text}, nil)
	resource := objectType("GroupVersionResource", fieldsOfType{"group": text, "version": text, "resource": text}, nil)
	user := objectType("UserInfo", nil, fieldsOfType{"username": text, "uid": text, "groups": listOf(text), "extra": mapOf(listOf(text))})
	return objectType("AdmissionRequest",
		fieldsOfType{"kind": kind, "resource": resource, "requestKind": kind, "requestResource": resource, "name": text, "operation": text, "userInfo": user},
		fieldsOfType{"subResource": text, "requestSubResource": text, "namespace": text, "dryRun": apiservercel.BoolType, "options": apiservercel.DynType})
}

// namespaceType returns the type of the variable namespaceObject, which only has the fields of [exposedFields].
func namespaceType() *apiservercel.DeclType {
	text, number, moment := apiservercel.StringType, apiservercel.IntType, apiservercel.TimestampType
	condition := objectType("NamespaceCondition", fieldsOfType{"status": text, "type": text, "lastTransitionTime": moment, "message": text, "reason": text}, nil)
	return objectType("Namespace", fieldsOfType{
		"metadata": objectType("NamespaceMetadata", fieldsOfType{
			"name": text, "generateName": text, "namespace": text, "labels": mapOf(text), "annotations": mapOf(text), "UID": text,
			"creationTimestamp": moment, "deletionGracePeriodSeconds": number, "deletionTimestamp": moment, "generation": number,
			"resourceVersion": text, "finalizers": listOf(text),
		}, nil),
		"spec":   objectType("NamespaceSpec", fieldsOfType{"finalizers": listOf(text)}, nil),
		"status": objectType("NamespaceStatus", fieldsOfType{"conditions": listOf(condition), "phase": text}, nil),
	}, nil)
}

// exposedFields returns a namespace with the metadata that expressions see.
func exposedFields(n *corev1.Namespace) *corev1.Namespace {
	return &corev1.Namespace{
		Status: n.Status,
		Spec:   n.Spec,
		ObjectMeta: metav1.ObjectMeta{
			Name:                       n.Name,
			GenerateName:               n.GenerateName,
			Namespace:                  n.Namespace,
			UID:                        n.UID,
			ResourceVersion:            n.ResourceVersion,
			Generation:                 n.Generation,
			CreationTimestamp:          n.CreationTimestamp,
			DeletionTimestamp:          n.DeletionTimestamp,
			DeletionGracePeriodSeconds: n.DeletionGracePeriodSeconds,
			Labels:                     n.Labels,
			Annotations:                n.Annotations,
			Finalizers:                 n.Finalizers,
		},
	}
}
