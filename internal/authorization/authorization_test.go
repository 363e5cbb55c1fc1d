package authorization_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/authorization"
	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func as[T runtime.Object](o T, gvk schema.GroupVersionKind) cluster.Object {
	o.GetObjectKind().SetGroupVersionKind(gvk)
	return cluster.Object{Object: o}
}

func pod(name, node string, spec corev1.PodSpec) cluster.Object {
	spec.NodeName, spec.ServiceAccountName = node, "account-of-"+name
	return as(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}, Spec: spec}, corev1.SchemeGroupVersion.WithKind("Pod"))
}

func volume(source corev1.VolumeSource) corev1.Volume {
	return corev1.Volume{Name: "v", VolumeSource: source}
}

// state returns a cluster with pods on nodes a and b, and the objects that they refer to.
func state(r *kubeversion.Release) *cluster.State {
	env := []corev1.EnvVar{{Name: "E", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "of-env"}}}}}
	made := "claim-x1"
	web := pod("web", "a", corev1.PodSpec{
		ImagePullSecrets: []corev1.LocalObjectReference{{Name: "of-pull"}},
		Containers:       []corev1.Container{{Env: env, EnvFrom: []corev1.EnvFromSource{{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "of-env"}}}}}},
		Volumes: []corev1.Volume{
			volume(corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "of-volume"}}),
			volume(corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "of-volume"}}}),
			volume(corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{{Secret: &corev1.SecretProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "of-projection"}}}}}}),
			volume(corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}),
			{Name: "scratch", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}},
		},
		ResourceClaims: []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: new("gpu")}, {Name: "late", ResourceClaimTemplateName: new("late")}},
	})
	web.Object.(*corev1.Pod).Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "gpu", ResourceClaimName: &made}}
	mirror := pod("mirror", "a", corev1.PodSpec{ImagePullSecrets: []corev1.LocalObjectReference{{Name: "of-mirror"}}})
	mirror.Object.(*corev1.Pod).Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"}
	claimed := as(&corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "disk"}, Spec: corev1.PersistentVolumeSpec{
		ClaimRef: &corev1.ObjectReference{Namespace: "shop", Name: "data"},
		PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{
			NodeStageSecretRef:         &corev1.SecretReference{Namespace: "storage", Name: "staged"},
			ControllerPublishSecretRef: &corev1.SecretReference{Namespace: "storage", Name: "of-controller"},
		}},
	}}, corev1.SchemeGroupVersion.WithKind("PersistentVolume"))
	return bootstrap.State(r).With(web, mirror, claimed,
		pod("other", "b", corev1.PodSpec{ImagePullSecrets: []corev1.LocalObjectReference{{Name: "of-b"}}}),
		as(&storagev1.VolumeAttachment{ObjectMeta: metav1.ObjectMeta{Name: "attached"}, Spec: storagev1.VolumeAttachmentSpec{NodeName: "a"}}, storagev1.SchemeGroupVersion.WithKind("VolumeAttachment")),
		as(&resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "mine"}, Spec: resourcev1.ResourceSliceSpec{NodeName: new("a")}}, resourcev1.SchemeGroupVersion.WithKind("ResourceSlice")),
		as(&resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "theirs"}, Spec: resourcev1.ResourceSliceSpec{NodeName: new("b")}}, resourcev1.SchemeGroupVersion.WithKind("ResourceSlice")),
	)
}

