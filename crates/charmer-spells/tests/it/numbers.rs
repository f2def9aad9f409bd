//! Numbers with `min` and `max`.

use serde_json::json;

use crate::support::{Project, call, code, elements};

#[tokio::test]
async fn numbers_stay_within_their_bounds() {
    let project = Project::new();
    project.spell(
        "t",
        "command: ${FIXTURE} x\npaths: [.]\nstructure: off\nargs:\n  - {name: n, type: integer, min: 1, max: 10}\n  - {name: share, type: number, min: 0, max: 0.5}\n  - {name: low, type: integer, max: -3}\nargv: ['{{n}}', '{{share}}', '--low={{low}}']",
    );
    let book = project.book();
    for good in [
        json!({"n": 1, "share": 0}),
        json!({"n": 10, "share": 0.5, "low": -3}),
    ] {
        assert!(!call(&book, "t", good).await.is_error);
    }
    let result = call(&book, "t", json!({"low": -9})).await;
    assert_eq!(elements(&result), ["x", "--low=-9"]);
    for (bad, expected) in [
        (json!({"n": 0}), "from 1 to 10"),
        (json!({"n": 11}), "from 1 to 10"),
        (json!({"share": 0.51}), "a number from 0 to 0.5"),
        (json!({"share": -0.01}), "a number from 0 to 0.5"),
        (json!({"low": -2}), "to -3"),
    ] {
        let result = call(&book, "t", bad.clone()).await;
        assert_eq!(code(&result), "invalid_arguments", "{bad}");
        assert!(result.text.contains(expected), "{bad}: {}", result.text);
    }
    let tools = book.tools();
    let properties = &tools[0].tool.input_schema["properties"];
    assert_eq!(
        (&properties["n"]["minimum"], &properties["n"]["maximum"]),
        (&json!(1), &json!(10))
    );
    assert_eq!(
        (
            &properties["share"]["minimum"],
            &properties["share"]["maximum"]
        ),
        (&json!(0), &json!(0.5))
    );
    assert_eq!(properties["low"]["maximum"], -3);
}
