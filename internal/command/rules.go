// SPDX-License-Identifier: Apache-2.0

package command

// Rule is the id of a rule.
type Rule string

const (
	// What the parser itself refuses, as gcloud's own would.
	Syntax             Rule = "Syntax"
	UnknownCommand     Rule = "UnknownCommand"
	UnknownFlag        Rule = "UnknownFlag"
	UnexpectedArgument Rule = "UnexpectedArgument"
	MissingArgument    Rule = "MissingArgument"
	ConflictingFlags   Rule = "ConflictingFlags"
	InvalidValue       Rule = "InvalidValue"
	Placeholder        Rule = "Placeholder"

	// What gcloud would run, and the rules don't allow.
	ProjectFormat       Rule = "ProjectFormat"
	FlagEquals          Rule = "FlagEquals"
	ProjectRequired     Rule = "ProjectRequired"
	BillingProjectValue Rule = "BillingProjectValue"
	ForbiddenCommand    Rule = "ForbiddenCommand"
	FlagsFile           Rule = "FlagsFile"
	AsyncRequired       Rule = "AsyncRequired"
	LoggingLimit        Rule = "LoggingLimit"
	InputPath           Rule = "InputPath"
	Interactive         Rule = "Interactive"
	HiddenCommand       Rule = "HiddenCommand"
	UnsafeFlag          Rule = "UnsafeFlag"
	LocalPath           Rule = "LocalPath"
	FormatName          Rule = "FormatName"
	SecretOutput        Rule = "SecretOutput"
	CommandPolicy       Rule = "CommandPolicy"
	ProjectPolicy       Rule = "ProjectPolicy"
	ImpersonationPolicy Rule = "ImpersonationPolicy"
)

// RuleInfo describes a rule.
type RuleInfo struct {
	ID      Rule
	Default Mode
	Fixed   bool   // it is always enforced
	Text    string // what it asks for, and why
	check   func(input) []Violation
}

// Rules are all rules, in the order in which their violations are reported.
func Rules() []RuleInfo { return append([]RuleInfo(nil), rules...) }

var rules = []RuleInfo{
	{ID: Syntax, Default: Enforce, Fixed: true, Text: "The command is one gcloud command in POSIX-shell quoting. No shell runs it: what only means something to a shell (`|`, `;`, `&`, `<`, `>`, a backquote, `$NAME`, a comment) is refused outside the quotes that would protect it there. Control characters and invisible ones are refused."},
	{ID: UnknownCommand, Default: Enforce, Text: "The command exists in the release track that is written. Commands can't be abbreviated."},
	{ID: UnknownFlag, Default: Enforce, Text: "The command has each flag. Flags can't be abbreviated, and their case counts."},
	{ID: UnexpectedArgument, Default: Enforce, Text: "Each word that is no flag belongs to an argument of the command. Several values of one argument stand together, with no flag between them."},
	{ID: MissingArgument, Default: Enforce, Text: "All required arguments are there, and each flag that needs a value has one."},
	{ID: ConflictingFlags, Default: Enforce, Text: "Flags that exclude each other aren't written together."},
	{ID: InvalidValue, Default: Enforce, Text: "Each value is of the flag's type: an integer, a duration, one of the choices, a list of KEY=VALUE, …; a flag that may be written once is written once."},
	{ID: Placeholder, Default: Warn, Text: "The value of `--project` is no placeholder of the documentation, such as `PROJECT_ID`: gcloud refuses it when it runs."},
	{ID: ProjectFormat, Default: Enforce, Text: "`spec.project` is `projects/PROJECT_ID` or `projects/PROJECT_NUMBER`: the project that pays and whose quota is used. It is not the `--project` flag.", check: projectFormat},
	{ID: FlagEquals, Default: Enforce, Text: "A long flag that takes a value is written with `=`: `--zone=us-central1-a`.", check: flagEquals},
	{ID: ProjectRequired, Default: Enforce, Text: "Nothing is pre-configured: a command passes `--project=PROJECT_ID`, or `--billing-project=PROJECT`, which is then the resource's project too. A command at the level of a folder or an organization passes `--billing-project`, and no `--project`.", check: projectRequired},
	{ID: BillingProjectValue, Default: Enforce, Text: "The value of `--billing-project` is a project's id or number, never `LEGACY`, `CURRENT_PROJECT` or `CURRENT_PROJECT_WITH_FALLBACK`.", check: billingProjectValue},
	{ID: ForbiddenCommand, Default: Enforce, Fixed: true, Text: "Commands that change or print credentials or gcloud's own configuration, run local programs or need a person are forbidden, with their alpha, beta and preview variants. The list can be extended (`forbidden`), never shortened.", check: forbiddenCommand},
	{ID: FlagsFile, Default: Enforce, Fixed: true, Text: "`--flags-file` stands nowhere in the command, not after `--` either: gcloud replaces it by what the file holds before it parses the command, so any command could hide there.", check: flagsFile},
	{ID: AsyncRequired, Default: Enforce, Text: "A command that can start a long operation passes `--async`, or the spec sets `timeout`, which says that waiting is meant.", check: asyncRequired},
	{ID: LoggingLimit, Default: Enforce, Text: "`gcloud logging read` passes `--limit`.", check: loggingLimit},
	{ID: InputPath, Default: Enforce, Text: "Paths of `spec.inputFiles` and `spec.outputFiles` are relative to the working directory, in their shortest form, with no `..` and nothing that a shell would expand; no two input files have the same path.", check: inputPath},
	{ID: Interactive, Default: Enforce, Text: "The command needs no terminal, no browser and no person, opens no tunnel and runs no local program.", check: interactive},
	{ID: HiddenCommand, Default: Enforce, Text: "The command stands in gcloud's documentation: hidden ones are internal to gcloud and can change or vanish.", check: hiddenCommand},
	{ID: UnsafeFlag, Default: Enforce, Text: "No flag gets round the run's identity or the operator's policy: `--account`, `--access-token-file`, `--configuration`, `--impersonate-service-account`, `--log-http`, `--trace-token` and all hidden global flags. Impersonation is a field: `spec.identity.impersonateServiceAccount`.", check: unsafeFlag},
	{ID: LocalPath, Default: Enforce, Text: "A flag or argument that makes gcloud read or write a local file stays inside the working directory: no absolute path, no `~`, no `..`.", check: localPath},
	{ID: FormatName, Default: Enforce, Text: "`--format` names a format that gcloud has: gcloud looks at it only after it has acted, so a wrong one fails a command that has already changed something.", check: formatName},
	{ID: SecretOutput, Default: Warn, Text: "A command that prints secrets by design, such as `gcloud secrets versions access`, has `spec.output.secretName`: a status may be read by more people than a Secret.", check: secretOutput},
	{ID: CommandPolicy, Default: Enforce, Text: "The command is one that the operator's configuration allows (`allowedCommands`, `deniedCommands`).", check: commandPolicy},
	{ID: ProjectPolicy, Default: Enforce, Text: "The projects that the resource names are ones that the operator's configuration allows its namespace (`allowedProjects`).", check: projectPolicy},
	{ID: ImpersonationPolicy, Default: Enforce, Text: "The service account of `spec.identity.impersonateServiceAccount` is one that the operator's configuration allows its namespace to impersonate (`allowedImpersonations`).", check: impersonationPolicy},
}

// info is the description of a rule, nil if there is no such rule.
func (r Rule) info() *RuleInfo {
	for i := range rules {
		if rules[i].ID == r {
			return &rules[i]
		}
	}
	return nil
}

// input is what a rule looks at.
type input struct {
	Request
	policy  Policy
	command Command
}
