// Documents has the commands and flags that the documents of the bridge give as examples. Built with the tag `bridge`
// it says of itself what it is; without, charmer reads its help.
package main

import (
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// bridges are what the tag adds.
var bridges []func(*cobra.Command)

func main() {
	root := &cobra.Command{Use: "documents", Short: "Has what the documents have"}
	root.AddCommand(schemas(), search(), container(), deploy(), get())
	for _, add := range bridges {
		add(root)
	}
	if root.Execute() != nil {
		os.Exit(1)
	}
}

func answer(cmd *cobra.Command, args []string) {
	fmt.Fprintln(cmd.OutOrStdout(), cmd.CommandPath(), strings.Join(args, " "))
}

// schemas has the flags of "Schema Generation".
func schemas() *cobra.Command {
	cmd := &cobra.Command{Use: "schemas [NAME]", Short: "Shows resources", Run: answer}
	f := cmd.Flags()
	f.String("namespace", "default", "Kubernetes namespace")
	f.Int("replicas", 3, "Number of replicas")
	f.Bool("verbose", false, "Enable verbose output")
	f.StringSlice("labels", nil, "Resource labels")
	f.StringSlice("words", []string{"hello", "world"}, "Words to greet with")
	f.IntSlice("numbers", []int{1, 2, 3}, "Numbers to count with")
	f.StringSlice("nothing", []string{}, "No default")
	f.Float64("ratio", 0.5, "A share")
	f.Duration("timeout", 0, "Request timeout")
	f.IP("server", nil, "Server IP address")
	f.IPNet("network", net.IPNet{}, "Network CIDR")
	f.BytesBase64("data", nil, "Encoded data")
	f.String("output", "", "Output format (json|yaml)")
	if err := cmd.MarkFlagRequired("namespace"); err != nil {
		panic(err)
	}
	return cmd
}

// search is the first example of the bridge's specification.
func search() *cobra.Command {
	cmd := &cobra.Command{Use: "search [query]", Short: "Search for items", Args: cobra.ExactArgs(1), Run: answer}
	cmd.Flags().StringP("format", "f", "json", "Output format")
	cmd.Flags().IntP("limit", "l", 10, "Maximum results")
	return cmd
}

// container is the second, with nested commands.
func container() *cobra.Command {
	cmd := &cobra.Command{Use: "container", Short: "Looks after containers"}
	list := &cobra.Command{Use: "list", Short: "List containers", Run: answer}
	list.Flags().BoolP("all", "a", false, "Show all containers")
	cmd.AddCommand(list)
	return cmd
}

// deploy is the third, with types that are not plain.
func deploy() *cobra.Command {
	cmd := &cobra.Command{Use: "deploy [app]", Short: "Deploy application", Args: cobra.ExactArgs(1), Run: answer}
	cmd.Flags().StringSlice("tags", []string{}, "Image tags")
	cmd.Flags().StringToString("env", map[string]string{}, "Environment variables")
	cmd.Flags().Duration("timeout", 5*time.Minute, "Deployment timeout")
	return cmd
}

// get is the call of "Tool Execution".
func get() *cobra.Command {
	cmd := &cobra.Command{Use: "get", Short: "Shows something"}
	cmd.PersistentFlags().StringP("namespace", "n", "", "The namespace")
	cmd.PersistentFlags().Bool("verbose", false, "Say more")
	pods := &cobra.Command{Use: "pods [NAME...]", Short: "Shows pods", Example: "  documents get pods web-server", Run: answer}
	pods.Flags().StringP("output", "o", "", "The format")
	cmd.AddCommand(pods)
	return cmd
}
