//! Schemas that `schemars` derives from Rust types, and values of those types.

use std::collections::{BTreeMap, HashMap, HashSet};

use charmer_core::schema::OutputSchema;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::Serialize;
use serde_json::{Value, json};

use super::{assert_kept, converted};

/// Converts the schema of a type, as 2020-12 and as draft-07, and holds the values to it. Gives back the one for
/// values that a type wrote.
fn held<T: JsonSchema + Serialize>(values: &[T]) -> OutputSchema {
    let mut last = None;
    for settings in [SchemaSettings::draft07(), SchemaSettings::draft2020_12()] {
        for settings in [settings.clone().for_deserialize(), settings.for_serialize()] {
            let schema = settings.into_generator().into_root_schema_for::<T>();
            let schema = serde_json::to_value(schema).expect("it is JSON");
            for output in converted(&schema) {
                for value in values {
                    assert_kept(
                        &schema,
                        &output,
                        &serde_json::to_value(value).expect("it is JSON"),
                    );
                }
                last = Some(output);
            }
        }
    }
    last.expect("there are settings")
}

fn properties<T: JsonSchema + Serialize>(values: &[T]) -> Value {
    held(values).schema()["properties"].clone()
}

/// A point on a map.
#[derive(Serialize, JsonSchema, Clone)]
struct Point {
    /// To the east
    x: f64,
    y: Option<f32>,
}

fn point() -> Point {
    Point { x: 1.5, y: None }
}

#[test]
fn a_flat_struct_with_its_doc_comments() {
    #[derive(Serialize, JsonSchema)]
    struct Calculation {
        /// Calculation result
        result: f64,
        /// Operation performed
        operation: String,
        small: i8,
        large: u64,
        sure: bool,
    }
    let value = Calculation {
        result: 0.5,
        operation: "half".into(),
        small: -3,
        large: u64::MAX,
        sure: true,
    };
    let output = held(&[value]);
    assert_eq!(
        *output.schema(),
        json!({
            "type": "object",
            "description": "Calculation",
            "properties": {
                "result": {"type": "number", "description": "Calculation result"},
                "operation": {"type": "string", "description": "Operation performed"},
                "small": {"type": "integer", "minimum": -128, "maximum": 127},
                "large": {"type": "integer", "minimum": 0},
                "sure": {"type": "boolean"},
            },
            "required": ["result", "operation", "small", "large", "sure"],
        })
    );
    assert_eq!(output.notes(), []);
}

#[test]
fn nested_structs_lists_and_options() {
    #[derive(Serialize, JsonSchema)]
    struct Shape {
        center: Point,
        corners: Vec<Point>,
        /// Where it was seen last
        seen: Option<Point>,
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        #[serde(default)]
        level: u8,
        holes: Vec<Option<u32>>,
    }
    let shape = |seen| Shape {
        center: point(),
        corners: vec![
            point(),
            Point {
                x: 0.0,
                y: Some(2.0),
            },
        ],
        seen,
        name: None,
        level: 3,
        holes: vec![Some(1), None],
    };
    let found = properties(&[shape(None), shape(Some(point()))]);
    let described = json!({"type": "number", "description": "To the east"});
    assert_eq!(found["center"]["properties"]["x"], described);
    assert_eq!(found["center"]["description"], "A point on a map.");
    assert_eq!(found["center"]["required"], json!(["x"]));
    assert_eq!(found["corners"]["items"]["properties"]["x"], described);
    assert_eq!(found["seen"]["type"], "object");
    assert_eq!(found["seen"]["description"], "Where it was seen last");
    assert_eq!(found["name"], json!({"type": "string"}));
    assert_eq!(
        found["level"],
        json!({"type": "integer", "minimum": 0, "maximum": 255, "default": 0})
    );
    // A null has to stay among the elements of a list.
    assert_eq!(
        found["holes"],
        json!({"type": "array", "items": {"description": "(integer or null)"}})
    );
}

