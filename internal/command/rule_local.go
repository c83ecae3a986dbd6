// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

// remotePaths are flags whose value is a path somewhere else, though their name or help reads as if it were local.
var remotePaths = []string{
	"--affinity-cookie-path", "--args", "--backend-bucket-path-rules", "--backend-service-path-rules", "--command", "--container-arg", "--container-command",
	"--container-env", "--container-mount-disk", "--container-mount-host-path", "--container-mount-tmpfs", "--container-working-dir",
	"--destination-gke-path", "--destination-parallelstore-path", "--destination-run-path", "--directories-to-pull", "--docker-chroot-path",
	"--ephemeral-directory", "--event-filters-path-pattern", "--failure-cardinality-path", "--lustre-path", "--lvp-share-path",
	"--path-matcher-name", "--path-rules", "--relative-path", "--relative-uri", "--relative-url", "--request-path", "--resources", "--root-path",
	"--set-env-vars", "--set-secrets", "--shared-path-pv-count", "--source-parallelstore-path", "--success-cardinality-path",
	"--trigger-event-filters-path-pattern", "--update-env-vars", "--update-secrets", "--url", "--add-volume", "--add-volume-mount",
	"--pre-patch-linux-executable", "--post-patch-linux-executable", "--pre-patch-windows-executable", "--post-patch-windows-executable",
}

// ownFolders are folders of the container in which a run's command works, and of any Linux machine.
var ownFolders = []string{"bin", "dev", "etc", "home", "lib", "lib64", "mnt", "opt", "proc", "root", "run", "sbin", "srv", "sys", "tmp", "usr", "var", "workspace"}

// localPath checks all values that can name a local file. Where gcloud's own words say that a value names one, no part
// of it may leave the working directory; elsewhere no value may be a path into the container.
func localPath(in input) []Violation {
	c := in.command
	if c.node == nil {
		return nil
	}
	var found []Violation
	add := func(name, value string, outside string) {
		if outside != "" {
			found = append(found, inCommand(LocalPath, name+"="+value, fmt.Sprintf("%s names %q, which is outside the working directory", name, shorten(outside)), localFix(outside)))
		}
	}
	for _, f := range c.Flags {
		arg := c.node.Flag(f.As)
		if slices.Contains(remotePaths, f.Name) && !readsContents(arg) {
			continue
		}
		for _, v := range f.Values {
			add(f.Name, v, leaves(v, readsLocal(arg), c))
		}
	}
	copies := isBelow(c.Path, []string{"storage"}) // its arguments are URLs or local files
	for _, p := range c.Positionals {
		add(p.Name, p.Value, leaves(p.Value, copies || positionalReadsLocal(c.node, p.Name), c))
	}
	return found
}

// readsLocal says whether an argument may name a local file.
func readsLocal(a *tree.Arg) bool { return a != nil && a.Local || readsContents(a) }

// readsContents says whether gcloud's parser itself reads the file that the argument names.
func readsContents(a *tree.Arg) bool {
	return a != nil && a.Type() != nil && a.Type().Kind == "file"
}

func positionalReadsLocal(n *tree.Node, name string) bool {
	for _, a := range n.Positionals {
		if a.Metavar == name {
			return readsLocal(a)
		}
	}
	return false
}

// leaves is the part of a value that leaves the working directory; "" if none does. local says that the value is known
// to name a file.
func leaves(value string, local bool, c Command) string {
	if isBelow(c.Path, []string{"dataproc"}) && strings.HasPrefix(value, "file:") {
		return "" // on the cluster's machines
	}
	if local {
		for _, part := range parts(value) {
			if outside(part) && !isResourceName(part) {
				return part
			}
		}
		return ""
	}
	plain := strings.TrimPrefix(value, "@")
	if !outside(plain) {
		return ""
	}
	if strings.HasPrefix(plain, "/") && !slices.Contains(ownFolders, firstFolder(plain)) && !dataFile.MatchString(plain) {
		return ""
	}
	return plain
}

// remoteURL is the beginning of a URL that names something that is not local.
var remoteURL = regexp.MustCompile(`\b(gs|s3|https?|ftp|hdfs|oci|docker|git|ssh|abfss?|wasbs?)://`)

// parts cuts a value at everything that can stand between two paths in it: the delimiters of lists, also one that the
// value chooses itself, of keys and values, and of JSON. The colon of a URL isn't one.
func parts(value string) []string {
	if chosen, rest, ok := strings.Cut(strings.TrimPrefix(value, "^"), "^"); ok && strings.HasPrefix(value, "^") && chosen != "" {
		value = strings.ReplaceAll(rest, chosen, ",")
	}
	const scheme = "\x00" // no value has one
	value = remoteURL.ReplaceAllString(value, "$1"+scheme)
	all := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune("=,;:@|\"'{}[]() \t\n", r) })
	for i := range all {
		all[i] = strings.ReplaceAll(all[i], scheme, "://")
	}
	return all
}

// firstFolder is the first name of an absolute path.
func firstFolder(p string) string {
	first, _, _ := strings.Cut(strings.TrimLeft(path.Clean(p), "/"), "/")
	return first
}

// outside says whether a path is absolute, or climbs, or begins at a home folder.
func outside(p string) bool {
	if rest, ok := strings.CutPrefix(strings.ToLower(p), "file:"); ok {
		return strings.HasPrefix(rest, "/") || climbs(rest)
	}
	return strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || !strings.Contains(p, "://") && climbs(p)
}

func climbs(p string) bool {
	return slices.Contains(strings.FieldsFunc(p, func(r rune) bool { return r == '/' || r == '\\' }), "..")
}

// isResourceName says whether a path is the full name of a resource, such as //storage.googleapis.com/projects/_.
func isResourceName(p string) bool {
	for _, prefix := range []string{"projects/", "organizations/", "folders/", "locations/"} {
		if strings.HasPrefix(p, "/"+prefix) {
			return !climbs(p)
		}
	}
	host, _, ok := strings.Cut(strings.TrimPrefix(p, "//"), "/")
	return ok && strings.HasPrefix(p, "//") && strings.HasSuffix(host, ".googleapis.com") && !climbs(p)
}

// localFix proposes the path that the rule InputPath proposes for the same file, for the two must be the same.
func localFix(p string) string {
	if strings.HasPrefix(strings.ToLower(p), "file:") {
		p = p[len("file:"):]
	}
	inside := strings.TrimLeft(path.Clean("/"+strings.ReplaceAll(p, "\\", "/")), "~/")
	if inside == "" {
		return "Name a file in the working directory."
	}
	return fmt.Sprintf("Give the file as one of spec.inputFiles, or let the command write it there, and name it %s.", shorten(inside))
}
