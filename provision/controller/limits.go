package controller

import (
	"strings"
	"unicode/utf8"

	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

// What the API allows in a status, in bytes and items. A status past a limit would be refused as a whole,
// and the job with it.
const (
	messageLengthMax     = 4096
	detailLengthMax      = 8192
	hintLengthMax        = 1024
	stepsMax             = 64
	stepNameLengthMax    = 63
	stepMessageLengthMax = 1024
	externalIDLengthMax  = 253
	outputsMax           = 64
	outputNameLengthMax  = 63
	outputValueLengthMax = 4096
)

const ellipsis = "..."

// clamp cuts a text for people to at most limit bytes of valid UTF-8 and shows that it was cut.
func clamp(text string, limit int) string {
	text = strings.ToValidUTF8(text, "?")
	if len(text) <= limit {
		return text
	}
	cut := limit - len(ellipsis)
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + ellipsis
}

// addOutput sets an output. One that does not fit is left out: half of a location is none.
func addOutput(outputs []v1alpha1.JobOutput, name, value string) []v1alpha1.JobOutput {
	if name == "" || len(name) > outputNameLengthMax || len(value) > outputValueLengthMax || !utf8.ValidString(value) {
		return outputs
	}
	for i := range outputs {
		if outputs[i].Name == name {
			outputs[i].Value = value
			return outputs
		}
	}
	if len(outputs) == outputsMax {
		return outputs
	}
	return append(outputs, v1alpha1.JobOutput{Name: name, Value: value})
}
