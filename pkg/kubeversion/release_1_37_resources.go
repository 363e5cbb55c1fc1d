package kubeversion

// Groups are in the order in which the server installs them, the versions of a group in its order of preference
// (W-109): kubernetes/kubernetes:pkg/controlplane/instance.go. The last two are served by separate servers.
const resources137 table = `
v1
  bindings                Binding                namespaced  create
  componentstatuses       ComponentStatus        cluster     get,list              short=cs
  configmaps              ConfigMap              namespaced  all                   short=cm
  endpoints               Endpoints              namespaced  all                   short=ep  prefix=services/endpoints
  events                  Event                  namespaced  all                   short=ev
  limitranges             LimitRange             namespaced  all                   short=limits
  namespaces              Namespace              cluster     all-deletecollection  short=ns  status finalize
  nodes                   Node                   cluster     all                   short=no  status proxy  prefix=minions
  persistentvolumeclaims  PersistentVolumeClaim  namespaced  all                   short=pvc status
  persistentvolumes       PersistentVolume       cluster     all                   short=pv  status
  pods                    Pod                    namespaced  all                   short=po  status binding eviction ephemeralcontainers resize log attach exec portforward proxy
  podtemplates            PodTemplate            namespaced  all
  replicationcontrollers  ReplicationController  namespaced  all                   short=rc  status scale  prefix=controllers
  resourcequotas          ResourceQuota          namespaced  all                   short=quota  status
  secrets                 Secret                 namespaced  all
  serviceaccounts         ServiceAccount         namespaced  all                   short=sa  token
  services                Service                namespaced  all                   short=svc status proxy  prefix=services/specs

internal.apiserver.k8s.io/v1alpha1 off
  storageversions  StorageVersion  cluster  all  status

authentication.k8s.io/v1
  selfsubjectreviews  SelfSubjectReview  cluster  create
  tokenreviews        TokenReview        cluster  create

authorization.k8s.io/v1
  localsubjectaccessreviews  LocalSubjectAccessReview  namespaced  create
  selfsubjectaccessreviews   SelfSubjectAccessReview   cluster     create
  selfsubjectrulesreviews    SelfSubjectRulesReview    cluster     create
  subjectaccessreviews       SubjectAccessReview       cluster     create

autoscaling/v2
  horizontalpodautoscalers  HorizontalPodAutoscaler  namespaced  all  short=hpa  status
autoscaling/v1
  horizontalpodautoscalers  HorizontalPodAutoscaler  namespaced  all  short=hpa  status  hub=autoscaling/v2

batch/v1
  cronjobs  CronJob  namespaced  all  short=cj  status
  jobs      Job      namespaced  all  status

certificates.k8s.io/v1
  certificatesigningrequests  CertificateSigningRequest  cluster     all  short=csr  status approval
  clustertrustbundles         ClusterTrustBundle         cluster     all  gate=ClusterTrustBundle
  podcertificaterequests      PodCertificateRequest      namespaced  all  status  gate=PodCertificateRequest  hub=certificates.k8s.io/v1beta1
certificates.k8s.io/v1beta1 off
  clustertrustbundles         ClusterTrustBundle         cluster     all  gate=ClusterTrustBundle  hub=certificates.k8s.io/v1
  podcertificaterequests      PodCertificateRequest      namespaced  all  status  gate=PodCertificateRequest

coordination.k8s.io/v1
  leases           Lease           namespaced  all
coordination.k8s.io/v1beta1 off
  leasecandidates  LeaseCandidate  namespaced  all
coordination.k8s.io/v1alpha2 off
  leasecandidates  LeaseCandidate  namespaced  all  hub=coordination.k8s.io/v1beta1

discovery.k8s.io/v1
  endpointslices  EndpointSlice  namespaced  all

lifecycle.k8s.io/v1alpha1 off
  evictionrequests  EvictionRequest  namespaced  all  status  gate=EvictionRequestAPI
  evictions         Eviction         namespaced  all  status  gate=EvictionRequestAPI

networking.k8s.io/v1
  ingressclasses   IngressClass   cluster     all
  ingresses        Ingress        namespaced  all  short=ing  status  prefix=ingress
  ipaddresses      IPAddress      cluster     all  short=ip
  networkpolicies  NetworkPolicy  namespaced  all  short=netpol
  servicecidrs     ServiceCIDR    cluster     all  status

node.k8s.io/v1
  runtimeclasses  RuntimeClass  cluster  all

policy/v1
  poddisruptionbudgets  PodDisruptionBudget  namespaced  all  short=pdb  status

rbac.authorization.k8s.io/v1
  clusterrolebindings  ClusterRoleBinding  cluster     all
  clusterroles         ClusterRole         cluster     all
  rolebindings         RoleBinding         namespaced  all
  roles                Role                namespaced  all

scheduling.k8s.io/v1
  priorityclasses  PriorityClass  cluster  all  short=pc
scheduling.k8s.io/v1beta1 off
  podgroups           PodGroup           namespaced  all  status  gate=GenericWorkload
  workloads           Workload           namespaced  all          gate=GenericWorkload
scheduling.k8s.io/v1alpha3 off
  compositepodgroups  CompositePodGroup  namespaced  all  status  gate=CompositePodGroup
  podgroups           PodGroup           namespaced  all  status  gate=GenericWorkload  hub=scheduling.k8s.io/v1beta1
  workloads           Workload           namespaced  all          gate=GenericWorkload  hub=scheduling.k8s.io/v1beta1

storage.k8s.io/v1
  csidrivers               CSIDriver              cluster     all
  csinodes                 CSINode                cluster     all  status
  csistoragecapacities     CSIStorageCapacity     namespaced  all
  storageclasses           StorageClass           cluster     all  short=sc
  volumeattachments        VolumeAttachment       cluster     all  status
  volumeattributesclasses  VolumeAttributesClass  cluster     all  short=vac

storagemigration.k8s.io/v1
  storageversionmigrations  StorageVersionMigration  cluster  all  status  gate=StorageVersionMigrator
storagemigration.k8s.io/v1beta1 off
  storageversionmigrations  StorageVersionMigration  cluster  all  status  gate=StorageVersionMigrator  hub=storagemigration.k8s.io/v1

flowcontrol.apiserver.k8s.io/v1
  flowschemas                  FlowSchema                  cluster  all  status
  prioritylevelconfigurations  PriorityLevelConfiguration  cluster  all  status

apps/v1
  controllerrevisions  ControllerRevision  namespaced  all
  daemonsets           DaemonSet           namespaced  all  short=ds      status
  deployments          Deployment          namespaced  all  short=deploy  status scale
  replicasets          ReplicaSet          namespaced  all  short=rs      status scale
  statefulsets         StatefulSet         namespaced  all  short=sts     status scale

admissionregistration.k8s.io/v1
  mutatingadmissionpolicies          MutatingAdmissionPolicy           cluster  all
  mutatingadmissionpolicybindings    MutatingAdmissionPolicyBinding    cluster  all
  mutatingwebhookconfigurations      MutatingWebhookConfiguration      cluster  all
  validatingadmissionpolicies        ValidatingAdmissionPolicy         cluster  all  status
  validatingadmissionpolicybindings  ValidatingAdmissionPolicyBinding  cluster  all
  validatingwebhookconfigurations    ValidatingWebhookConfiguration    cluster  all
admissionregistration.k8s.io/v1beta1 off
  mutatingadmissionpolicies          MutatingAdmissionPolicy           cluster  all  hub=admissionregistration.k8s.io/v1
  mutatingadmissionpolicybindings    MutatingAdmissionPolicyBinding    cluster  all  hub=admissionregistration.k8s.io/v1
admissionregistration.k8s.io/v1alpha1 off
  mutatingadmissionpolicies          MutatingAdmissionPolicy           cluster  all  hub=admissionregistration.k8s.io/v1
  mutatingadmissionpolicybindings    MutatingAdmissionPolicyBinding    cluster  all  hub=admissionregistration.k8s.io/v1

events.k8s.io/v1
  events  Event  namespaced  all  short=ev  hub=v1

resource.k8s.io/v1
  deviceclasses           DeviceClass            cluster     all
  devicetaintrules        DeviceTaintRule        cluster     all  status
  resourceclaims          ResourceClaim          namespaced  all  status
  resourceclaimtemplates  ResourceClaimTemplate  namespaced  all
  resourceslices          ResourceSlice          cluster     all
resource.k8s.io/v1beta2 off
  deviceclasses           DeviceClass            cluster     all  hub=resource.k8s.io/v1
  devicetaintrules        DeviceTaintRule        cluster     all  hub=resource.k8s.io/v1  status
  resourceclaims          ResourceClaim          namespaced  all  hub=resource.k8s.io/v1  status
  resourceclaimtemplates  ResourceClaimTemplate  namespaced  all  hub=resource.k8s.io/v1
  resourceslices          ResourceSlice          cluster     all  hub=resource.k8s.io/v1
resource.k8s.io/v1beta1 off
  deviceclasses           DeviceClass            cluster     all  hub=resource.k8s.io/v1
  resourceclaims          ResourceClaim          namespaced  all  hub=resource.k8s.io/v1  status
  resourceclaimtemplates  ResourceClaimTemplate  namespaced  all  hub=resource.k8s.io/v1
  resourceslices          ResourceSlice          cluster     all  hub=resource.k8s.io/v1
resource.k8s.io/v1alpha3 off
  devicetaintrules            DeviceTaintRule            cluster  all  status    hub=resource.k8s.io/v1
  resourcepoolstatusrequests  ResourcePoolStatusRequest  cluster  all  status

apiextensions.k8s.io/v1
  customresourcedefinitions  CustomResourceDefinition  cluster  all  short=crd,crds  status  prefix=apiextensions.k8s.io/customresourcedefinitions

apiregistration.k8s.io/v1
  apiservices  APIService  cluster  all  status  prefix=apiregistration.k8s.io/apiservices
`
