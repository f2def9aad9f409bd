package charmer

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestMain makes this binary a program of its own where a test starts it as one.
func TestMain(m *testing.M) {
	if os.Getenv("CHARMER_TEST_PROGRAM") == "" {
		os.Exit(m.Run())
	}
	root := shop()
	root.AddCommand(Command(Options{DefaultEnv: map[string]string{"SHOP_DB": "main"}}))
	if root.Execute() != nil {
		os.Exit(3)
	}
}

func nothing(*cobra.Command, []string) {}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// shop is a program with a bit of everything.
func shop() *cobra.Command {
	root := &cobra.Command{Use: "shop", Short: "Sells things", Version: "2.1", Run: nothing,
		PersistentPreRun:  func(*cobra.Command, []string) { panic("the program was started") },
		PersistentPostRun: func(*cobra.Command, []string) { panic("the program was ended") }}
	root.PersistentFlags().String("database", "", "Where the things are")
	must(root.MarkPersistentFlagRequired("database"))
	root.PersistentFlags().CountP("verbose", "v", "Say more")
	list := &cobra.Command{Use: "list [kind]", Aliases: []string{"ls"}, Short: "Lists things",
		Long: "Lists things.\nAll of them.", Example: "  shop list tea\n  shop list", Run: nothing}
	list.Flags().IntP("limit", "n", 10, "At most so `many`")
	list.Flags().StringSlice("tag", []string{"a,b", "c"}, "With these tags")
	list.Flags().String("old", "", "Not used")
	must(list.Flags().MarkDeprecated("old", "use tag"))
	remove := &cobra.Command{Use: "remove ID...", Short: "Removes things", Run: nothing}
	remove.Flags().Bool("all", false, "Everything")
	remove.Flags().Bool("none", false, "Nothing")
	remove.Flags().String("secret", "", "Not shown")
	must(remove.Flags().MarkHidden("secret"))
	remove.MarkFlagsMutuallyExclusive("all", "none", "secret")
	admin := &cobra.Command{Use: "admin", Short: "Looks after the shop", GroupID: "care"}
	admin.AddCommand(&cobra.Command{Use: "open", Short: "Opens it", Run: nothing},
		&cobra.Command{Use: "raw [args...]", Short: "Hands on", DisableFlagParsing: true, Run: nothing})
	root.AddGroup(&cobra.Group{ID: "care", Title: "Care:"})
	root.AddCommand(list, remove, admin,
		&cobra.Command{Use: "vault", Hidden: true, Run: nothing},
		&cobra.Command{Use: "sell", Deprecated: "use list", Run: nothing},
		&cobra.Command{Use: "prices", Short: "A topic", Long: "Tea is cheap."})
	return root
}

// documentOf is what a program with these options prints when charmer asks.
func documentOf(t *testing.T, root *cobra.Command, options ...OptionsOrPointer) object {
	t.Helper()
	root.AddCommand(Command(options...))
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetArgs([]string{"__charmer"})
	must(root.Execute())
	var said object
	if err := json.Unmarshal(out.Bytes(), &said); err != nil {
		t.Fatalf("%v in %s", err, out.String())
	}
	return said
}

// at finds a command, or a flag where the last word begins with dashes.
func at(t *testing.T, said object, path string) object {
	t.Helper()
	here := said["root"].(object)
	for _, word := range strings.Fields(path) {
		list, key := "commands", "name"
		if strings.HasPrefix(word, "--") {
			list, key, word = "flags", "long", word[2:]
		}
		var found object
		all, _ := here[list].([]any)
		for _, one := range all {
			if one.(object)[key] == word {
				found = one.(object)
			}
		}
		if found == nil {
			return nil
		}
		here = found
	}
	return here
}

func same(t *testing.T, what string, found, wanted any) {
	t.Helper()
	text := func(value any) string {
		raw, err := json.Marshal(value)
		must(err)
		return string(raw)
	}
	if text(found) != text(wanted) {
		t.Errorf("%s is\n%s, not\n%s", what, text(found), text(wanted))
	}
}

func TestADocumentSaysWhatAProgramIs(t *testing.T) {
	said := documentOf(t, shop())
	same(t, "the version", said["version"], "2.1")
	same(t, "the syntax", []any{said["charmer"], said["syntax"]}, []any{1, "cobra"})
	list := at(t, said, "list")
	delete(list, "flags")
	same(t, "list", list, object{"name": "list", "aliases": []string{"ls"}, "about": "Lists things",
		"long_about": "Lists things.\nAll of them.", "examples": "  shop list tea\n  shop list", "runnable": true,
		"usage": "shop list [kind] [flags]", "double_dash": "neutral",
		"listing": object{"place": 3, "group": "Additional Commands"}})
	same(t, "admin", at(t, said, "admin")["runnable"], false)
	same(t, "its place", at(t, said, "admin")["listing"], object{"place": 0, "group": "Care"})
	same(t, "open", at(t, said, "admin open")["usage"], "shop admin open [flags]")
	for _, left := range []string{"vault", "sell", "prices", "help", "completion", "mcp", "__charmer"} {
		if at(t, said, left) != nil {
			t.Errorf("%s is there", left)
		}
	}
}

