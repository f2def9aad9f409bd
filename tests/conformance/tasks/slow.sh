# Takes at least a second longer than it was asked to, unless it was asked for nothing: it is a task then on any machine.
test "$1" = 0 || sleep $(($1 + 1))
echo "computed $2"
