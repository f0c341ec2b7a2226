package home

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestWriteNew(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "b.tar")
	put := func(text string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			if _, werr := io.WriteString(w, text); werr != nil {
				return werr
			}
			return err
		}
	}
	if err := WriteNew(file, put("half", io.ErrUnexpectedEOF)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v", err)
	}
	if list, _ := os.ReadDir(dir); len(list) != 0 {
		t.Errorf("left: %v", list)
	}
	if err := os.WriteFile(file+".part", []byte("somebody's own"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"whole", "another"} {
		if err := WriteNew(file, put(text, nil)); err != nil && (text == "whole" || !errors.Is(err, fs.ErrExist)) {
			t.Error(err)
		}
		if b, err := os.ReadFile(file); err != nil || string(b) != "whole" {
			t.Errorf("%q, %v", b, err)
		}
	}
	if b, err := os.ReadFile(file + ".part"); err != nil || string(b) != "somebody's own" {
		t.Errorf("%q, %v", b, err)
	}
	if list, _ := os.ReadDir(dir); len(list) != 2 {
		t.Errorf("left: %v", list)
	}
}

func TestScheduledBackups(t *testing.T) {
	h := Home{Data: t.TempDir()}
	if list, err := h.ScheduledBackups(); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	if err := os.Mkdir(h.Backups(), 0o700); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 1, 12, 0, 0, 5e6, time.UTC)
	for _, file := range []string{
		h.BackupFile(at, true), h.BackupFile(at.Add(time.Hour), true), h.BackupFile(at, false),
		filepath.Join(h.Backups(), "scheduled-x.tar"), filepath.Join(h.Backups(), "scheduled-20260301T120000Z.tar"), h.BackupFile(at, true) + ".part",
	} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(h.BackupFile(at.Add(2*time.Hour), true), 0o700); err != nil {
		t.Fatal(err)
	}
	list, err := h.ScheduledBackups()
	if err != nil || len(list) != 2 || !list[0].Made.Equal(at.Add(time.Hour)) || !list[1].Made.Equal(at) || list[1].File != h.BackupFile(at, true) {
		t.Errorf("%v, %v", list, err)
	}
	if err := h.RemoveParts(); err != nil {
		t.Error(err)
	}
	if entries, _ := os.ReadDir(h.Backups()); len(entries) != 6 {
		t.Errorf("%v", entries)
	}
}