func TestFlagsAreDescribedAsPflagKnowsThem(t *testing.T) {
	said := documentOf(t, shop())
	same(t, "database", at(t, said, "--database"), object{"long": "database", "type": "string", "global": true,
		"required": true, "help": "Where the things are"})
	same(t, "verbose", at(t, said, "--verbose"), object{"long": "verbose", "short": "v", "type": "count", "bare": "+1",
		"global": true, "help": "Say more"})
	same(t, "limit", at(t, said, "list --limit"), object{"long": "limit", "short": "n", "type": "int",
		"default": "10", "help": "At most so many"})
	same(t, "tag", at(t, said, "list --tag"), object{"long": "tag", "type": "stringSlice",
		"default": []string{"a,b", "c"}, "help": "With these tags"})
	for _, left := range []string{"list --old", "remove --secret", "--help", "--version", "list --database"} {
		if at(t, said, left) != nil {
			t.Errorf("%s is there", left)
		}
	}
	same(t, "the groups", at(t, said, "remove")["groups"],
		[]any{object{"kind": "exclusive", "members": []string{"all", "none"}}})
	raw := at(t, said, "admin raw")
	same(t, "raw", []any{raw["options_end_behind"], raw["stands_alone"], raw["double_dash"]}, []any{1, true, nil})
}

// words is a list of the program's own.
type words []string

func (w *words) String() string        { return "" }
func (w *words) Set(text string) error { *w = append(*w, text); return nil }
func (w *words) Type() string          { return "words" }

// weight is one value of the program's own.
type weight struct{ text string }

func (w *weight) String() string        { return w.text }
func (w *weight) Set(text string) error { w.text = text; return nil }
func (w *weight) Type() string          { return "weight" }

func TestDefaultsAreThoseThatHelpShows(t *testing.T) {
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	flags.String("zero", "0", "")
	flags.Int("nothing", 0, "")
	flags.Duration("wait", 0, "")
	flags.Duration("pause", time.Minute, "")
	flags.Bool("on", true, "")
	flags.IP("ip", nil, "")
	flags.StringToString("pairs", map[string]string{"z": "1", "a": "b,c"}, "")
	flags.StringToInt("none", nil, "")
	flags.String("colour", "auto", "")
	flags.Lookup("colour").NoOptDefVal = "always"
	flags.Var(&words{}, "words", "")
	flags.Var(&weight{}, "weight", "")
	flags.Var(&weight{"2kg"}, "heavy", "")
	flags.VarPF(&weight{}, "perhaps", "", "").NoOptDefVal = "true"
	for name, wanted := range map[string]object{
		"zero":    {"type": "string", "default": "0"},
		"nothing": {"type": "int"},
		"wait":    {"type": "duration"},
		"pause":   {"type": "duration", "default": "1m0s"},
		"on":      {"type": "bool", "default": "true", "bare": "true"},
		"ip":      {"type": "ip"},
		"pairs":   {"type": "stringToString", "default": []string{"a=b,c", "z=1"}},
		"none":    {"type": "stringToInt"},
		"colour":  {"type": "string", "default": "auto", "bare": "always"},
		"words":   {"type": "stringArray"},
		"weight":  {"type": "weight", "may_repeat": true},
		"heavy":   {"type": "weight", "default": "2kg"},
		"perhaps": {"type": "bool", "bare": "true"},
	} {
		wanted["long"] = name
		same(t, name, describeFlag(&cobra.Command{}, flags.Lookup(name), false), wanted)
	}
}

// fruit takes one of two words.
type fruit struct{ text string }

func (f *fruit) String() string { return f.text }
func (f *fruit) Type() string   { return "fruit" }
func (f *fruit) Set(text string) error {
	if text != "apple" && text != "pear" {
		return errors.New("no fruit")
	}
	f.text = text
	return nil
}

func TestChoicesAreWhatCompletionSuggestsAndTheFlagTakes(t *testing.T) {
	cmd := &cobra.Command{Use: "pick", Run: nothing}
	cmd.Flags().Var(&fruit{}, "fruit", "")
	cmd.Flags().String("buyer", "", "")
	for _, name := range []string{"fruit", "buyer"} {
		must(cmd.RegisterFlagCompletionFunc(name,
			func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return []string{"apple\tround", "pear", "stone"}, cobra.ShellCompDirectiveNoFileComp
			}))
	}
	wanted := object{"long": "fruit", "type": "fruit", "may_repeat": true}
	if _, told := reflect.TypeOf(cmd).MethodByName("GetFlagCompletionFunc"); told {
		wanted["choices"] = []string{"apple", "pear"}
	}
	same(t, "fruit", describeFlag(cmd, cmd.Flags().Lookup("fruit"), false), wanted)
	same(t, "buyer", describeFlag(cmd, cmd.Flags().Lookup("buyer"), false), object{"long": "buyer", "type": "string"})
}

