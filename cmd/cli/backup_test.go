package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type cut struct{ r io.Reader }

func (c cut) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func TestCutBackupLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "b.tar")
	if err := writeBackup(file, cut{strings.NewReader("half")}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v", err)
	}
	if list, _ := os.ReadDir(dir); len(list) != 0 {
		t.Errorf("left: %v", list)
	}
	if err := writeBackup(file, strings.NewReader("whole")); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "whole" {
		t.Errorf("%q, %v", b, err)
	}
}
