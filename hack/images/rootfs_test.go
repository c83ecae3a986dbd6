// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"maps"
	"strings"
	"testing"
)

// deb is a package's file system, as dpkg-deb prints it.
func deb(t *testing.T, headers ...tar.Header) []byte {
	t.Helper()
	var buffer bytes.Buffer
	archive := tar.NewWriter(&buffer)
	for _, h := range headers {
		content := ""
		if h.Typeflag == tar.TypeReg {
			content = "of " + h.Name
			h.Size = int64(len(content))
		}
		h.Mode |= 0o644
		if err := archive.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

func TestAPackageIsUnpackedOntoAMergedUsr(t *testing.T) {
	data := deb(t,
		tar.Header{Typeflag: tar.TypeDir, Name: "./lib/"},
		tar.Header{Typeflag: tar.TypeReg, Name: "./lib/x86_64-linux-gnu/libc.so.6", Mode: 0o755},
		tar.Header{Typeflag: tar.TypeSymlink, Name: "./lib64/ld-linux-x86-64.so.2", Linkname: "/lib/x86_64-linux-gnu/ld.so"},
		tar.Header{Typeflag: tar.TypeReg, Name: "./usr/lib/libz.so"},
		tar.Header{Typeflag: tar.TypeReg, Name: "./usr/share/zoneinfo/UTC"},
		tar.Header{Typeflag: tar.TypeLink, Name: "./usr/share/zoneinfo/Zulu", Linkname: "./usr/share/zoneinfo/UTC"},
		tar.Header{Typeflag: tar.TypeReg, Name: "./usr/share/zoneinfo/right/UTC"},
		tar.Header{Typeflag: tar.TypeReg, Name: "./usr/share/ca-certificates/mozilla/A.crt"},
		tar.Header{Typeflag: tar.TypeReg, Name: "./usr/share/ca-certificates/mozilla/B.crt"},
		tar.Header{Typeflag: tar.TypeReg, Name: "./usr/share/doc/libc6/copyright"},
		tar.Header{Typeflag: tar.TypeReg, Name: "./usr/share/doc/libc6/examples/Evil_Root_CA.crt"},
	)
	files, bundle := tree{}, &bytes.Buffer{}
	if err := unpack(data, files, bundle); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"usr/lib/x86_64-linux-gnu/libc.so.6": "of ./lib/x86_64-linux-gnu/libc.so.6",
		"usr/lib64/ld-linux-x86-64.so.2":     "-> /lib/x86_64-linux-gnu/ld.so",
		"usr/lib/libz.so":                    "of ./usr/lib/libz.so",
		"usr/share/zoneinfo/UTC":             "of ./usr/share/zoneinfo/UTC",
		"usr/share/zoneinfo/Zulu":            "of ./usr/share/zoneinfo/UTC",
		"usr/share/doc/libc6/copyright":      "of ./usr/share/doc/libc6/copyright",
	}
	if got := contents(t, files, "."); !maps.Equal(got, want) {
		t.Errorf("unpacked %v\nwant %v", got, want)
	}
	if mode := files["usr/lib/x86_64-linux-gnu/libc.so.6"].mode; mode != 0o755 {
		t.Errorf("a library that can be executed has the mode %v", mode)
	}
	if got, want := bundle.String(), "of ./usr/share/ca-certificates/mozilla/A.crtof ./usr/share/ca-certificates/mozilla/B.crt"; got != want {
		t.Errorf("the certificates are %q, want %q", got, want)
	}
}

func TestAPackageThatCantBeUnpackedIsRefused(t *testing.T) {
	tests := map[string]struct {
		header tar.Header
		want   string
	}{
		"a device":                        {tar.Header{Typeflag: tar.TypeChar, Name: "./dev/null"}, "no file, folder or link"},
		"a hard link to what is left out": {tar.Header{Typeflag: tar.TypeLink, Name: "./usr/bin/a", Linkname: "./usr/sbin/b"}, "isn't in the image"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := unpack(deb(t, test.header), tree{}, &bytes.Buffer{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}
