package simulator

import (
	"maps"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/plugins"
)

// RootCA is the name of the ConfigMap with the certificate of the API server. Since 1.20 each namespace has one.
const RootCA = "kube-root-ca.crt"

// AssumeControllers returns the simulator of the cluster as the controllers of a real cluster would have left it.
// Namespaces that plugins create later get what controllers add to them. In addition to what the function
// [AssumeControllers] adds, every ResourceQuota has counted the existing objects, the addresses of services have their
// IPAddresses, and in releases up to 1.23 every service account has a token.
func (s *Simulator) AssumeControllers() (*Simulator, error) {
	state := assumed(s.state, s.options.Release)
	state = bootstrap.WithIPAddresses(state, s.options.Release)
	if !s.options.Release.Has(kubeversion.NoTokenSecrets) {
		state = withTokens(state)
	}
	state, err := s.recount(state)
	if err != nil {
		return nil, err
	}
	options := s.options
	options.controllers, options.addressesFreed = true, true
	before := *s.parts
	before.builtIn, before.server = nil, nil // the plugins that create objects are built again
	parts, err := newParts(&before, state, options)
	if err != nil {
		return nil, err
	}
	return &Simulator{options: options, state: state, parts: parts}, nil
}

// AssumeControllers returns s with what the controllers of a real cluster would have created by now, and what the
// server adds to new namespaces: in each namespace the service account "default" and the certificate of the API server,
// on each namespace its name as a label and the phase Active, and the rules of aggregated roles. Existing objects are
// not changed, and nothing is created in a namespace that is terminating. [Bootstrap] returns what the server creates
// when it starts. The cluster is of the default release; [Simulator.AssumeControllers] knows which it is.
func AssumeControllers(s *cluster.State) *cluster.State { return assumed(s, kubeversion.Default()) }

func assumed(s *cluster.State, r *kubeversion.Release) *cluster.State {
	s = bootstrap.Aggregated(s)
	var made []cluster.Object
	for o := range s.List(schema.GroupKind{Kind: "Namespace"}, "") {
		ns, ok := o.Object.(*corev1.Namespace)
		if !ok {
			continue
		}
		if completed := activeNamespace(ns, r); completed != ns {
			made = append(made, o.Replaced(completed))
		}
		if ns.Status.Phase == corev1.NamespaceTerminating || ns.DeletionTimestamp != nil {
			continue
		}
		made = append(made, missing(s, ns.Name, r)...)
	}
	if made == nil {
		return s
	}
	return s.With(made...)
}

// missing returns the objects that controllers add to a namespace and that the cluster does not have yet.
func missing(s *cluster.State, namespace string, r *kubeversion.Release) (made []cluster.Object) {
	wanted := []runtime.Object{defaultAccount(namespace)}
	if publishesRootCA(r) {
		wanted = append(wanted, serverCertificate(namespace, r))
	}
	for _, object := range wanted {
		if _, exists := s.Find(cluster.KeyOf(object)); !exists {
			made = append(made, cluster.Object{Object: object})
		}
	}
	return made
}

// addedTo returns what the controllers of a release add to a namespace that was just created.
func addedTo(s *cluster.State, ns *corev1.Namespace, release *kubeversion.Release) []cluster.Object {
	added := missing(s, ns.Name, release)
	if release.Has(kubeversion.NoTokenSecrets) {
		return added
	}
	for i, o := range added {
		if account, ok := o.Object.(*corev1.ServiceAccount); ok {
			token := accountToken(account)
			account.Secrets = []corev1.ObjectReference{{Name: token.Name}}
			added[i] = o.Replaced(account)
			added = append(added, cluster.Object{Object: token})
		}
	}
	return added
}

// After returns the simulator of the cluster as the next request finds it, a moment after the answer r of s. The
// server's own controllers have processed CustomResourceDefinitions, which are now established. If the controllers
// outside the server are assumed (see [Simulator.AssumeControllers]), namespaces that the request created contain what
// these add, and aggregated roles have the rules of roles that the request wrote.
func (s *Simulator) After(r *Result) (*Simulator, error) {
	next := r.Next
	if next.state.Revision(definitions) != s.state.Revision(definitions) {
		var err error
		if next, err = next.settleDefinitions(); err != nil {
			return nil, err
		}
	}
	if !s.options.controllers {
		return next, nil
	}
	state := next.state
	if added := s.addedBy(r); added != nil {
		state = state.With(added...)
	}
	if state = bootstrap.Reaggregated(s.state, state); state == next.state {
		return next, nil
	}
	return next.With(state)
}

// addedBy returns what controllers add to the namespaces that an answer of s created.
func (s *Simulator) addedBy(r *Result) (added []cluster.Object) {
	for _, a := range r.Admissions {
		if a.Request.Operation != admissionv1.Create || a.Request.Subresource != "" || a.Request.Resource.GroupResource() != corev1.Resource("namespaces") {
			continue
		}
		key := cluster.Key{GroupKind: schema.GroupKind{Kind: "Namespace"}, Name: a.Request.Name}
		if m, err := meta.Accessor(a.Object); err == nil {
			key.Name = m.GetName()
		}
		_, existed := s.state.Find(key)
		ns, created := cluster.Get[*corev1.Namespace](r.Next.state, key.GroupKind, "", key.Name)
		if created && !existed {
			added = append(added, addedTo(r.Next.state, ns, s.options.Release)...)
		}
	}
	return added
}

