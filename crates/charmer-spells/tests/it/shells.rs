//! The rule on code: what a caller writes is not evaluated, unless the author says so.

use crate::support::{Project, call, elements, read, stdout};
use serde_json::json;

const X: &str = "\nargs: [{name: x}, {name: n, type: integer}]\npaths: [.]";

fn refusal(keys: &str) -> Option<String> {
    read(&format!("{keys}{X}"))
        .mistakes
        .map(|mistakes| mistakes.to_string())
}

#[test]
fn a_callers_text_in_code_is_refused() {
    for keys in [
        "command: bash\nargv: [-c, 'echo {{x}}']",
        "command: bash -c\nargv: ['{{x}}']",
        "command: sh -euc\nargv: ['{{x}}']",
        "command: bash -c -x\nargv: ['{{x}}']",
        "command: /usr/bin/env bash -c\nargv: ['{{x}}']",
        "command: docker exec box sh -c\nargv: ['ls {{x}}']",
        "command: bash\nflags: [-c]\nargv: ['{{x}}']",
        "command: bash\njson: [-c]\nargv: ['{{x}}']",
        "command: bash -e\nflags: [-x]\njson: [-c]\nargv: ['{{x}}']",
        "command: bash\nflags: [-x, -lc]\nargv: ['{{x}}']",
        "command: bash\nargv: ['{{x}}']",
        "command: python3 -c\nargv: ['print({{x}})']",
        "command: python3.12\nargv: [-c, '{{x}}']",
        "command: perl\nargv: ['-e{{x}}']",
        "command: perl -ne\nargv: ['{{x}}']",
        "command: node\nargv: ['--eval={{x}}']",
        "command: ruby -e\nargv: ['{{x}}', fixed]",
        "command: awk\nargv: ['{{x}}', file]",
        "command: sed -e\nargv: ['s/a/{{x}}/']",
        "command: bash\nstdin: '{{x}}'",
        "command: python3 -\nstdin: '{{x}}'",
        "command: bash -s run.sh\nstdin: '{{x}}'",
        "command: env\nargv: ['{{x}}']",
        "command: bash -o pipefail -c\nargv: ['{{x}}']",
        "command: bash -euo pipefail -c\nargv: ['{{x}}']",
        "command: bash\nargv: [-O, extglob, -c, '{{x}}']",
        "command: bash -c --\nargv: ['{{x}}']",
        "command: bash\nargv: ['--rcfile={{x}}', run.sh]",
        "command: python3 -W ignore -c\nargv: ['{{x}}']",
        "command: python3\nflags: [-W]\nargv: [tool.py, '{{x}}']",
        "command: python3 -m\nargv: ['{{x}}']",
        "command: perl -e 'print 1' -e\nargv: ['{{x}}']",
        "command: perl -e 'print 1'\nflags: [-e]\nargv: ['{{x}}']",
        "command: perl -I lib -e\nargv: ['{{x}}']",
        "command: node -r mod -e\nargv: ['{{x}}']",
        "command: php -d a=b -r\nargv: ['{{x}}']",
        "command: awk -F ':'\nargv: ['{{x}}', file]",
        "command: awk -v a=b\nargv: ['{{x}}', file]",
        "command: sed -e p -e\nargv: ['{{x}}']",
        "command: cmd /c\nargv: ['dir {{x}}']",
        "command: cmd /c dir\nargv: ['{{x}}']",
        "command: pwsh -NoProfile -ExecutionPolicy Bypass -File\nargv: ['{{x}}']",
        "command: deno eval\nargv: ['{{x}}']",
        "command: timeout 5\nargv: ['{{x}}']",
        "command: nice -n 5\nargv: ['{{x}}']",
        "command: sudo -u bob\nargv: ['scripts/{{x}}']",
        "command: env A=1\nargv: ['{{x}}']",
        "command: env -S\nargv: ['{{x}}']",
        "command: timeout 5 nice -n 5 bash\nargv: ['{{x}}']",
        "command: env bash\nstdin: '{{x}}'",
        "command: docker exec -i box sh\nstdin: '{{x}}'",
        "command: kubectl exec -i pod -- bash\nstdin: '{{x}}'",
        "command: xargs sh -c\nargv: ['{{x}}']",
        "command: find . -exec\nargv: ['{{x}}', ';']",
        "command: ssh host ls\nargv: ['{{x}}']",
        "command: ssh -p 22 host\nargv: ['{{x}}']",
        "command: watch -n 1\nargv: ['ls {{x}}']",
        "command: su bob -c\nargv: ['{{x}}']",
        "command: flock /tmp/lock -c\nargv: ['{{x}}']",
        "command: rsync -e\nargv: ['{{x}}', a, b]",
        "command: make\nargv: ['{{x}}']",
        "command: make\nargv: ['VERSION={{x}}', all]",
        "command: bash\nargv: [-c, 'echo {{n}}; eval $SPELL_ARG_X']",
        "command: bash -c 'eval $SPELL_ARG_X'",
        "command: bash -c 'echo $((SPELL_ARG_X))'",
        "command: bash -c '[[ $SPELL_ARG_X -eq 1 ]]'",
    ] {
        let refused = refusal(keys).unwrap_or_else(|| panic!("it was taken: {keys}"));
        assert!(refused.contains("shell: true"), "{keys}: {refused}");
        let allowed = format!("{keys}\nshell: true");
        assert_eq!(refusal(&allowed), None, "{keys}");
    }
}

