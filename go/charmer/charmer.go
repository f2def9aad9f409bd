// Package charmer gives a Cobra CLI an MCP server, so that an AI assistant can use its commands as tools:
//
//	root.AddCommand(charmer.Command())
//
// adds `mcp start`, `mcp tools` and `mcp add`, which run charmer on the program, and `__charmer`, which says what it is.
package charmer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Options say what an assistant gets of a program. Each may be left out.
type Options struct {
	Name           string            // The name of the server; charmer takes the program's otherwise.
	Version        string            // The version of the program; that of the root command otherwise.
	Instructions   string            // Told to assistants before they call anything.
	CommandName    string            // The name of the command that is added; "mcp" otherwise.
	ToolNamePrefix string            // Stands for the program's name in the names of tools.
	DefaultEnv     map[string]string // Variables that `mcp add` gives the server, unless --env says otherwise.
	// Selectors choose commands and flags: the first that takes a command decides, and what none takes is left out.
	Selectors    []Selector
	selectsFlags bool // Commands may differ in what they inherit, so each is described with all of its flags.
}

// Config is another name for Options.
type Config = Options

// OptionsOrPointer is either Options or a pointer to them, which may be nil.
type OptionsOrPointer interface{ options() Options }

func (o Options) options() Options { return o }

// Command makes the command to add to the root command.
func Command(options ...OptionsOrPointer) *cobra.Command {
	o := Options{}
	for _, given := range options {
		if pointer, ok := given.(*Options); given != nil && (!ok || pointer != nil) {
			o = given.options()
		}
	}
	if len(o.Selectors) == 0 {
		o.Selectors = []Selector{{}}
	}
	o.selectsFlags = slices.ContainsFunc(o.Selectors, func(one Selector) bool {
		return one.LocalFlagSelector != nil || one.InheritedFlagSelector != nil
	})
	const hidden = "__charmer" // An alias: a command that is not yet added cannot add another one beside itself.
	nothing := func(*cobra.Command, []string) {}
	bridge := &cobra.Command{
		Use: cmp.Or(o.CommandName, "mcp"), Aliases: []string{hidden}, Short: "Give this program's commands to AI assistants",
		// What the program needs for its work is not needed to say what it is: no flag, and no hook of the root's.
		DisableFlagParsing: true, DisableFlagsInUseLine: true, PersistentPreRun: nothing, PersistentPostRun: nothing,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.CalledAs() == hidden {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(o.document(cmd))
			}
			return cmd.Help()
		},
	}
	bridge.SetUsageFunc(func(cmd *cobra.Command) error { // The usual one, without the alias.
		bridge.Aliases = nil
		return new(cobra.Command).UsageFunc()(cmd)
	})
	bridge.AddCommand(
		runs("serve", "start", "Serve this program on standard input and output, as a client's entry does", nil),
		runs("tools", "tools", "Show the tools that an assistant would get", nil),
		runs("add", "add [client]", "Put this program into a client, so that its assistant can use it", o.DefaultEnv),
	)
	return bridge
}

// runs makes a command that has charmer do something with this program. The flags are charmer's: none is parsed here.
func runs(verb, use, short string, env map[string]string) *cobra.Command {
	return &cobra.Command{
		Use: use + " [options]", Short: short, DisableFlagParsing: true, DisableFlagsInUseLine: true,
		Long: fmt.Sprintf("%s.\n\n`charmer %s` does it, and `charmer %[2]s --help` lists the options.", short, verb),
		Run: func(cmd *cobra.Command, words []string) {
			if verb == "add" && len(words) > 0 && !strings.HasPrefix(words[0], "-") {
				words = append([]string{"--to"}, words...)
			}
			for _, name := range slices.Sorted(maps.Keys(env)) {
				words = append([]string{"--env=" + name + "=" + env[name]}, words...)
			}
			self, err := os.Executable()
			if err == nil {
				err = run(append([]string{verb, self}, words...))
			}
			fmt.Fprintln(cmd.ErrOrStderr(), err)
			os.Exit(1)
		},
	}
}

// run runs charmer: it takes this program's place, or, where a system cannot do that, this one ends as it ends.
func run(words []string) error {
	path, err := exec.LookPath(cmp.Or(os.Getenv("CHARMER"), "charmer"))
	if err != nil {
		return fmt.Errorf("this needs the program charmer: %w\n"+
			"`pipx install charmer-mcp` or `npm install --global charmer-mcp` installs it;\n"+
			"if it is installed and not on the PATH, set the variable CHARMER to its file", err)
	}
	if runtime.GOOS != "windows" {
		return syscall.Exec(path, append([]string{path}, words...), os.Environ())
	}
	child := exec.Command(path, words...)
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err = child.Run(); child.ProcessState != nil {
		os.Exit(child.ProcessState.ExitCode())
	}
	return err
}

