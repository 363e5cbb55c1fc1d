// Package webhook holds the webhooks of Backups, as kubebuilder lays them out.
package webhook

import (
	"context"
	"fmt"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	opsv1 "github.com/admsim/admsim/examples/controller-runtime/api/v1"
)

// SetupBackupWebhookWithManager registers the webhooks with the manager.
func SetupBackupWebhookWithManager(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr, &opsv1.Backup{}).
		WithDefaulter(&BackupDefaulter{Every: 24 * time.Hour, Keep: 7}).
		WithValidator(&BackupValidator{}).
		Complete()
}

// +kubebuilder:webhook:path=/mutate-ops-shop-example-v1-backup,mutating=true,failurePolicy=fail,sideEffects=None,groups=ops.shop.example,resources=backups,verbs=create;update,versions=v1,name=mbackup-v1.kb.io,admissionReviewVersions=v1

// A BackupDefaulter fills in the fields that the author of a Backup left out.
type BackupDefaulter struct {
	Every time.Duration
	Keep  int32
}

// Default changes the object in place.
func (d *BackupDefaulter) Default(_ context.Context, b *opsv1.Backup) error {
	if b.Spec.Every == "" {
		b.Spec.Every = d.Every.String()
	}
	if b.Spec.Keep == nil {
		b.Spec.Keep = &d.Keep
	}
	return nil
}

// +kubebuilder:webhook:path=/validate-ops-shop-example-v1-backup,mutating=false,failurePolicy=fail,sideEffects=None,groups=ops.shop.example,resources=backups,verbs=create;update;delete,versions=v1,name=vbackup-v1.kb.io,admissionReviewVersions=v1

// A BackupValidator refuses Backups from which nothing could be restored.
type BackupValidator struct{}

// ValidateCreate checks a new Backup.
func (*BackupValidator) ValidateCreate(_ context.Context, b *opsv1.Backup) (admission.Warnings, error) {
	every, err := time.ParseDuration(b.Spec.Every)
	switch {
	case err != nil:
		return nil, fmt.Errorf("spec.every: %w", err)
	case every < time.Hour:
		return nil, fmt.Errorf("spec.every: %s is less than an hour", every)
	case *b.Spec.Keep == 1:
		return admission.Warnings{"one backup is none"}, nil
	}
	return nil, nil
}

// ValidateUpdate checks a changed Backup.
func (v *BackupValidator) ValidateUpdate(ctx context.Context, old, b *opsv1.Backup) (admission.Warnings, error) {
	if b.Spec.Volume != old.Spec.Volume {
		return nil, fmt.Errorf("spec.volume: %s cannot become %s", old.Spec.Volume, b.Spec.Volume)
	}
	return v.ValidateCreate(ctx, b)
}

// ValidateDelete checks a Backup that is about to be deleted.
func (*BackupValidator) ValidateDelete(_ context.Context, b *opsv1.Backup) (admission.Warnings, error) {
	if b.Annotations["ops.shop.example/keep"] == "true" {
		return nil, fmt.Errorf("take off the annotation ops.shop.example/keep first")
	}
	return nil, nil
}
