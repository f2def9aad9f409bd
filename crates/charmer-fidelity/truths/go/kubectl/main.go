// kubectl, with a hidden command that prints its true tree.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"

	// Ways to log in to clouds are part of the program.
	_ "k8s.io/client-go/plugin/pkg/client/auth"

	"tree"
)

func main() {
	command := cmd.NewDefaultKubectlCommand()
	command.AddCommand(tree.Command())
	if err := cli.RunNoErrOutput(command); err != nil {
		util.CheckErr(err)
		os.Exit(1)
	}
}