#[test]
fn data_is_data() {
    for keys in [
        "command: bash -c 'echo \"$1\"' --\nargv: ['{{x}}']",
        "command: bash run.sh\nargv: ['{{x}}']",
        "command: bash run.sh\nflags: [-c]\nargv: ['{{x}}']",
        "command: bash\nargv: [run.sh, '{{x}}']",
        "command: bash run.sh\nstdin: '{{x}}'",
        "command: bash -c 'echo \"$SPELL_ARG_X\"'",
        "command: python3 -c 'import sys; print(sys.argv)'\nargv: ['{{x}}']",
        "command: python3 tool.py\nargv: ['--code={{x}}']",
        "command: grep bash\nargv: ['{{x}}']",
        "command: awk '{print $1}'\nargv: ['{{x}}']",
        "command: git log\nargv: ['--author={{x}}']",
        "command: bash\nflags: [-c]",
        "command: bash -euo pipefail run.sh\nargv: ['{{x}}']",
        "command: bash run.sh -c\nargv: ['{{x}}']",
        "command: bash -s --\nargv: ['{{x}}']\nstdin: echo $1",
        "command: python3 - \nargv: ['{{x}}']\nstdin: print(1)",
        "command: python3 -W ignore tool.py -c\nargv: ['{{x}}']",
        "command: python3 -m json.tool\nargv: ['{{x}}']",
        "command: perl -e 'print @ARGV' --\nargv: ['{{x}}']",
        "command: perl -MJSON tool.pl\nargv: ['{{x}}']",
        "command: docker exec box sh tool.sh -c\nargv: ['{{x}}']",
        "command: awk -F ':' '{print $1}'\nargv: ['{{x}}']",
        "command: sed -n -e p\nargv: ['{{x}}']",
        "command: timeout 5 grep\nargv: ['{{x}}']",
        "command: env A=1 grep\nargv: ['{{x}}']",
        "command: nice bash run.sh\nargv: ['{{x}}']",
        "command: highlight --syntax bash\nstdin: '{{x}}'",
        "command: find .\nargv: [-name, '{{x}}']",
        "command: ssh -p 22\nargv: ['{{x}}', uptime]",
        "command: 'parallel gzip :::'\nargv: ['{{x}}']",
        "command: rsync -a\nargv: ['{{x}}', b]",
    ] {
        assert_eq!(refusal(keys), None, "{keys}");
    }
    let target = "command: make\nargs: [{name: x, pattern: '[a-z]+'}]\nargv: ['{{x}}']\npaths: [.]";
    assert!(read(target).mistakes.is_none(), "a pattern keeps `=` out");
    let chosen = "command: bash -c\nargs: [{name: x, enum: [ls, id]}, {name: n, type: integer}]\nargv: ['{{x}} {{n}}']\npaths: [.]";
    assert!(
        read(chosen).mistakes.is_none(),
        "the author wrote every word of it"
    );
}

#[test]
fn an_option_is_not_a_callers_to_name() {
    for argv in ["-{{x}}", "--{{x}}", "--{{x}}=1", "--up{{x}}"] {
        assert!(
            refusal(&format!("command: tool\nargv: ['{argv}']"))
                .is_some_and(|m| m.contains("name of an option")),
            "{argv}"
        );
    }
    assert_eq!(
        refusal("command: tool\nargv: ['-x{{x}}', '--y={{x}}']"),
        None
    );
}

#[tokio::test]
async fn what_stands_behind_fixed_code_is_not_evaluated() {
    let project = Project::new();
    project.spell(
        "t",
        "command: sh -c 'printf \"%s\\n\" \"$1\" \"$SPELL_ARG_X\"' --\npaths: [.]\nargs: [{name: x}]\nargv: ['{{x}}']",
    );
    let evil = "$(id) `id` ; id";
    let result = project.call("t", json!({"x": evil})).await;
    assert_eq!(elements(&result), [evil, evil]);
}

#[tokio::test]
async fn whoever_says_shell_gets_one() {
    let project = Project::new();
    project.spell(
        "t",
        "command: sh -c\npaths: [.]\nargs: [{name: x}]\nargv: ['{{x}}']\nshell: true",
    );
    assert_eq!(
        stdout(&call(&project.book(), "t", json!({"x": "echo $((1+1))"})).await),
        "2\n"
    );
}

#[test]
fn a_script_that_evaluates_its_arguments_is_pointed_out() {
    let project = Project::new();
    std::fs::write(
        project.base.join("run.sh"),
        "#!/bin/sh\necho \"$SPELL_ARG_A\"\nrm -f $SPELL_ARG_A\neval \"$SPELL_ARG_A\"\n",
    )
    .expect("it can");
    let file = project.spell("t", "command: sh ./run.sh\npaths: [.]");
    let report = charmer_spells::check(&file, &project.options()).expect("it is there");
    let shown = report.render(false);
    assert!(
        shown.contains("run.sh:3: `SPELL_ARG_A` is used without quotes"),
        "{shown}"
    );
    assert!(
        shown.contains("run.sh:4: `SPELL_ARG_A` would be evaluated"),
        "{shown}"
    );
    assert!(report.is_ok());
}
