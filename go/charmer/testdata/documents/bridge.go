//go:build bridge

package main

import (
	"charmer.example/go/charmer"
	"github.com/spf13/cobra"
)

func init() {
	bridges = append(bridges, func(root *cobra.Command) { root.AddCommand(charmer.Command()) })
}
