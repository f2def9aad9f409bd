# A hook that cannot answer: what it would have let through is withheld, and the fault is the server's.
echo 'no answer' >&2
exit 1
