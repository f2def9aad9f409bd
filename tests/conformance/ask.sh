# A hook that has the person behind the client asked before each call.
cat >/dev/null
echo '{"version": 1, "decision": "ask", "message": "May it go on?"}'