func TestFlagsMayEndAtTheFirstArgument(t *testing.T) {
	root := shop()
	list, _, err := root.Find([]string{"list"})
	must(err)
	list.Flags().SetInterspersed(false)
	same(t, "the end", at(t, documentOf(t, root), "list")["options_end_behind"], 1)
}

func TestAuthorsSayMore(t *testing.T) {
	root := shop()
	find := func(words ...string) *cobra.Command {
		cmd, _, err := root.Find(words)
		must(err)
		return cmd
	}
	Effect(find("list"), Read)
	Args(find("list"), Arg{Name: "kind", Description: "The kind of thing", Type: "string", Required: true})
	Output(find("list"), []string{})
	Exclude(find("admin", "raw"))
	find("remove").Annotations = map[string]string{AnnotationTitle: "Remove", AnnotationDestructive: "1",
		AnnotationIdempotent: "true", AnnotationOpenWorld: "false"}
	find("admin", "open").Annotations = map[string]string{AnnotationDestructive: "false"}
	said := documentOf(t, root, Options{Name: "the shop", Version: "3", Instructions: "Be kind."})
	same(t, "the head", []any{said["name"], said["version"], said["instructions"]}, []any{"the shop", "3", "Be kind."})
	list := at(t, said, "list")
	same(t, "list", []any{list["effect"], list["args"], list["output"]}, []any{"read",
		[]any{object{"name": "kind", "description": "The kind of thing", "type": "string", "required": true}},
		object{"$defs": object{}, "type": "array", "items": object{"type": "string"}}})
	remove := at(t, said, "remove")
	same(t, "remove", []any{remove["effect"], remove["title"], remove["idempotent"], remove["open_world"]},
		[]any{"destroy", "Remove", true, false})
	same(t, "open", at(t, said, "admin open")["effect"], "write")
	same(t, "raw", at(t, said, "admin raw"), nil)
	said = documentOf(t, shop(), Options{ToolNamePrefix: "s"})
	same(t, "the prefix", []any{at(t, said, "")["name"], at(t, said, "list")["usage"]}, []any{"s", "shop list [kind] [flags]"})
}

func TestSelectorsChooseCommandsAndFlags(t *testing.T) {
	only := func(selectors ...Selector) object { return documentOf(t, shop(), &Config{Selectors: selectors}) }
	said := only(Selector{CmdSelector: AllowCmds("shop admin open")})
	same(t, "the root", []any{at(t, said, "")["runnable"], at(t, said, "list"), at(t, said, "remove")}, []any{false, nil, nil})
	same(t, "open", at(t, said, "admin open")["runnable"], true)
	same(t, "raw", at(t, said, "admin raw"), nil)

	said = only(Selector{CmdSelector: ExcludeCmdsContaining("admin", "remove")})
	same(t, "admin", []any{at(t, said, "admin"), at(t, said, "remove"), at(t, said, "list") != nil}, []any{nil, nil, true})

	// The first that takes a command decides, also over the flags that it inherits.
	said = only(
		Selector{CmdSelector: AllowCmds("shop list"), LocalFlagSelector: ExcludeFlags("tag"), InheritedFlagSelector: NoFlags},
		Selector{CmdSelector: AllowCmdsContaining("list", "remove"), InheritedFlagSelector: AllowFlags("verbose")},
	)
	names := func(path string) (all []any) {
		for _, flag := range at(t, said, path)["flags"].([]any) {
			all = append(all, flag.(object)["long"])
		}
		return all
	}
	same(t, "list", names("list"), []string{"limit"})
	same(t, "remove", names("remove"), []string{"all", "none", "verbose"})
	same(t, "it stands alone", at(t, said, "remove")["stands_alone"], true)
	if ExcludeCmds("shop list")(&cobra.Command{Use: "shop"}) != true {
		t.Error("another command was excluded")
	}
}

func TestCommandTakesWhatOphisTakes(t *testing.T) {
	var none *Config
	for _, cmd := range []*cobra.Command{Command(), Command(nil), Command(none), Command(&Config{}), Command(Options{})} {
		same(t, "the name", cmd.Use, "mcp")
	}
	same(t, "the name", Command(&Config{CommandName: "agent"}).Use, "agent")
}

