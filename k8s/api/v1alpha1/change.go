package v1alpha1

// ChangeAction is the kind of one step of an Alter.
//
// +kubebuilder:validation:Enum=AddColumn;DropColumn;RenameColumn;SetType;SetNullable;SetDefault;SetOption;ResetOption;RenameTable;SetComment
type ChangeAction string

// Actions of a TableChange; each says which fields it reads.
const (
	// ChangeAddColumn adds Column of Type, Nullable, with default Value, after After.
	ChangeAddColumn ChangeAction = "AddColumn"
	// ChangeDropColumn drops Column.
	ChangeDropColumn ChangeAction = "DropColumn"
	// ChangeRenameColumn renames Column to NewName.
	ChangeRenameColumn ChangeAction = "RenameColumn"
	// ChangeSetType gives Column the type Type.
	ChangeSetType ChangeAction = "SetType"
	// ChangeSetNullable makes Column take nulls, or not: Nullable.
	ChangeSetNullable ChangeAction = "SetNullable"
	// ChangeSetDefault gives Column the default Value; without Value it has none.
	ChangeSetDefault ChangeAction = "SetDefault"
	// ChangeSetOption sets option Name to Value.
	ChangeSetOption ChangeAction = "SetOption"
	// ChangeResetOption removes option Name.
	ChangeResetOption ChangeAction = "ResetOption"
	// ChangeRenameTable renames the table to NewName.
	ChangeRenameTable ChangeAction = "RenameTable"
	// ChangeSetComment sets the comment of Column, or of the table where Column
	// is absent, to Value; without Value there is none.
	ChangeSetComment ChangeAction = "SetComment"
)

// TableChange is one step of an Alter.
type TableChange struct {
	// Action is the kind of step.
	// +required
	Action ChangeAction `json:"action"`
	// Column is the column it is about.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Column string `json:"column,omitempty"`
	// NewName is the new name of a column or table.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	NewName string `json:"newName,omitempty"`
	// Type is the new type, as PostgreSQL's format_type writes it.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Type string `json:"type,omitempty"`
	// Nullable says whether the column takes nulls.
	// +optional
	Nullable *bool `json:"nullable,omitempty"`
	// Name is the option's name.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
	// Value is the new default, option value or comment.
	// +optional
	// +kubebuilder:validation:MaxLength=8192
	Value *string `json:"value,omitempty"`
	// After is the column behind which a new one is put; absent means the end.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	After string `json:"after,omitempty"`
}