#[test]
fn maps_keep_the_type_of_their_values() {
    #[derive(Serialize, JsonSchema)]
    struct Counts {
        words: HashMap<String, u32>,
        places: BTreeMap<String, Point>,
        lists: BTreeMap<String, Vec<String>>,
        numbered: BTreeMap<u32, bool>,
        perhaps: BTreeMap<String, Option<String>>,
        nested: HashMap<String, HashMap<String, i64>>,
        unique: HashSet<String>,
    }
    let value = Counts {
        words: HashMap::from([("a b/é".into(), 3)]),
        places: BTreeMap::from([("home".into(), point())]),
        lists: BTreeMap::from([("x".into(), vec!["y".into()])]),
        numbered: BTreeMap::from([(7, true)]),
        perhaps: BTreeMap::from([("a".into(), None), ("b".into(), Some("c".into()))]),
        nested: HashMap::from([("m".into(), HashMap::from([("n".into(), -1)]))]),
        unique: HashSet::from(["one".into()]),
    };
    let output = held(&[value]);
    let found = &output.schema()["properties"];
    assert_eq!(
        found["words"],
        json!({"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}})
    );
    assert_eq!(
        found["places"]["additionalProperties"]["properties"]["x"]["type"],
        "number"
    );
    assert_eq!(
        found["lists"]["additionalProperties"]["items"],
        json!({"type": "string"})
    );
    assert_eq!(
        found["numbered"],
        json!({"type": "object", "additionalProperties": {"type": "boolean"}})
    );
    assert_eq!(
        found["perhaps"]["additionalProperties"],
        json!({"description": "(string or null)"})
    );
    assert_eq!(
        found["nested"]["additionalProperties"]["additionalProperties"],
        json!({"type": "integer"})
    );
    assert_eq!(
        found["unique"],
        json!({"type": "array", "items": {"type": "string"}})
    );
    assert!(
        output
            .notes()
            .iter()
            .any(|note| note.pointer == "/properties/unique/uniqueItems")
    );
}

#[test]
fn enums_of_words() {
    #[derive(Serialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    enum Plain {
        OnTime,
        Late,
    }
    #[derive(Serialize, JsonSchema)]
    enum Told {
        /// All is well
        Good,
        /// It is not
        Bad,
        Unknown,
    }
    #[derive(Serialize, JsonSchema)]
    struct Train {
        plain: Plain,
        told: Option<Told>,
    }
    let values = [
        Train {
            plain: Plain::OnTime,
            told: Some(Told::Good),
        },
        Train {
            plain: Plain::Late,
            told: Some(Told::Unknown),
        },
        Train {
            plain: Plain::Late,
            told: Some(Told::Bad),
        },
        Train {
            plain: Plain::Late,
            told: None,
        },
    ];
    let found = properties(&values);
    assert_eq!(
        found["plain"],
        json!({"type": "string", "enum": ["on-time", "late"]})
    );
    assert_eq!(
        found["told"]["description"],
        "(Good: All is well; Bad: It is not)"
    );
    let mut choices: Vec<&str> = found["told"]["enum"]
        .as_array()
        .expect("it is there")
        .iter()
        .flat_map(Value::as_str)
        .collect();
    choices.sort_unstable();
    assert_eq!(choices, ["Bad", "Good", "Unknown"]);
}

#[test]
fn enums_tagged_from_outside() {
    #[derive(Serialize, JsonSchema)]
    enum Event {
        /// Something moved
        Moved {
            from: Point,
            to: Point,
        },
        Renamed(String),
        Resized(u32, u32),
    }
    let output = held(&[
        Event::Moved {
            from: point(),
            to: point(),
        },
        Event::Renamed("x".into()),
        Event::Resized(1, 2),
    ]);
    let schema = output.schema();
    assert_eq!(schema["type"], "object");
    assert_eq!(schema.get("required"), None);
    assert_eq!(schema["properties"]["Renamed"], json!({"type": "string"}));
    assert_eq!(
        schema["properties"]["Moved"]["required"],
        json!(["from", "to"])
    );
    assert_eq!(schema["properties"]["Resized"]["minItems"], 2);
    assert_eq!(
        schema["properties"]["Resized"]["items"],
        json!({"type": "integer", "minimum": 0})
    );
    assert_eq!(
        schema["description"],
        "Event (one of: Moved: Something moved; Renamed; Resized)"
    );
}

#[test]
fn enums_tagged_from_outside_with_plain_words_among_them() {
    #[derive(Serialize, JsonSchema)]
    enum Mixed {
        Nothing,
        Something(Point),
    }
    #[derive(Serialize, JsonSchema)]
    struct Holder {
        mixed: Mixed,
    }
    let found = properties(&[
        Holder {
            mixed: Mixed::Nothing,
        },
        Holder {
            mixed: Mixed::Something(point()),
        },
    ]);
    // A string or an object: a type would be wrong for one of them.
    assert_eq!(
        found["mixed"],
        json!({"description": "(\"Nothing\" or object with Something)"})
    );
    // By itself it is put under a field.
    let output = held(&[Mixed::Nothing, Mixed::Something(point())]);
    assert_eq!(output.field(), Some("value"));
}

#[test]
fn enums_tagged_inside() {
    #[derive(Serialize, JsonSchema)]
    #[serde(tag = "kind", rename_all = "lowercase")]
    enum Figure {
        /// Round
        Circle {
            radius: f64,
            center: Point,
        },
        Square {
            side: f64,
            label: Option<String>,
        },
        Placed(Point),
        Empty,
    }
    let values = [
        Figure::Circle {
            radius: 1.0,
            center: point(),
        },
        Figure::Square {
            side: 2.0,
            label: None,
        },
        Figure::Placed(point()),
        Figure::Empty,
    ];
    let output = held(&values);
    let schema = output.schema();
    assert_eq!(schema["required"], json!(["kind"]));
    assert_eq!(
        schema["properties"]["kind"],
        json!({"type": "string", "enum": ["circle", "square", "placed", "empty"]})
    );
    assert_eq!(schema["properties"]["radius"], json!({"type": "number"}));
    assert_eq!(
        schema["properties"]["center"]["properties"]["x"]["type"],
        "number"
    );
    assert_eq!(schema["properties"]["x"]["type"], "number");
    let description = schema["description"].as_str().expect("it is there");
    assert!(
        description.contains("circle with radius, center: Round; square with side, label"),
        "{description}"
    );
}

#[test]
fn enums_tagged_beside_and_not_at_all() {
    #[derive(Serialize, JsonSchema)]
    #[serde(tag = "t", content = "c")]
    enum Beside {
        Text(String),
        Words(String),
        Nothing,
    }
    let output = held(&[
        Beside::Text("a".into()),
        Beside::Words("b".into()),
        Beside::Nothing,
    ]);
    assert_eq!(
        output.schema()["properties"]["t"]["enum"],
        json!(["Text", "Words", "Nothing"])
    );
    assert_eq!(
        output.schema()["properties"]["c"],
        json!({"type": "string"})
    );
    assert_eq!(output.schema()["required"], json!(["t"]));

    #[derive(Serialize, JsonSchema)]
    #[serde(untagged)]
    enum Untagged {
        Number(u8),
        Float(f64),
        Text(String),
        Nothing,
    }
    #[derive(Serialize, JsonSchema)]
    struct Holder {
        must: Untagged,
        may: Option<Untagged>,
        list: Vec<Untagged>,
    }
    let holder = |may| Holder {
        must: Untagged::Nothing,
        may,
        list: vec![
            Untagged::Number(1),
            Untagged::Float(0.5),
            Untagged::Text("x".into()),
            Untagged::Nothing,
        ],
    };
    let found = properties(&[
        holder(None),
        holder(Some(Untagged::Nothing)),
        holder(Some(Untagged::Number(3))),
    ]);
    assert_eq!(found["must"]["type"], Value::Null);
    assert_eq!(found["list"]["items"]["type"], Value::Null);

    #[derive(Serialize, JsonSchema)]
    #[serde(untagged)]
    enum Objects {
        Wide { width: u8, unit: String },
        High { height: u8, unit: String },
    }
    let output = held(&[
        Objects::Wide {
            width: 1,
            unit: "m".into(),
        },
        Objects::High {
            height: 1,
            unit: "m".into(),
        },
    ]);
    assert_eq!(output.schema()["required"], json!(["unit"]));
    assert_eq!(output.schema()["properties"]["height"]["type"], "integer");
}

#[test]
fn types_that_contain_themselves() {
    #[derive(Serialize, JsonSchema)]
    struct Tree {
        value: i32,
        children: Vec<Tree>,
    }
    fn tree(depth: i32) -> Tree {
        let children = if depth == 0 {
            vec![]
        } else {
            vec![tree(depth - 1), tree(depth - 1)]
        };
        Tree {
            value: depth,
            children,
        }
    }
    let output = held(&[tree(0), tree(7)]);
    let mut place = output.schema();
    for _ in 0..2 {
        assert_eq!(place["properties"]["value"]["type"], "integer");
        place = &place["properties"]["children"]["items"];
    }
    assert_eq!(
        place["properties"]["children"]["items"]["description"],
        "Tree"
    );
    assert_eq!(place["properties"]["children"]["items"]["type"], "object");
    assert_eq!(
        place["properties"]["children"]["items"].get("properties"),
        None
    );
    assert!(
        output
            .notes()
            .iter()
            .any(|note| note.message.contains("contains itself"))
    );

    #[derive(Serialize, JsonSchema)]
    struct Link {
        name: String,
        next: Option<Box<Link>>,
    }
    let link = |next| Link {
        name: "x".into(),
        next,
    };
    let mut chain = link(None);
    for _ in 0..10 {
        chain = link(Some(Box::new(chain)));
    }
    held(&[link(None), chain]);

    #[derive(Serialize, JsonSchema)]
    struct Folder {
        files: BTreeMap<String, Entry>,
    }
    #[derive(Serialize, JsonSchema)]
    #[serde(tag = "type")]
    enum Entry {
        File { size: u64 },
        Folder(Folder),
        Link { to: Option<Box<Entry>> },
    }
    let mut folder = Folder {
        files: BTreeMap::from([("a".into(), Entry::File { size: 1 })]),
    };
    for _ in 0..8 {
        let to = Entry::Link {
            to: Some(Box::new(Entry::Folder(folder))),
        };
        folder = Folder {
            files: BTreeMap::from([("b".into(), to), ("c".into(), Entry::Link { to: None })]),
        };
    }
    held(&[folder]);
}

#[test]
fn flattened_structs_are_merged() {
    #[derive(Serialize, JsonSchema)]
    #[serde(tag = "state")]
    enum State {
        Done { at: String },
        Waiting { until: Option<String> },
    }
    #[derive(Serialize, JsonSchema)]
    struct Job {
        id: u32,
        #[serde(flatten)]
        point: Point,
        #[serde(flatten)]
        state: State,
        #[serde(flatten)]
        more: HashMap<String, Value>,
    }
    let job = |state| Job {
        id: 1,
        point: point(),
        state,
        more: HashMap::from([("extra".into(), json!(null))]),
    };
    let output = held(&[
        job(State::Done { at: "now".into() }),
        job(State::Waiting { until: None }),
    ]);
    let schema = output.schema();
    assert_eq!(
        schema["properties"]["x"],
        json!({"type": "number", "description": "To the east"})
    );
    assert_eq!(
        schema["properties"]["state"]["enum"],
        json!(["Done", "Waiting"])
    );
    let required: HashSet<&str> = schema["required"]
        .as_array()
        .expect("it is there")
        .iter()
        .flat_map(Value::as_str)
        .collect();
    assert_eq!(required, HashSet::from(["id", "x", "state"]));
}

#[test]
fn tuples_formats_and_units() {
    #[derive(Serialize, JsonSchema)]
    struct Odd {
        pair: (String, u8),
        same: (u8, u8, u8),
        unit: (),
        array: [bool; 2],
        #[schemars(extend("format" = "date-time"))]
        at: String,
        #[schemars(extend("format" = "duration"))]
        took: String,
        address: std::net::Ipv4Addr,
        anything: Value,
        letter: char,
        newtype: Newtype,
        #[schemars(regex(pattern = "^[a-z]+$"), length(min = 1, max = 5))]
        word: String,
        #[schemars(range(min = 1, max = 10))]
        some: u8,
    }
    #[derive(Serialize, JsonSchema)]
    struct Newtype(Vec<u8>);
    let value = Odd {
        pair: ("a".into(), 1),
        same: (1, 2, 3),
        unit: (),
        array: [true, false],
        at: "2026-11-16T03:24:08Z".into(),
        took: "PT5M".into(),
        address: std::net::Ipv4Addr::LOCALHOST,
        anything: Value::Null,
        letter: 'é',
        newtype: Newtype(vec![1]),
        word: "abc".into(),
        some: 7,
    };
    let output = held(&[value]);
    let found = &output.schema()["properties"];
    assert_eq!(
        found["pair"],
        json!({"type": "array", "description": "(in this order: string; integer)",
               "items": {"description": "(string or integer)"}, "minItems": 2, "maxItems": 2})
    );
    assert_eq!(found["same"]["items"]["type"], "integer");
    assert_eq!(found["unit"], json!({"description": "(null)"}));
    assert_eq!(
        found["at"],
        json!({"type": "string", "format": "date-time"})
    );
    assert_eq!(
        found["took"],
        json!({"type": "string", "description": "(format: duration)"})
    );
    assert_eq!(
        found["address"],
        json!({"type": "string", "format": "ipv4"})
    );
    assert_eq!(found["anything"], json!({}));
    assert_eq!(
        found["letter"],
        json!({"type": "string", "minLength": 1, "maxLength": 1})
    );
    assert_eq!(
        found["word"],
        json!({"type": "string", "minLength": 1, "maxLength": 5, "pattern": "^[a-z]+$"})
    );
    assert_eq!(
        found["some"],
        json!({"type": "integer", "minimum": 1, "maximum": 10})
    );
    // A null that is a value and not the lack of one is required, and stays.
    let required = output.schema()["required"].as_array().expect("it is there");
    assert!(required.contains(&json!("unit")) && required.contains(&json!("anything")));
}

#[test]
fn types_that_are_no_objects_are_put_under_a_field() {
    assert_eq!(held(&[vec![point()]]).field(), Some("items"));
    assert_eq!(held(&["text"]).field(), Some("value"));
    assert_eq!(held(&[Some(point()), None]).field(), Some("value"));
    assert_eq!(held(&[Some(point()), None]).prepare(Value::Null), json!({}));
    assert_eq!(held(&[BTreeMap::from([("a", 1)])]).field(), None);
    assert_eq!(held(&[()]).prepare(Value::Null), json!({"value": null}));
    assert_eq!(held(&[(1, "a")]).field(), Some("items"));
    held(&[json!({"any": [1, null]}), json!(3), json!(null)]);
}
