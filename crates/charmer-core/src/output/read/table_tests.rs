//! Tables by example; random ones are in `tests/it/reading.rs`.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use serde_json::json;

use super::*;

fn auto(text: &str) -> Option<Value> {
    read(text, false)
}

#[test]
fn columns_are_cut_by_their_names() {
    let text = "\
POD ID         NAME        STATUS             PORTS     SIZE
4f1c2d3e4a5b   harbour     Up 5 minutes                  12MB
99aa88bb77cc   a b         Exited (0)         80->8080  3
";
    assert_eq!(auto(text), None, "`12MB` and `3` stand under nothing");
    let text = "\
POD ID         NAME      STATUS         PORTS
4f1c2d3e4a5b   harbour   Up 5 minutes
99aa88bb77cc   a b       Exited (0)     80->8080/tcp, 90->9090/tcp
";
    assert_eq!(
        auto(text),
        Some(json!([
            {"POD ID": "4f1c2d3e4a5b", "NAME": "harbour", "STATUS": "Up 5 minutes", "PORTS": ""},
            {"POD ID": "99aa88bb77cc", "NAME": "a b", "STATUS": "Exited (0)", "PORTS": "80->8080/tcp, 90->9090/tcp"},
        ]))
    );
}

#[test]
fn a_single_row_is_enough_under_capitals() {
    assert_eq!(
        auto("NAME   CREATED         STATUS\nweb    5 minutes ago   Up 5 minutes\n"),
        Some(json!([{"NAME": "web", "CREATED": "5 minutes ago", "STATUS": "Up 5 minutes"}]))
    );
    assert_eq!(auto("NAME   CREATED\n"), None);
    assert_eq!(read("NAME   CREATED\n", true), Some(json!([])));
}

#[test]
fn numbers_may_stand_at_the_right() {
    let text = "\
Volume         1K-blocks    Used Available Use% Mounted on
overlay         61202244 2813456  55246796   5% /
/dev/longer        65536       0     65536   0% /dev/my disk
";
    assert_eq!(
        auto(text),
        Some(json!([
            {"Volume": "overlay", "1K-blocks": "61202244", "Used": "2813456", "Available": "55246796", "Use%": "5%", "Mounted on": "/"},
            {"Volume": "/dev/longer", "1K-blocks": "65536", "Used": "0", "Available": "65536", "Use%": "0%", "Mounted on": "/dev/my disk"},
        ]))
    );
    let text = "\
USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
root           1  0.0  0.1 168140 11788 ?        Ss   Nov15   0:03 init  splash
daemon     12345 10.0 10.1 999999 99999 pts/0    R+   03:24  10:03 work -a
";
    let read = auto(text).unwrap();
    assert_eq!(
        read[1],
        json!({"USER": "daemon", "PID": "12345", "%CPU": "10.0", "%MEM": "10.1", "VSZ": "999999", "RSS": "99999",
            "TTY": "pts/0", "STAT": "R+", "START": "03:24", "TIME": "10:03", "COMMAND": "work -a"})
    );
    assert_eq!(read[0]["COMMAND"], "init  splash");
}

#[test]
fn many_rows_tell_a_border_from_a_name_of_two_words() {
    let row = |n: usize| format!("{n:>5} {:>5}  0 Nov15 ?   cmd{n} a\n", n * 1000);
    let text = |rows: usize| {
        let rows: String = (1..=rows).map(row).collect();
        format!("  PID  SIZE  C STIME TTY CMD\n{rows}")
    };
    let read = auto(&text(5)).unwrap();
    assert_eq!(
        read[4],
        json!({"PID": "5", "SIZE": "5000", "C": "0", "STIME": "Nov15", "TTY": "?", "CMD": "cmd5 a"})
    );
    assert_eq!(auto(&text(4)), None);
}

#[test]
fn wide_characters_count_as_the_program_counted_them() {
    let expected = json!([
        {"NAME": "港の船", "NOTE": "e\u{301}té", "AGE": "5d"},
        {"NAME": "x", "NOTE": "👍 ok", "AGE": "12d"},
    ]);
    let shown = "NAME     NOTE    AGE\n港の船   e\u{301}té     5d\nx        👍 ok   12d\n";
    let counted = "NAME   NOTE   AGE\n港の船    e\u{301}té   5d\nx      👍 ok   12d\n";
    assert_eq!(auto(shown), Some(expected.clone()));
    assert_eq!(auto(counted), Some(expected));
}