// activeNamespace returns ns with its label and phase, or ns itself if it has them.
func activeNamespace(ns *corev1.Namespace, r *kubeversion.Release) *corev1.Namespace {
	labelled := !r.Has(kubeversion.NamespacesNamedInLabels) || ns.Labels[corev1.LabelMetadataName] == ns.Name
	if labelled && ns.Status.Phase != "" {
		return ns
	}
	completed := *ns
	if !labelled {
		completed.Labels = map[string]string{}
		maps.Copy(completed.Labels, ns.Labels)
		completed.Labels[corev1.LabelMetadataName] = ns.Name
	}
	if ns.Status.Phase == "" {
		completed.Status.Phase = corev1.NamespaceActive
	}
	return &completed
}

func defaultAccount(namespace string) *corev1.ServiceAccount {
	return &corev1.ServiceAccount{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
		ObjectMeta: assumedMeta(namespace, "default"),
	}
}

// publishesRootCA reports whether the clusters of a release have the ConfigMap [RootCA]:
// kubernetes/kubernetes:cmd/kube-controller-manager/app/certificates.go.
func publishesRootCA(r *kubeversion.Release) bool {
	return r.Has(kubeversion.RootCAPublished) || r.Has(kubeversion.BoundTokens)
}

// RootCertificate returns the ConfigMap [RootCA] as its controller creates it in a release. ok is false if it does not.
func RootCertificate(namespace string, r *kubeversion.Release) (m *corev1.ConfigMap, ok bool) {
	m = serverCertificate(namespace, r)
	m.UID, m.ResourceVersion = "", ""
	return m, publishesRootCA(r)
}

func serverCertificate(namespace string, r *kubeversion.Release) *corev1.ConfigMap {
	m := &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: assumedMeta(namespace, RootCA),
		Data:       map[string]string{"ca.crt": "# The certificate of the API server is not simulated.\n"},
	}
	if !r.Has(kubeversion.RootCADescribed) {
		return m
	}
	m.Annotations = map[string]string{
		"kubernetes.io/description": "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.",
	}
	return m
}

// withTokens gives each service account without secrets a secret with a token.
func withTokens(s *cluster.State) *cluster.State {
	var made []cluster.Object
	for o := range s.List(schema.GroupKind{Kind: "ServiceAccount"}, "") {
		account, ok := o.Object.(*corev1.ServiceAccount)
		if !ok || len(account.Secrets) > 0 {
			continue
		}
		token := accountToken(account)
		account = account.DeepCopy()
		account.Secrets = []corev1.ObjectReference{{Name: token.Name}}
		made = append(made, o.Replaced(account))
		if _, exists := s.Find(cluster.KeyOf(token)); !exists {
			made = append(made, cluster.Object{Object: token})
		}
	}
	if made == nil {
		return s
	}
	return s.With(made...)
}

func accountToken(account *corev1.ServiceAccount) *corev1.Secret {
	secret := &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: assumedMeta(account.Namespace, account.Name+"-token-xxxxx"),
		Type:       corev1.SecretTypeServiceAccountToken,
		Data:       map[string][]byte{corev1.ServiceAccountTokenKey: []byte("not simulated")},
	}
	secret.Annotations = map[string]string{
		corev1.ServiceAccountNameKey: account.Name,
		corev1.ServiceAccountUIDKey:  string(account.UID),
	}
	return secret
}

func assumedMeta(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace:       namespace,
		Name:            name,
		UID:             types.UID("00000000-0000-4000-9001-" + bootstrap.Digits(namespace+"/"+name)),
		ResourceVersion: "1",
	}
}

// RecountQuotas returns the ResourceQuotas of a namespace whose status does not have the current usage, with the usage
// that the quota controller writes after something was deleted.
func (s *Simulator) RecountQuotas(namespace string) (recounted []*corev1.ResourceQuota, err error) {
	uncounted := s.state
	var quotas []*corev1.ResourceQuota
	for o := range s.state.List(quotaKind, namespace) {
		if before, ok := o.Object.(*corev1.ResourceQuota); ok {
			q := before.DeepCopy()
			q.Status = corev1.ResourceQuotaStatus{}
			uncounted, quotas = uncounted.With(o.Replaced(q)), append(quotas, before)
		}
	}
	if quotas == nil {
		return nil, nil
	}
	counted, err := s.recount(uncounted)
	if err != nil {
		return nil, err
	}
	for _, before := range quotas {
		now, ok := cluster.Get[*corev1.ResourceQuota](counted, quotaKind, namespace, before.Name)
		if ok && !sameStatus(now.Status, before.Status) {
			recounted = append(recounted, now)
		}
	}
	return recounted, nil
}

var quotaKind = schema.GroupKind{Kind: "ResourceQuota"}

// recount returns the cluster in which every ResourceQuota that has not counted anything yet has counted the existing
// objects.
func (s *Simulator) recount(state *cluster.State) (*cluster.State, error) {
	o := plugins.Options{
		Release:   s.options.Release,
		Resources: s.Resources(),
		Types:     s.parts.view.Types(),
		Now:       s.options.Now,
	}
	return o.RecountQuotas(state)
}

func sameStatus(a, b corev1.ResourceQuotaStatus) bool {
	same := func(x, y resource.Quantity) bool { return x.Cmp(y) == 0 }
	return maps.EqualFunc(a.Hard, b.Hard, same) && maps.EqualFunc(a.Used, b.Used, same)
}