func TestTheHiddenNameIsNotShown(t *testing.T) {
	answer := func(words ...string) (string, error) {
		root := shop()
		root.PersistentPreRun, root.PersistentPostRun = nil, nil // Completion runs them.
		root.AddCommand(Command())
		var out bytes.Buffer
		root.SetOut(&out)
		root.SetErr(&out)
		root.SetArgs(words)
		err := root.Execute()
		return out.String(), err
	}
	for _, words := range [][]string{{"--help"}, {"mcp"}, {"mcp", "--help"}, {"__complete", "--database=x", ""}} {
		out, err := answer(words...)
		if err != nil || !strings.Contains(out, "mcp") || strings.Contains(out, "__charmer") {
			t.Errorf("%v shows %s", words, out)
		}
	}
}

// start starts this binary as the program, with a charmer that prints its words.
func start(t *testing.T, charmer string, words ...string) (string, int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], words...)
	cmd.Env = append(os.Environ(), "CHARMER_TEST_PROGRAM=1", "CHARMER="+charmer, "PATH="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func TestCharmerIsRunOnThisProgram(t *testing.T) {
	script := filepath.Join(t.TempDir(), "charmer")
	must(os.WriteFile(script, []byte("#!/bin/sh\necho \"$@\"\nexit 7\n"), 0o755))
	self, err := os.Executable()
	must(err)
	for _, one := range []struct{ words, wanted string }{
		{"mcp start --read-only", "serve " + self + " --read-only"},
		{"mcp tools --json", "tools " + self + " --json"},
		{"mcp tools --help", "tools " + self + " --help"},
		{"mcp add cursor --dry-run", "add " + self + " --env=SHOP_DB=main --to cursor --dry-run"},
		{"mcp add --to zed", "add " + self + " --env=SHOP_DB=main --to zed"},
	} {
		out, code := start(t, script, strings.Fields(one.words)...)
		same(t, one.words, []any{strings.TrimSpace(out), code}, []any{one.wanted, 7})
	}
}

func TestWithoutCharmerItSaysWhereToGetIt(t *testing.T) {
	for _, charmer := range []string{"", filepath.Join(t.TempDir(), "nowhere")} {
		out, code := start(t, charmer, "mcp", "start")
		if code != 1 || !strings.Contains(out, "pipx install charmer-mcp") || !strings.Contains(out, "CHARMER") {
			t.Errorf("it ended with %d: %s", code, out)
		}
	}
}

type embedded struct {
	ID int `json:"id"`
}

type tree struct {
	embedded
	Name     string            `json:"name"`
	Kind     *string           `json:"kind"`
	Note     *string           `json:"note,omitempty"`
	Planted  time.Time         `json:"planted"`
	Twigs    []tree            `json:"twigs,omitempty"`
	Labels   map[string]uint8  `json:"labels"`
	Weight   float64           `json:"weight,string"`
	Free     any               `json:"free"`
	Raw      json.RawMessage   `json:"raw,omitempty"`
	Picture  []byte            `json:"picture,omitempty"`
	Place    struct{ X int }   `json:"place"`
	Rest     map[string]string `json:"-"`
	Ripe     bool
	internal string
}

func TestATypeHasTheSchemaOfItsJSON(t *testing.T) {
	null := object{"type": "null"}
	wanted := object{"$ref": "#/$defs/tree0", "$defs": object{
		"1": object{"type": "object", "properties": object{"X": object{"type": "integer"}}, "required": []string{"X"}},
		"tree0": object{"type": "object",
			"required": []string{"id", "name", "kind", "planted", "labels", "weight", "free", "place", "Ripe"},
			"properties": object{
				"id": object{"type": "integer"}, "name": object{"type": "string"},
				"kind":    object{"anyOf": []any{object{"type": "string"}, null}},
				"note":    object{"type": "string"},
				"planted": object{"type": "string", "format": "date-time"},
				"twigs":   object{"type": "array", "items": object{"$ref": "#/$defs/tree0"}},
				"labels": object{"anyOf": []any{
					object{"type": "object", "additionalProperties": object{"type": "integer"}}, null}},
				"weight": object{"type": "string"}, "free": object{}, "raw": object{}, "picture": object{"type": "string"},
				"place": object{"$ref": "#/$defs/1"}, "Ripe": object{"type": "boolean"},
			}}}}
	same(t, "the schema", schemaOf(tree{internal: ""}), wanted)
	same(t, "that of a pointer", schemaOf(&tree{}), wanted)
	same(t, "that of a type", schemaOf(reflect.TypeOf(tree{})), wanted)
	same(t, "a schema", schemaOf(json.RawMessage(`{"type": "array"}`)), object{"type": "array"})
	same(t, "a schema", schemaOf(object{"type": "array"}), object{"type": "array"})
	defer func() {
		if recover() == nil {
			t.Error("a channel has a schema")
		}
	}()
	Output(&cobra.Command{Use: "list"}, make(chan int))
}
