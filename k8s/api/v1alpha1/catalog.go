package v1alpha1

// CatalogRef is a catalog as it was when the job was made.
type CatalogRef struct {
	// Name is the catalog's name.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Type is the kind of system: kafka, iceberg, postgres …
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Type string `json:"type"`
	// Generation counts the changes of the catalog's definition.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Generation int64 `json:"generation,omitempty"`
	// Options say how the system is reached. A secret is referred to, never given.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=256
	Options []CatalogOption `json:"options,omitempty"`
}

// CatalogOption is one option of a catalog: a value, or where to read it.
//
// +kubebuilder:validation:XValidation:rule="has(self.value) != has(self.valueFrom)",message="exactly one of value and valueFrom"
type CatalogOption struct {
	// Name is the option's name.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Value is the option's value. Never a secret.
	// +optional
	// +kubebuilder:validation:MaxLength=8192
	Value *string `json:"value,omitempty"`
	// ValueFrom says where a secret value is.
	// +optional
	ValueFrom *ValueSource `json:"valueFrom,omitempty"`
}

// ValueSource is where a value is read from.
type ValueSource struct {
	// SecretKeyRef is a key of a secret in the job's own namespace.
	// +required
	SecretKeyRef SecretKeyRef `json:"secretKeyRef"`
}

// SecretKeyRef names one key of one secret: the file
// `<secret-dir>/<namespace>/<name>/<key>`, or a core/v1 Secret.
type SecretKeyRef struct {
	// Name is the secret's name.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Key is the key within the secret.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[-._a-zA-Z0-9]+$`
	Key string `json:"key"`
}
