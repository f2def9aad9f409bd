module tree

go 1.21

require (
	github.com/spf13/cobra v1.8.1
	github.com/spf13/pflag v1.0.5
)

require github.com/inconshreveable/mousetrap v1.1.0 // indirect