#[test]
fn wide_characters_between_empty_cells_are_counted_in_one_way_only() {
    let text = "\
BERTH ID   CARGO              LOADED       DOCKS                 NAMES
a1b2c3     \"crates of lin…\"   9 days ago   north, south, 12->3   crane
0123ab     \"\"                 9 days ago                         buoy_of_the_bay
badc0f     \"船が出る\"         9 days ago                         ferry
";
    let rows = auto(text).unwrap();
    assert_eq!(rows[0]["DOCKS"], "north, south, 12->3");
    assert_eq!(
        rows[2],
        json!({"BERTH ID": "badc0f", "CARGO": "\"船が出る\"", "LOADED": "9 days ago", "DOCKS": "", "NAMES": "ferry"})
    );
}

#[test]
fn dashes_below_names_say_where_columns_are() {
    assert_eq!(
        auto("Package Version\n------- -------\npip     23.0.1\nwheel   1\n"),
        Some(
            json!([{"Package": "pip", "Version": "23.0.1"}, {"Package": "wheel", "Version": "1"}])
        )
    );
    assert_eq!(auto("Title\n-----\nSome text\n"), None);
    assert_eq!(auto("Some Title\n----------\nSome text\n"), None);
}

#[test]
fn marks_stand_in_a_column_of_their_own() {
    let text = "CURRENT   NAME   CLUSTER\n*         a      one\n          b      two\n";
    assert_eq!(
        auto(text).unwrap()[1],
        json!({"CURRENT": "", "NAME": "b", "CLUSTER": "two"})
    );
    let wrapped = "NAME   NOTE       AGE\nab     a long     5d\n       text\n";
    assert_eq!(auto(wrapped), None);
}

#[test]
fn several_tables_are_one_list_if_nothing_is_lost() {
    let text = "NAME    READY\npod/a   1/1\n\nNAME        TYPE\nservice/b   ClusterIP\n";
    assert_eq!(
        auto(text),
        Some(
            json!([{"NAME": "pod/a", "READY": "1/1"}, {"NAME": "service/b", "TYPE": "ClusterIP"}])
        )
    );
    assert_eq!(auto("NAME   AGE\na      1\n\nNAME   AGE\nb      2\n"), None);
    assert_eq!(auto("NAME   AGE\na      1\n\n2 rows\n"), None);
}

#[test]
fn other_text_is_left_alone() {
    for text in [
        "NAME",
        "NAME   AGE\nfoo    5d\nTotal: 3\n",
        "NAME   AGE\nfoo    5d\n3 rows\n",
        "NAME   AGE\nfoobarbaz 5d\n",
        "NAME   NAME\nfoo    5d\n",
        "INFO  Starting\nINFO  Stopping\n",
        "INFO  Starting   Now\nWARN  Stopping   Then\n",
        "A B C\nD E F\n",
        "LICENSE   README\nMAKEFILE  TODO\n",
        "Hello there.  I am text.\nIt goes on.   And on.\n",
        "Usage:  ship [OPTIONS]\n\nOptions:\n  -a   All\n",
        "SHIP(1)            Ship Manual            SHIP(1)\n\nNAME\n       ship - sails\n",
        "               total        used\nMem:         1000         500\n",
        "+------+-----+\n| NAME | AGE |\n+------+-----+\n",
        "SHIP HARBOUR X\n👩\u{200d}💻   >a0>\n",
        "A AA AAAA\n>  👍 aa-\n",
        "NAME   VALUE\na      1\u{7}\n",
        "\nNAME   AGE\nfoo    5d\n",
    ] {
        assert_eq!(auto(text), None, "{text}");
    }
}

#[test]
fn wide_characters_and_names_of_two_words_leave_it_open_how_columns_are_counted() {
    for text in [
        "AAAA  AAAB AAAAA AAAC\naa00a  👩\u{200d}💻 >_>>aaa_0\n",
        "AAAA AA  A AAAB\ne\u{301} <>-   e\u{301}a\n",
    ] {
        assert_eq!(auto(text), None, "{text}");
    }
}
