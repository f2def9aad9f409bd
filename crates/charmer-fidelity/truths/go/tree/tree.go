// Package tree gives a Cobra program of others a hidden command, `__truth`, that prints its true tree as JSON.
package tree

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type flag struct {
	Short        string `json:"short,omitempty"`
	Type         string `json:"type"`
	Required     bool   `json:"required"`
	Hidden       bool   `json:"hidden,omitempty"`
	Deprecated   string `json:"deprecated,omitempty"`
	Inherited    bool   `json:"inherited,omitempty"`
	NoOptDefault string `json:"no_opt_default,omitempty"`
}

type command struct {
	Aliases    []string        `json:"aliases,omitempty"`
	Runnable   bool            `json:"runnable"`
	Hidden     bool            `json:"hidden,omitempty"`
	Deprecated string          `json:"deprecated,omitempty"`
	Flags      map[string]flag `json:"flags"`
}

// Command is the hidden command.
func Command() *cobra.Command {
	return &cobra.Command{
		Use:    "__truth",
		Hidden: true,
		Args:   cobra.NoArgs,
		// In the place of what the program does before its commands.
		PersistentPreRun:  func(*cobra.Command, []string) {},
		PersistentPostRun: func(*cobra.Command, []string) {},
		RunE: func(cmd *cobra.Command, _ []string) error {
			tree := map[string]command{}
			walk(cmd.Root(), "", tree)
			print := json.NewEncoder(cmd.OutOrStdout())
			print.SetEscapeHTML(false)
			return print.Encode(tree)
		},
	}
}

// walk writes down a command and what is below it. What Cobra adds by itself (help, completion) is left out.
func walk(cmd *cobra.Command, path string, tree map[string]command) {
	found := command{
		Runnable: cmd.Runnable(),
		// Cobra shows a deprecated command nowhere.
		Hidden:     cmd.Hidden || cmd.Deprecated != "",
		Deprecated: cmd.Deprecated,
		Flags:      map[string]flag{},
	}
	parent := path[:strings.LastIndex(path, " ")+1]
	for _, alias := range cmd.Aliases {
		found.Aliases = append(found.Aliases, parent+alias)
	}
	add := func(inherited bool) func(*pflag.Flag) {
		return func(one *pflag.Flag) {
			if one.Name != "help" && one.Name != "version" {
				found.Flags["--"+one.Name] = describe(one, inherited)
			}
		}
	}
	if !cmd.DisableFlagParsing {
		cmd.LocalFlags().VisitAll(add(false))
		cmd.InheritedFlags().VisitAll(add(true))
	}
	tree[path] = found
	for _, child := range cmd.Commands() {
		if name := child.Name(); name != "help" && name != "completion" {
			walk(child, strings.TrimSpace(path+" "+name), tree)
		}
	}
}

func describe(one *pflag.Flag, inherited bool) flag {
	found := flag{
		Type:       one.Value.Type(),
		Hidden:     one.Hidden,
		Deprecated: one.Deprecated,
		Inherited:  inherited,
	}
	if one.Shorthand != "" && one.ShorthandDeprecated == "" {
		found.Short = "-" + one.Shorthand
	}
	if required := one.Annotations[cobra.BashCompOneRequiredFlag]; len(required) > 0 {
		found.Required = required[0] == "true"
	}
	ordinary := found.Type == "bool" && one.NoOptDefVal == "true" || found.Type == "count"
	if !ordinary {
		found.NoOptDefault = one.NoOptDefVal
	}
	return found
}
