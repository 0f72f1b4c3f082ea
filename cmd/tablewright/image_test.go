package main

import (
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// The image is built from what the Dockerfile copies, which .dockerignore has to let through: every folder of this
// module that the gateway is made of, and no other.
func TestImageIsBuiltFromAllFolders(t *testing.T) {
	const module = "github.com/tablewright/tablewright/"
	list, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	var needed []string
	for imported := range strings.FieldsSeq(string(list)) {
		if inside, ours := strings.CutPrefix(imported, module); ours {
			folder, _, _ := strings.Cut(inside, "/")
			needed = append(needed, folder)
		}
	}
	slices.Sort(needed)
	needed = slices.Compact(needed)
	if len(needed) < 5 {
		t.Fatalf("the gateway is made of %v", needed)
	}
	stage, _, _ := strings.Cut(read(t, "../../Dockerfile"), "\nRUN CGO_ENABLED=1 go build")
	var copied []string
	for line := range strings.Lines(stage) {
		if words := strings.Fields(line); len(words) == 3 && words[0] == "COPY" && words[1] != "go.mod" {
			copied = append(copied, words[1])
		}
	}
	if slices.Sort(copied); !slices.Equal(copied, needed) {
		t.Errorf("Dockerfile copies %v\nthe gateway needs %v", copied, needed)
	}
	ignored := strings.Fields(read(t, "../../.dockerignore"))
	for _, folder := range needed {
		if !slices.Contains(ignored, "!"+folder) {
			t.Errorf(".dockerignore keeps %s out", folder)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(path.Clean(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
