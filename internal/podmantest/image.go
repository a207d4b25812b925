package podmantest

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Applets are the commands of the image.
func Applets() []string {
	return []string{
		"sh", "sleep", "httpd", "wget", "nslookup", "cat", "env", "id", "ls", "touch", "true", "false", "echo",
		"test", "nc", "kill", "rm", "mkdir", "cp",
	}
}

func (h *Host) importImage(t testing.TB) {
	t.Helper()
	made := fmt.Sprintf("%x", sha256.Sum256([]byte(idle+serve+strings.Join(Applets(), " "))))
	var had struct{ Labels map[string]string }
	if h.call(http.MethodGet, "images/"+Image+"/json", &had) == nil && had.Labels["made"] == made {
		return // by an earlier test
	}
	h.Import(t, Image, nil, "LABEL made="+made, "CMD [\"/bin/idle\"]", "ENV FROM_IMAGE=yes", "WORKDIR /www")
}

// Programs of every image that end when they are asked to, as the first process of a container
// does not by itself: idle waits, and serve answers HTTP on a port with the files of /www. Asked
// to end, it stops listening, and ends after DRAIN seconds, in which it answers the requests that
// it has.
const (
	idle  = "#!/bin/sh\ntrap 'exit 0' TERM\nsleep 36000 &\nwait\n"
	serve = "#!/bin/sh\nhttpd -f -p ${1:-80} -h ${2:-/www} &\ntrap \"kill $!; sleep ${DRAIN:-0.05}; exit 0\" TERM\nwait\n"
)

// Import makes an image of busybox and files, with instructions of a Containerfile, and returns
// its ID.
func (h *Host) Import(t testing.TB, name string, files map[string]string, changes ...string) string {
	t.Helper()
	args := []string{"import", "-q"}
	for _, c := range changes {
		args = append(args, "-c", c)
	}
	out, err := h.Try(rootfs(t, files), append(args, "-", name)...)
	if err != nil {
		t.Fatalf("podman import %s: %v\n%s", name, err, out)
	}
	return strings.TrimPrefix(out, "sha256:")
}

// rootfs is an archive of a root with busybox.
func rootfs(t testing.TB, files map[string]string) string {
	t.Helper()
	box, err := os.ReadFile("/bin/busybox")
	if err != nil {
		t.Fatalf("%v; run tools/need.sh", err)
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	add := func(h tar.Header, content string) {
		h.Size = int64(len(content))
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"bin", "etc", "tmp", "www", "data", "run"} {
		add(tar.Header{Name: dir + "/", Typeflag: tar.TypeDir, Mode: 0o1777}, "")
	}
	add(tar.Header{Name: "bin/busybox", Typeflag: tar.TypeReg, Mode: 0o755}, string(box))
	for _, a := range Applets() {
		add(tar.Header{Name: "bin/" + a, Typeflag: tar.TypeSymlink, Linkname: "busybox", Mode: 0o777}, "")
	}
	add(tar.Header{Name: "etc/passwd", Typeflag: tar.TypeReg, Mode: 0o644}, "root:x:0:0::/:/bin/sh\n")
	add(tar.Header{Name: "www/index.html", Typeflag: tar.TypeReg, Mode: 0o644}, "ok\n")
	for name, content := range map[string]string{"bin/idle": idle, "bin/serve": serve} {
		add(tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o755}, content)
	}
	for name, content := range files {
		add(tar.Header{Name: path.Clean(name), Typeflag: tar.TypeReg, Mode: 0o755}, content)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
