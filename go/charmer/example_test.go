package charmer_test

import (
	"fmt"

	"charmer.example/go/charmer"
	"github.com/spf13/cobra"
)

type thing struct {
	Name  string `json:"name"`
	Price int    `json:"price"`
}

// A program whose author says what an assistant should know.
func Example() {
	list := &cobra.Command{Use: "list [kind]", Short: "Lists things", Run: func(*cobra.Command, []string) {}}
	charmer.Effect(list, charmer.Read)
	charmer.Args(list, charmer.Arg{Name: "kind", Description: "The kind of thing"})
	charmer.Output(list, []thing{})
	debug := &cobra.Command{Use: "debug", Short: "Prints everything", Run: func(*cobra.Command, []string) {}}
	charmer.Exclude(debug)

	root := &cobra.Command{Use: "shop", Short: "Sells things"}
	root.AddCommand(list, debug)
	root.AddCommand(charmer.Command(charmer.Options{
		Instructions: "Prices are in cents.",
		Selectors:    []charmer.Selector{{InheritedFlagSelector: charmer.NoFlags}},
	}))

	root.SetArgs([]string{"mcp", "--help"})
	if err := root.Execute(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Give this program's commands to AI assistants
	//
	// Usage:
	//   shop mcp
	//   shop mcp [command]
	//
	// Available Commands:
	//   add         Put this program into a client, so that its assistant can use it
	//   start       Serve this program on standard input and output, as a client's entry does
	//   tools       Show the tools that an assistant would get
	//
	// Flags:
	//   -h, --help   help for mcp
	//
	// Use "shop mcp [command] --help" for more information about a command.
}
