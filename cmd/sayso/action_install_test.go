//go:build !windows

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// installer runs scripts/action-install from a copy of it, with pins and releases
// of its own.
type installer struct {
	t        *testing.T
	root     string
	out      string // GITHUB_OUTPUT
	env      []string
	archive  string // name of the release's archive for this platform
	checksum string
}

func newInstaller(t *testing.T) *installer {
	t.Helper()
	i := &installer{t: t, root: t.TempDir()}
	i.out = filepath.Join(i.root, "output")
	script, err := os.ReadFile("../../scripts/action-install")
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	gz := gzip.NewWriter(&packed)
	tw := tar.NewWriter(gz)
	program := "#!/bin/sh\necho released\n"
	if err := tw.WriteHeader(&tar.Header{Name: "sayso", Mode: 0o755, Size: int64(len(program))}); err != nil {
		t.Fatal(err)
	}
	_, _ = tw.Write([]byte(program))
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	if err := gz.Close(); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(packed.Bytes())
	i.checksum = hex.EncodeToString(sum[:])
	i.archive = fmt.Sprintf("sayso_0.2.0_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)
	// What stands in for curl hands out the archive, and writes down what it was asked for.
	curl := "#!/bin/sh\nwhile [ $# -gt 1 ]; do [ \"$1\" = --output ] && to=$2; shift; done\necho \"$1\" >>" + i.root + "/asked\ncp " + i.root + "/release \"$to\"\n"
	files := map[string]string{
		"scripts/action-install": string(script),
		"scripts/action-pins":    "# pins\n" + i.checksum + " 0.2.0 " + i.archive + "\n",
		"bin/curl":               curl,
		"release":                packed.String(),
	}
	if err := write(i.root, files); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(i.root, "bin", "curl"), 0o755); err != nil {
		t.Fatal(err)
	}
	i.env = []string{"PATH=" + filepath.Join(i.root, "bin") + ":" + os.Getenv("PATH"), "GITHUB_OUTPUT=" + i.out, "RUNNER_TEMP=" + i.root, "HOME=" + i.root}
	return i
}

// do runs one half of the script and returns its outputs.
func (i *installer) do(half string, env ...string) (map[string]string, string, error) {
	i.t.Helper()
	_ = os.Remove(i.out)
	cmd := exec.Command("bash", filepath.Join(i.root, "scripts", "action-install"), half)
	cmd.Env = append(append([]string{}, i.env...), env...)
	said, err := cmd.CombinedOutput()
	values := map[string]string{}
	data, _ := os.ReadFile(i.out)
	for line := range strings.Lines(string(data)) {
		k, v, _ := strings.Cut(strings.TrimSpace(line), "=")
		values[k] = v
	}
	return values, string(said), err
}

func (i *installer) asked() string {
	data, _ := os.ReadFile(filepath.Join(i.root, "asked"))
	return strings.TrimSpace(string(data))
}

// install is what the second half is told by the first.
func (i *installer) install(plan map[string]string) (map[string]string, string, error) {
	return i.do("install", "HOW="+plan["how"], "VERSION="+plan["version"], "CHECKSUM="+plan["checksum"], "FOLDER="+plan["folder"])
}

func TestThePinnedReleaseIsInstalledAndKept(t *testing.T) {
	i := newInstaller(t)
	plan, said, err := i.do("plan")
	if err != nil || plan["how"] != "release" || plan["version"] != "0.2.0" || plan["checksum"] != i.checksum {
		t.Fatalf("planned %v: %v %s", plan, err, said)
	}
	for range 2 { // the second time the archive is there, as the cache gives it back
		got, said, err := i.install(plan)
		if err != nil {
			t.Fatal(err, said)
		}
		if out, err := exec.Command(got["program"]).Output(); err != nil || string(out) != "released\n" {
			t.Errorf("the program says %q: %v", out, err)
		}
	}
	if want := "https://github.com/saysolint/sayso/releases/download/v0.2.0/" + i.archive; i.asked() != want {
		t.Errorf("asked for %q, want %q once", i.asked(), want)
	}
}

func TestAnArchiveWithAnotherChecksumIsNotInstalled(t *testing.T) {
	for name, spoil := range map[string]func(i *installer, folder string) error{
		"downloaded": func(i *installer, _ string) error {
			return os.WriteFile(filepath.Join(i.root, "release"), []byte("evil"), 0o644)
		},
		"from the cache": func(i *installer, folder string) error {
			return write(folder, map[string]string{i.archive: "evil", "sayso": "#!/bin/sh\necho evil\n"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			i := newInstaller(t)
			plan, _, err := i.do("plan")
			if err != nil {
				t.Fatal(err)
			}
			if err := spoil(i, plan["folder"]); err != nil {
				t.Fatal(err)
			}
			got, said, err := i.install(plan)
			if err == nil || got["program"] != "" || !strings.Contains(said, "another checksum") {
				t.Errorf("installed %v: %s", got, said)
			}
		})
	}
}

func TestWhatIsInstalledFollowsTheInputs(t *testing.T) {
	sum := strings.Repeat("a", 64)
	for name, tt := range map[string]struct {
		env  []string
		want map[string]string
		says string // "" where it works
	}{
		"from source":               {[]string{"WANTED=source"}, map[string]string{"how": "source"}, ""},
		"a program that is there":   {[]string{"BINARY=/usr/bin/sayso"}, map[string]string{"how": "given"}, ""},
		"another version":           {[]string{"WANTED=0.3.1", "CHECKSUM=" + sum}, map[string]string{"how": "release", "version": "0.3.1", "checksum": sum}, ""},
		"another without checksum":  {[]string{"WANTED=0.3.1"}, nil, "no checksum is known"},
		"a version that is none":    {[]string{"WANTED=../../evil"}, nil, "is no version"},
		"a checksum that is none":   {[]string{"WANTED=0.2.0", "CHECKSUM=abc"}, nil, "is no SHA-256"},
		"a version with a newline":  {[]string{"WANTED=0.2.0\nhow=given"}, nil, "is no version"},
		"the pinned one by its own": {[]string{"WANTED=0.2.0"}, map[string]string{"how": "release", "version": "0.2.0"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			i := newInstaller(t)
			got, said, err := i.do("plan", tt.env...)
			if tt.says != "" {
				if err == nil || !strings.Contains(said, tt.says) {
					t.Errorf("planned %v: %s", got, said)
				}
				return
			}
			if err != nil {
				t.Fatal(err, said)
			}
			for k, v := range tt.want {
				if got[k] != v {
					t.Errorf("%s is %q, want %q", k, got[k], v)
				}
			}
		})
	}
}

func TestWithoutAPinTheActionBuildsItsCheckout(t *testing.T) {
	i := newInstaller(t)
	if err := write(i.root, map[string]string{"scripts/action-pins": "# none yet\n"}); err != nil {
		t.Fatal(err)
	}
	plan, said, err := i.do("plan")
	if err != nil || plan["how"] != "source" || plan["go"] != "true" {
		t.Errorf("planned %v: %v %s", plan, err, said)
	}
}