// release returns a release, such as "1.37", or "1.16 GATE=false".
func release(t *testing.T, version string) *kubeversion.Release {
	t.Helper()
	version, gate, gated := strings.Cut(version, " ")
	r, err := kubeversion.Parse(version)
	if gated {
		name, on, _ := strings.Cut(gate, "=")
		r, err = r.With(kubeversion.Flags{FeatureGates: map[string]bool{name: on == "true"}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func authorizerOf(t *testing.T, version string, modes ...string) *authorization.Authorizer {
	t.Helper()
	parsed, err := authorization.NewChain(modes, admission.Authorizers{}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := release(t, version)
	return authorization.New(state(r), kinds.New(nil, objects.Options{Release: r}), r, parsed, authorization.Asking{})
}

// question parses questions such as "get secrets shop/x", "list pods ?spec.nodeName=a", "create serviceaccounts/token
// shop/x".
func question(who user.Info, text string) authorizer.AttributesRecord {
	words := strings.Fields(text)
	q := authorizer.AttributesRecord{User: who, Verb: words[0], ResourceRequest: true}
	resource, sub, _ := strings.Cut(words[1], "/")
	q.Resource, q.APIGroup, _ = strings.Cut(resource, ".")
	q.Subresource = sub
	for _, word := range words[2:] {
		if selector, ok := strings.CutPrefix(word, "?"); ok {
			q.FieldSelectorRequirements = fields.ParseSelectorOrDie(selector).Requirements()
			continue
		}
		namespace, name, namespaced := strings.Cut(word, "/")
		if !namespaced {
			namespace, name = "", word
		}
		q.Namespace, q.Name = namespace, name
	}
	return q
}

var nodeA = &user.DefaultInfo{Name: "system:node:a", Groups: []string{"system:nodes", "system:authenticated"}}

// The Node authorizer answers kubelets as upstream's does:
// kubernetes/kubernetes:plugin/pkg/auth/authorizer/node/node_authorizer_test.go (AU-33).
func TestNode(t *testing.T) {
	const unrelated = "no relationship found between node 'a' and this object"
	for _, tt := range []struct {
		version  string // default: 1.37
		question string
		reason   string // "yes" if allowed
	}{
		{question: "get secrets shop/of-env", reason: "yes"},
		{question: "get secrets shop/of-pull", reason: "yes"},
		{question: "list secrets shop/of-volume", reason: "yes"},
		{question: "watch secrets shop/of-projection", reason: "yes"},
		{question: "get secrets storage/staged", reason: "yes"},
		{question: "get secrets storage/of-controller", reason: unrelated},
		{question: "get secrets bank/of-env", reason: unrelated},
		{question: "get secrets shop/of-b", reason: unrelated},
		{question: "get secrets shop/of-mirror", reason: unrelated},
		{question: "list secrets shop/", reason: "No Object name found"},
		{question: "list secrets", reason: "can only read namespaced object of this type"},
		{question: "update secrets shop/of-env", reason: "can only read resources of this type"},
		{question: "get secrets/x shop/of-env", reason: "cannot read subresource"},
		{version: "1.18", question: "get secrets shop/of-b", reason: `no relationship found between node "a" and this object`},

		{question: "get configmaps shop/of-env", reason: "yes"},
		{question: "get configmaps shop/of-volume", reason: "yes"},
		{question: "get configmaps shop/of-nobody", reason: unrelated},

		{question: "get persistentvolumeclaims shop/data", reason: "yes"},
		{question: "get persistentvolumeclaims shop/web-scratch", reason: "yes"},
		{question: "list persistentvolumeclaims shop/data", reason: "can only get individual resources of this type"},
		{question: "update persistentvolumeclaims/status shop/data", reason: "yes"},
		{question: "get persistentvolumeclaims/status shop/data", reason: "can only get/update/patch this type"},
		{question: "get persistentvolumes disk", reason: "yes"},
		{question: "get persistentvolumes none", reason: unrelated},
		{question: "get volumeattachments.storage.k8s.io attached", reason: "yes"},
		{question: "get volumeattachments.storage.k8s.io none", reason: unrelated},

		{question: "get resourceclaims.resource.k8s.io shop/claim-x1", reason: "yes"},
		{question: "get resourceclaims.resource.k8s.io shop/late", reason: unrelated},

		{question: "get serviceaccounts shop/account-of-web", reason: "yes"},
		{question: "get serviceaccounts shop/account-of-other", reason: unrelated},
		{version: "1.32", question: "get serviceaccounts shop/account-of-web", reason: "can only create tokens for individual service accounts"},
		{question: "create serviceaccounts/token shop/account-of-web", reason: "yes"},
		{question: "create serviceaccounts/token shop/account-of-other", reason: unrelated},
		{question: "create serviceaccounts shop/x", reason: "can only create token subresource of serviceaccount"},
		{question: "create serviceaccounts/token shop/account-of-mirror", reason: unrelated},

		{question: "get leases.coordination.k8s.io kube-node-lease/a", reason: "yes"},
		{question: "create leases.coordination.k8s.io kube-node-lease/", reason: "yes"},
		{question: "get leases.coordination.k8s.io kube-node-lease/b", reason: "can only access node lease with the same name as the requesting node"},
		{question: "get leases.coordination.k8s.io shop/a", reason: `can only access leases in the "kube-node-lease" system namespace`},
		{question: "list leases.coordination.k8s.io kube-node-lease/", reason: "can only get, create, update, patch, or delete a node lease"},

		{question: "patch csinodes.storage.k8s.io a", reason: "yes"},
		{question: "patch csinodes.storage.k8s.io b", reason: "can only access CSINode with the same name as the requesting node"},
		{question: "list csinodes.storage.k8s.io", reason: "can only get, create, update, patch, or delete a CSINode"},
		{question: "patch csinodes.storage.k8s.io/status a", reason: "CSINode status access requires CSIVolumeHealth feature"},
		{version: "1.36", question: "patch csinodes.storage.k8s.io/status a", reason: "cannot authorize CSINode subresources"},

		{version: "1.23 ExpandPersistentVolumes=false", question: "update persistentvolumeclaims/status shop/data", reason: "can only get individual resources of this type"},
		{version: "1.12 CSIPersistentVolume=false", question: "get volumeattachments.storage.k8s.io attached", reason: "disabled by feature gate CSIPersistentVolume"},
		{version: "1.11", question: "create serviceaccounts/token shop/account-of-web", reason: "disabled by feature gate TokenRequest"},
		{version: "1.16 NodeLease=false", question: "get leases.coordination.k8s.io kube-node-lease/a", reason: "disabled by feature gate NodeLease"},
		{version: "1.13", question: "get leases.coordination.k8s.io kube-node-lease/a", reason: "disabled by feature gate NodeLease"},
		{version: "1.11", question: "get leases.coordination.k8s.io kube-node-lease/a", reason: ""},
		{version: "1.16 CSINodeInfo=false", question: "patch csinodes.storage.k8s.io a", reason: "disabled by feature gates CSINodeInfo"},
		{version: "1.15 CSINodeInfo=false", question: "patch csinodes.storage.k8s.io a", reason: "disabled by feature gates KubeletPluginsWatcher and CSINodeInfo"},
		{version: "1.13", question: "patch csinodeinfos.csi.storage.k8s.io a", reason: "disabled by feature gates KubeletPluginsWatcher and CSINodeInfo"},
		{version: "1.13 CSINodeInfo=true", question: "patch csinodeinfos.csi.storage.k8s.io b", reason: "can only access CSINodeInfo with the same name as the requesting node"},
		{version: "1.13", question: "patch csinodes.storage.k8s.io a", reason: ""},

		{question: "create resourceslices.resource.k8s.io", reason: "yes"},
		{question: "update resourceslices.resource.k8s.io mine", reason: "yes"},
		{question: "update resourceslices.resource.k8s.io theirs", reason: unrelated},
		{question: "list resourceslices.resource.k8s.io ?spec.nodeName=a", reason: "yes"},
		{question: "deletecollection resourceslices.resource.k8s.io", reason: "can only list/watch/deletecollection resourceslices with nodeName field selector"},
		{version: "1.31", question: "deletecollection resourceslices.resource.k8s.io", reason: "yes"},
		{version: "1.30", question: "deletecollection resourceslices.resource.k8s.io", reason: "can only get, create, update, patch, or delete a ResourceSlice"},
		{version: "1.30", question: "list resourceslices.resource.k8s.io", reason: "yes"},
		{version: "1.29", question: "list resourceslices.resource.k8s.io", reason: ""},

		{question: "get nodes a", reason: "yes"},
		{question: "get nodes b", reason: "node 'a' cannot read 'b', only its own Node object"},
		{question: "list nodes", reason: "node 'a' cannot read all nodes, only its own Node object"},
		{question: "patch nodes b", reason: "yes"}, // left to NodeRestriction
		{question: "patch nodes/status b", reason: "yes"},
		{question: "delete nodes a", reason: ""},
		{version: "1.31", question: "list nodes", reason: "yes"},

		{question: "get pods shop/web", reason: "yes"},
		{question: "get pods shop/mirror", reason: "yes"},
		{question: "get pods shop/other", reason: unrelated},
		{question: "list pods ?spec.nodeName=a", reason: "yes"},
		{question: "list pods ?spec.nodeName=b", reason: "can only list/watch pods with spec.nodeName field selector"},
		{question: "list pods ?spec.nodeName!=a", reason: "can only list/watch pods with spec.nodeName field selector"},
		{question: "create pods/eviction shop/web", reason: "yes"},
		{question: "get pods/log shop/web", reason: ""},
		{version: "1.30", question: "list pods", reason: "yes"},

		{question: "create podcertificaterequests.certificates.k8s.io shop/", reason: "yes"},
		{question: "get podcertificaterequests.certificates.k8s.io shop/none", reason: unrelated},
		{question: "list podcertificaterequests.certificates.k8s.io", reason: "can only list/watch podcertificaterequests with nodeName field selector"},
		{question: "delete podcertificaterequests.certificates.k8s.io shop/x", reason: "nodes may not delete podcertificaterequests"},
		{version: "1.35", question: "create podcertificaterequests.certificates.k8s.io shop/", reason: ""}, // the gate is off

		{question: "create events shop/", reason: "yes"},
		{question: "list services", reason: "yes"},
		{question: "delete services shop/x", reason: ""},
	} {
		version := "1.37"
		if tt.version != "" {
			version = tt.version
		}
		t.Run(version+" "+tt.question, func(t *testing.T) {
			decision, reason, err := authorizerOf(t, version, "Node").Authorize(t.Context(), question(nodeA, tt.question))
			if err != nil {
				t.Fatal(err)
			}
			if decision == authorizer.DecisionAllow {
				reason = "yes"
			}
			if reason = strings.TrimPrefix(reason, "node: "); reason != tt.reason {
				t.Errorf("Authorize() = %q, want %q", reason, tt.reason)
			}
		})
	}
}

// A user is a node by both name and group.
func TestIdentity(t *testing.T) {
	a := authorizerOf(t, "1.37", "Node")
	for _, tt := range []struct {
		who  user.DefaultInfo
		want string
	}{
		{user.DefaultInfo{Name: "system:node:a", Groups: []string{"system:nodes"}}, "yes"},
		{user.DefaultInfo{Name: "system:node:a"}, ""},
		{user.DefaultInfo{Name: "a", Groups: []string{"system:nodes"}}, ""},
		{user.DefaultInfo{Name: "system:node:", Groups: []string{"system:nodes"}}, `node: unknown node for user "system:node:"`},
	} {
		decision, reason, _ := a.Authorize(t.Context(), question(&tt.who, "get nodes a"))
		if decision == authorizer.DecisionAllow {
			reason = "yes"
		}
		if reason != tt.want {
			t.Errorf("%v: %q, want %q", tt.who, reason, tt.want)
		}
	}
}

// The modes are asked in order, after the check for the privileged group. A request that no mode allows gets all their
// reasons (AU-05).
func TestModes(t *testing.T) {
	ann := &user.DefaultInfo{Name: "ann", Groups: []string{"system:authenticated"}}
	master := &user.DefaultInfo{Name: "root", Groups: []string{"system:masters"}}
	for _, tt := range []struct {
		modes    []string
		who      user.Info
		question string
		allowed  bool
		reason   string
	}{
		{nil, ann, "create selfsubjectaccessreviews.authorization.k8s.io", true, `RBAC: allowed by ClusterRoleBinding "system:basic-user" of ClusterRole "system:basic-user" to Group "system:authenticated"`},
		{nil, ann, "get pods shop/web", false, ""},
		{nil, master, "get pods shop/web", true, ""},
		{nil, nodeA, "get pods shop/web", true, ""},
		{nil, nodeA, "get secrets shop/of-b", false, "node: no relationship found between node 'a' and this object"},
		{[]string{"RBAC"}, nodeA, "get pods shop/web", false, ""},
		{[]string{"AlwaysAllow"}, ann, "get pods shop/web", true, ""},
		{[]string{"AlwaysDeny"}, ann, "get pods shop/web", false, "alwaysdeny: Everything is forbidden."},
		{[]string{"AlwaysDeny"}, master, "get pods shop/web", true, ""},
		{[]string{"AlwaysDeny", "RBAC"}, ann, "create selfsubjectreviews.authentication.k8s.io", true, `RBAC: allowed by ClusterRoleBinding "system:basic-user" of ClusterRole "system:basic-user" to Group "system:authenticated"`},
		{[]string{"Node", "AlwaysDeny"}, nodeA, "get secrets shop/of-b", false, "node: no relationship found between node 'a' and this object\nalwaysdeny: Everything is forbidden."},
	} {
		decision, reason, err := authorizerOf(t, "1.37", tt.modes...).Authorize(t.Context(), question(tt.who, tt.question))
		if allowed := decision == authorizer.DecisionAllow; allowed != tt.allowed || reason != tt.reason || err != nil {
			t.Errorf("%v: %s may %s: %v, %q, %v; want %v, %q", tt.modes, tt.who.GetName(), tt.question, allowed, reason, err, tt.allowed, tt.reason)
		}
	}
}

// Questions about nodes are answered by the pods of the given state.
func TestIn(t *testing.T) {
	a := authorizerOf(t, "1.37")
	later := state(release(t, "1.37")).With(pod("late", "a", corev1.PodSpec{ImagePullSecrets: []corev1.LocalObjectReference{{Name: "of-b"}}}))
	for _, tt := range []struct {
		in   authorizer.UnconditionalAuthorizer
		want authorizer.Decision
	}{
		{a, authorizer.DecisionNoOpinion},
		{cluster.In[authorizer.UnconditionalAuthorizer](a, later, nodeA.Name), authorizer.DecisionAllow},
	} {
		if got, _, _ := tt.in.Authorize(t.Context(), question(nodeA, "get secrets shop/of-b")); got != tt.want {
			t.Errorf("Authorize() = %v, want %v", got, tt.want)
		}
	}
	if cluster.In[authorizer.UnconditionalAuthorizer](a, later, "ann") != authorizer.UnconditionalAuthorizer(a) {
		t.Error("In() returns another authorizer for a user whose answers are the same")
	}
}

// The rules of nodes cannot be listed, since they depend on their pods (AU-32).
func TestRulesFor(t *testing.T) {
	for _, tt := range []struct {
		version    string
		modes      []string
		who        user.Info
		incomplete bool
		some       bool
	}{
		{"1.37", nil, nodeA, true, true},
		{"1.18", nil, nodeA, false, true},
		{"1.37", []string{"Node"}, &user.DefaultInfo{Name: "ann"}, false, false},
		{"1.37", []string{"AlwaysAllow"}, &user.DefaultInfo{Name: "ann"}, false, true},
		{"1.37", []string{"AlwaysDeny"}, &user.DefaultInfo{Name: "ann"}, false, false},
	} {
		resources, _, incomplete, err := authorizerOf(t, tt.version, tt.modes...).RulesFor(t.Context(), tt.who, "shop")
		if incomplete != tt.incomplete || (err != nil) != tt.incomplete || (len(resources) > 0) != tt.some {
			t.Errorf("%s %v: %d rules, incomplete %v, %v", tt.version, tt.modes, len(resources), incomplete, err)
		}
	}
}

// A server does not start with flags that contradict each other (AU-43).
func TestNewChain(t *testing.T) {
	policy := admission.Authorizers{Policy: []byte("{}")}
	webhook := admission.Authorizers{Webhook: []byte(`{"clusters": [{"name": "a", "cluster": {"server": "https://a"}}], "contexts": [{"name": "a", "context": {"cluster": "a"}}], "current-context": "a"}`)}
	later := webhook
	later.WebhookVersion = "v2"
	for _, tt := range []struct {
		modes string
		needs admission.Authorizers
		want  string
	}{
		{"Node,RBAC", admission.Authorizers{}, ""},
		{"AlwaysDeny", admission.Authorizers{}, ""},
		{"ABAC", policy, ""},
		{"Webhook", webhook, ""},
		{"RBAC,RBAC", admission.Authorizers{}, `authorization-mode ["RBAC" "RBAC"] has mode specified more than once`},
		{"rbac", admission.Authorizers{}, `authorization-mode "rbac" is not a valid mode; did you mean "RBAC"?`},
		{"ABAC", admission.Authorizers{}, "authorization-mode ABAC's authorization policy file not passed"},
		{"RBAC", policy, "cannot specify --authorization-policy-file without mode ABAC"},
		{"Webhook", admission.Authorizers{}, "authorization-mode Webhook's authorization config file not passed"},
		{"RBAC", webhook, "cannot specify --authorization-webhook-config-file without mode Webhook"},
		{"Webhook", later, `unsupported webhook authorizer version "v2", supported versions are "v1", "v1beta1"`},
	} {
		_, err := authorization.NewChain(strings.Split(tt.modes, ","), tt.needs, nil, nil)
		if got := ""; err != nil {
			if got = err.Error(); got != tt.want {
				t.Errorf("NewChain(%s) = %q, want %q", tt.modes, got, tt.want)
			}
		} else if tt.want != "" {
			t.Errorf("NewChain(%s) has no error, want %q", tt.modes, tt.want)
		}
	}
}