// EffectKind is what running a command does.
type EffectKind string

const (
	Read    EffectKind = "read"    // It changes nothing.
	Write   EffectKind = "write"   // It adds or changes.
	Destroy EffectKind = "destroy" // It deletes or overwrites what the program cannot give back.
)

// Keys of a command's annotations, as MCP names them. Values are a text for the title and "true" or "false" otherwise.
const (
	AnnotationTitle       = "title"
	AnnotationReadOnly    = "readOnlyHint"    // "true" is what Effect says with Read.
	AnnotationDestructive = "destructiveHint" // "true" is what Effect says with Destroy, "false" with Write.
	AnnotationIdempotent  = "idempotentHint"  // Whether running it twice is the same as running it once.
	AnnotationOpenWorld   = "openWorldHint"   // Whether it reaches beyond this machine.
)

// Arg says of a positional argument what the usage line does not.
type Arg struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Type        string `json:"type,omitempty"` // "string", "int", "float", "bool", "path" or the name of a pflag type.
	Required    bool   `json:"required,omitempty"`
	Variadic    bool   `json:"variadic,omitempty"`
}

// Effect says what running a command does. Charmer infers it from names and words otherwise.
func Effect(cmd *cobra.Command, effect EffectKind) { annotate(cmd, "effect", effect) }

// Args says what a command's positional arguments are, in their order, in place of the usage line.
func Args(cmd *cobra.Command, args ...Arg) { annotate(cmd, "args", args) }

// Output says what a success prints: JSON of a type (a value or reflect.Type of it) or schema (RawMessage, map[string]any).
func Output(cmd *cobra.Command, value any) { annotate(cmd, "output", schemaOf(value)) }

// Exclude leaves commands out, with all that is below them.
func Exclude(cmds ...*cobra.Command) {
	for _, cmd := range cmds {
		annotate(cmd, "exclude", true)
	}
}

// annotate panics at what JSON cannot say: that is a mistake of whoever wrote the call.
func annotate(cmd *cobra.Command, key string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("charmer: %s of %q: %v", key, cmd.Name(), err))
	}
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations["charmer_"+key] = string(text)
}

// CmdSelector says whether a selector is for a command.
type CmdSelector func(*cobra.Command) bool

// FlagSelector says whether a flag is offered.
type FlagSelector func(*pflag.Flag) bool

// Selector chooses commands, and the flags that they are offered with. What is nil takes everything. Hidden and
// deprecated commands and flags, `help` and `completion` are left out whatever it says.
type Selector struct {
	CmdSelector           CmdSelector  // The commands that this selector is for.
	LocalFlagSelector     FlagSelector // Which of their own flags are offered.
	InheritedFlagSelector FlagSelector // Which persistent flags of the commands above them are offered.
}

// AllowCmds takes the commands with these paths, such as "myapp get".
func AllowCmds(paths ...string) CmdSelector {
	return func(cmd *cobra.Command) bool { return slices.Contains(paths, cmd.CommandPath()) }
}

// ExcludeCmds takes all commands but those with these paths.
func ExcludeCmds(paths ...string) CmdSelector { return not(AllowCmds(paths...)) }

// AllowCmdsContaining takes the commands in whose path one of these texts stands.
func AllowCmdsContaining(texts ...string) CmdSelector {
	return func(cmd *cobra.Command) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(cmd.CommandPath(), text) })
	}
}

// ExcludeCmdsContaining takes the commands in whose path none of these texts stands.
func ExcludeCmdsContaining(texts ...string) CmdSelector { return not(AllowCmdsContaining(texts...)) }

// AllowFlags takes the flags with these names.
func AllowFlags(names ...string) FlagSelector {
	return func(flag *pflag.Flag) bool { return slices.Contains(names, flag.Name) }
}

// ExcludeFlags takes all flags but those with these names.
func ExcludeFlags(names ...string) FlagSelector { return not(AllowFlags(names...)) }

// NoFlags takes no flag.
func NoFlags(*pflag.Flag) bool              { return false }
func not[T any, F ~func(T) bool](takes F) F { return func(one T) bool { return !takes(one) } }
