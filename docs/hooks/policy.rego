# The same policy for Open Policy Agent. The question is `input`, the answer is `data.charmer.answer`.
package charmer

allowed if input.effect == "read"

allowed if input.tool == "git_branch"

reason := "one branch at a time" if "--all" in input.argv

else := "no rule allows this" if not allowed

answer := {"version": 1, "decision": "refuse", "reason": reason} if reason

else := {"version": 1, "decision": "allow"}
