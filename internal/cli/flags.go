// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

// options are the plugin's own flags.
type options struct {
	kubeconfig string
	cluster    clientcmd.ConfigOverrides

	serviceAccount string
	inputFiles     []string
	outputDir      string
	timeout        time.Duration
	detach         bool
	dryRun         bool
	keep           bool

	allNamespaces bool
	follow        bool

	run    string // what the verb is to be done with
	dashed bool   // a -- says that gcloud's words begin
}

// parseRun divides a command line into the plugin's own flags, which come first, and the words from the first on
// that is no flag: these are gcloud's, and are not looked at.
func parseRun(args []string) (options, []string, error) {
	var o options
	flags := runFlags(&o)
	err := flags.Parse(args)
	o.dashed = flags.ArgsLenAtDash() == 0
	return o, flags.Args(), explain(err)
}

func runFlags(o *options) *pflag.FlagSet {
	flags := newFlags(o)
	flags.SetInterspersed(false)
	flags.StringVar(&o.serviceAccount, "service-account", "", "run as this ServiceAccount of the namespace (spec.identity.serviceAccountName)")
	flags.StringArrayVar(&o.inputFiles, "input-file", nil, "put this file where the command finds it; `[NAME=]PATH`, may be repeated (spec.inputFiles)")
	flags.DurationVar(&o.timeout, "timeout", 0, "stop the command after this time, such as 30m (spec.timeout)")
	flags.BoolVar(&o.detach, "detach", false, "don't wait: print the name of the run")
	flags.BoolVar(&o.dryRun, "dry-run", false, "make nothing: print the manifest")
	flags.BoolVar(&o.keep, "keep", false, "keep the run, also when it succeeds")
	outputFlag(flags, o)
	return flags
}

// newFlags has the flags that say which cluster and which namespace, as kubectl has them.
func newFlags(o *options) *pflag.FlagSet {
	flags := pflag.NewFlagSet("kubectl gcloud", pflag.ContinueOnError)
	flags.Usage = func() {}
	flags.SortFlags = false
	clientcmd.BindOverrideFlags(&o.cluster, flags, clientcmd.RecommendedConfigOverrideFlags(""))
	flags.StringVar(&o.kubeconfig, clientcmd.RecommendedConfigPathFlag, "", "path of the kubeconfig")
	flags.VisitAll(func(f *pflag.Flag) { f.Hidden = !strings.Contains(" namespace context kubeconfig ", " "+f.Name+" ") })
	return flags
}

// ownFlags are the names of the flags that a run can have.
func ownFlags() []string {
	var names []string
	runFlags(&options{}).VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}

func outputFlag(flags *pflag.FlagSet, o *options) {
	flags.StringVar(&o.outputDir, "output-dir", "", "write the files that the command wrote into this `folder`")
}

func noFlags(*pflag.FlagSet, *options) {}

func listFlags(flags *pflag.FlagSet, o *options) {
	flags.BoolVarP(&o.allNamespaces, "all-namespaces", "A", false, "list those of all namespaces")
}

func logFlags(flags *pflag.FlagSet, o *options) {
	flags.BoolVarP(&o.follow, "follow", "f", false, "go on until the command has ended")
}

func resultFlags(flags *pflag.FlagSet, o *options) { outputFlag(flags, o) }

func rerunFlags(flags *pflag.FlagSet, o *options) {
	flags.BoolVar(&o.detach, "detach", false, "don't wait")
	outputFlag(flags, o)
}

// parseVerb parses the words beside the verb, which may have flags anywhere.
func parseVerb(v verb, args []string) (options, error) {
	var o options
	flags := newFlags(&o)
	v.flags(flags, &o)
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch left := flags.Args(); {
	case v.args == "" && len(left) > 0:
		return o, fmt.Errorf("%s takes no argument, and %q is one", v.name, left[0])
	case v.args != "" && len(left) != 1:
		return o, fmt.Errorf("%s takes the name of one run; kubectl gcloud runs shows them", v.name)
	case v.args != "":
		o.run = left[0]
	}
	return o, o.contradiction()
}

// check says what is wrong with a command line that asks for a run.
func (o options) check(words []string) error {
	if len(words) == 0 {
		return errors.New("the words of the gcloud command are missing, as in: kubectl gcloud projects list --project=PROJECT_ID\nkubectl gcloud --help says more")
	}
	return o.contradiction()
}

func (o options) contradiction() error {
	switch {
	case o.detach && o.outputDir != "":
		return errors.New("--output-dir has to wait for the files, and --detach doesn't wait: leave one out, and get the files by kubectl gcloud result RUN --output-dir=FOLDER")
	case o.timeout < 0:
		return fmt.Errorf("--timeout=%s is no time to wait", o.timeout)
	}
	return nil
}

// explain says of a flag of gcloud's where it belongs.
func explain(err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	name := unknown.GetSpecifiedName()
	if flag := "--" + name; tree.Load().Root.Flag(flag) != nil {
		return fmt.Errorf("%s is a flag of gcloud's: write it after the words of the command, as in: kubectl gcloud projects list %s", flag, flag)
	}
	return fmt.Errorf("%w; flags of gcloud's stand after the words of the command", err)
}
