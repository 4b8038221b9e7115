//! Every limit of rule files, at its value and one beyond.

use std::fmt::Write as _;
use std::sync::Arc;

use rulebook_model::draft::{MAX_CLAUSES, MAX_ENTRIES};
use rulebook_model::layer::MAX_LAYERS;
use rulebook_model::library::Library;
use rulebook_model::{Checked, Value, check};
use rulebook_syntax::parse::{MAX_DEPTH, MAX_LENGTH};
use rulebook_syntax::yaml::Limits;
use rulebook_syntax::{Severity, Source, codes};

const HEAD: &str = "rulebook: 1\nid: case\nplayers: [first, second]\n";

fn checked(text: &str) -> Checked {
    let library = Library::default();
    check(&Source::new("case.yaml", text), &|id| library.find(id), &[])
}

fn errors(text: &str) -> Vec<&'static str> {
    let found = checked(text).diagnostics;
    found.iter().filter(|one| one.severity == Severity::Error).map(|one| one.code).collect()
}

#[track_caller]
fn at_its_limit(fits: &str, exceeds: &str) {
    assert_eq!(errors(fits), [] as [&str; 0], "at the limit");
    assert_eq!(errors(exceeds), [codes::LIMIT_EXCEEDED], "one beyond");
}

fn act(condition: &str) -> String {
    format!("{HEAD}clauses:\n  \"1\": {{ act: pass, when: \"{condition}\" }}\n")
}

#[test]
fn size_of_a_file() {
    let padded = |bytes: usize| format!("{HEAD}#{}\n", "x".repeat(bytes - HEAD.len() - 2));
    let most = Limits::default().bytes;
    at_its_limit(&padded(most), &padded(most + 1));
}

#[test]
fn nesting() {
    // The file is a mapping, so one level is used up.
    let nested =
        |depth: usize| format!("{HEAD}edition: {}x{}\n", "[".repeat(depth - 1), "]".repeat(depth - 1));
    let most = Limits::default().depth;
    // The value has a wrong shape, which is said only where it could be read.
    assert_eq!(errors(&nested(most)), [codes::FILE_SHAPE]);
    assert_eq!(errors(&nested(most + 1)), [codes::LIMIT_EXCEEDED]);
}

#[test]
fn number_of_values() {
    // Keys count too: eight nodes are those of the head and of the list itself.
    let many = |nodes: usize| {
        let mut text = String::from("rulebook: 1\nid: case\nplayers: [");
        text.push_str(&"x,".repeat(nodes - 7));
        text + "]\n"
    };
    let most = Limits::default().nodes;
    let beyond = |text: &str| errors(text).contains(&codes::LIMIT_EXCEEDED) && errors(text).len() == 1;
    let has_too_many_values = |text: &str| {
        checked(text).diagnostics.iter().any(|one| one.message.contains("more than 100000 values"))
    };
    assert!(!has_too_many_values(&many(most)));
    assert!(has_too_many_values(&many(most + 1)) && beyond(&many(most + 1)));
}

#[test]
fn aliases() {
    let aliases = |n: usize| {
        let uses = ", *game".repeat(n);
        format!("rulebook: 1\nid: case\nplayers: [{}first{uses}]\n", if n > 0 { "&game " } else { "" })
    };
    assert_eq!(Limits::default().aliases, 0);
    assert_eq!(errors(&aliases(0)), [] as [&str; 0]);
    assert_eq!(errors(&aliases(1)), [codes::YAML_FORBIDDEN]);
}

#[test]
fn length_of_an_expression() {
    let long = |bytes: usize| act(&format!("{}true", " ".repeat(bytes - 4)));
    at_its_limit(&long(MAX_LENGTH), &long(MAX_LENGTH + 1));
}

#[test]
fn depth_of_an_expression() {
    // A bracket is a level of its own, and so is what stands in it.
    let brackets = |n: usize| act(&format!("{}true{}", "(".repeat(n), ")".repeat(n)));
    at_its_limit(&brackets(MAX_DEPTH / 2 - 1), &brackets(MAX_DEPTH / 2));
    at_its_limit(&brackets(MAX_DEPTH / 2 - 1), &brackets(MAX_DEPTH + 1));
}

#[test]
fn operators_in_a_row() {
    let chain = |n: usize| act(&format!("1{} > 0", " + 1".repeat(n - 1)));
    at_its_limit(&chain(2 * MAX_DEPTH), &chain(2 * MAX_DEPTH + 1));
}

/// Chains inside brackets inside chains: deeper than either limit of the grammar says.
#[test]
fn chains_in_brackets() {
    let chains = |levels: usize, operators: usize| {
        let row = "+1".repeat(operators);
        act(&format!("{}1{} > 0", "(".repeat(levels), format!("{row})").repeat(levels)))
    };
    assert_eq!(errors(&chains(8, 20)), [] as [&str; 0]);
    assert_eq!(errors(&chains(28, 60)), [codes::LIMIT_EXCEEDED]);
}

#[test]
fn entries_of_a_section() {
    let clauses = |n: usize| {
        let mut text = format!("{HEAD}clauses:\n");
        for at in 0..n {
            let _ = writeln!(text, "  \"{at}\": {{ advisory: true }}");
        }
        text
    };
    at_its_limit(&clauses(MAX_CLAUSES), &clauses(MAX_CLAUSES + 1));
    let params = |n: usize| {
        let mut text = format!("{HEAD}params:\n");
        for at in 0..n {
            let _ = writeln!(text, "  p{at}: 1");
        }
        text
    };
    at_its_limit(&params(MAX_ENTRIES), &params(MAX_ENTRIES + 1));
}

#[test]
fn players_and_kinds() {
    let list = |n: usize| (0..n).map(|at| format!("x{at}")).collect::<Vec<_>>().join(", ");
    let players = |n: usize| format!("rulebook: 1\nid: case\nplayers: [{}]\n", list(n));
    at_its_limit(&players(8), &players(9));
    let kinds = |n: usize| format!("{HEAD}pieces: [{}]\n", list(n));
    at_its_limit(&kinds(127), &kinds(128));
}

#[test]
fn sites_of_a_board() {
    let board = |files: u32, ranks: u32| format!("{HEAD}board: {{ files: {files}, ranks: {ranks} }}\n");
    at_its_limit(&board(40, 16), &board(40, 17));
    assert_eq!(errors(&board(41, 1)), [codes::BOARD_INVALID]);
}

#[test]
fn layers() {
    let chain = |n: usize| {
        let resolve = |id: &str| -> Option<Arc<Source>> {
            let Some(at) = id.strip_prefix('b').and_then(|at| at.parse::<usize>().ok()) else {
                return Library::default().find(id);
            };
            let base = if at > 1 { format!("extends: b{}\n", at - 1) } else { String::new() };
            Some(Source::new(format!("{id}.yaml"), format!("rulebook: 1\nid: {id}\n{base}")))
        };
        let top = Source::new("case.yaml", format!("rulebook: 1\nid: case\nextends: b{n}\n"));
        check(&top, &resolve, &[]).diagnostics.iter().map(|one| one.code).collect::<Vec<_>>()
    };
    // The case, its bases and the prelude.
    assert_eq!(chain(MAX_LAYERS - 2), [] as [&str; 0]);
    assert_eq!(chain(MAX_LAYERS - 1), [codes::LIMIT_EXCEEDED]);
}

/// A base whose id is not the one it is found by must not be looked for again and again.
#[test]
fn bases_without_end() {
    let resolve = |id: &str| {
        let at = id.strip_prefix('b')?.parse::<usize>().ok()?;
        Some(Source::new(format!("{id}.yaml"), format!("rulebook: 1\nid: {id}\nextends: b{}\n", at + 1)))
    };
    let top = Source::new("case.yaml", "rulebook: 1\nid: case\nextends: b1\n");
    let found = check(&top, &resolve, &[]).diagnostics;
    assert_eq!(found.iter().map(|one| one.code).collect::<Vec<_>>(), [codes::LIMIT_EXCEEDED]);
}

/// Chains of definitions: deep ones are refused, wide ones are quick.
#[test]
fn chains_of_definitions() {
    let chain = |n: usize, step: &str, used: usize| {
        let mut text = format!("{HEAD}define:\n  d0: played > 3 plies\n");
        for at in 1..=n {
            let _ = writeln!(text, "  d{at}: {}", step.replace('@', &format!("d{}", at - 1)));
        }
        text + &format!(
            "clauses:\n  \"1\": {{ ends: d{used}, result: draw }}\n  \"2\": {{ ends: not d{used}, result: win(first) }}\n"
        )
    };
    assert_eq!(errors(&chain(50, "not @", 50)), [] as [&str; 0]);
    assert_eq!(errors(&chain(1999, "not @", 1999)), [codes::LIMIT_EXCEEDED]);
    // Met from the bottom, each definition is shallow by itself.
    assert_eq!(errors(&chain(1999, "not @", 0)), [codes::LIMIT_EXCEEDED]);
    assert_eq!(errors(&chain(60, "@ and @", 60)), [] as [&str; 0]);
    assert_eq!(errors(&chain(60, "not @ and not @", 60)), [] as [&str; 0]);
}

/// Directions that double each other stay what they are.
#[test]
fn unions_of_directions() {
    let mut text =
        format!("{HEAD}board: {{ files: 3, ranks: 3 }}\npieces: [man]\ndirections:\n  d0: north\n");
    for at in 1..1000 {
        let _ = writeln!(text, "  d{at}: d{} + d{} + any", at - 1, at - 1);
    }
    text += "clauses:\n  \"1\": { piece: man, move: step d999 }\n";
    assert_eq!(errors(&text), [] as [&str; 0]);
    let union = |n: i32| {
        let names: Vec<String> = (1..=n).map(|at| format!("d{at}")).collect();
        let steps: String = (1..=n).map(|at| format!("  d{at}: [{at}, 0]\n")).collect();
        format!("{HEAD}directions:\n{steps}  all_of_them: {}\n", names.join(" + "))
    };
    at_its_limit(&union(64), &union(65));
}

#[test]
fn first_values_of_numbers() {
    let first = |value: &str| {
        format!(
            "{HEAD}state: {{ n: {{ type: count, start: {value} }} }}\nclauses:\n  \"1\": {{ act: pass, when: n > 0 }}\n"
        )
    };
    at_its_limit(&first("2351 * 4513 * 13264529"), &first("8388608 * 16777216"));
    at_its_limit(&first("1 / 65535"), &first("1 / 65536"));
}

#[test]
fn choices_and_marks() {
    let choices = |n: usize| {
        let choices: Vec<String> = (0..n).map(|at| format!("c{at} in [1, 2]")).collect();
        format!("{HEAD}clauses:\n  \"1\": {{ act: pass, choose: \"{}\" }}\n", choices.join(", "))
    };
    at_its_limit(&choices(8), &choices(9));
    let marks = |n: usize| {
        let marks: String = (0..n).map(|at| format!("mark m{at} ")).collect();
        format!(
            "{HEAD}board: {{ files: 3, ranks: 3 }}\npieces: [man]\nclauses:\n  \"1\": {{ piece: man, move: {marks}step north }}\n"
        )
    };
    at_its_limit(&marks(8), &marks(9));
}

/// What builds on a parameter builds on the value that the layer on top gives it.
#[test]
fn chains_of_parameters() {
    let found = |params: &str| {
        let resolve = |id: &str| match id {
            "base" => Some(Source::new(
                "base.yaml",
                "rulebook: 1\nid: base\nparams: { half: 5 / 2, whole: half * 2, twice: whole * 2 }\n",
            )),
            _ => Library::default().find(id),
        };
        let text = format!("rulebook: 1\nid: case\nextends: base\nparams: {params}\n");
        let checked = check(&Source::new("case.yaml", text), &resolve, &[]);
        let errors = checked.diagnostics.iter().filter(|one| one.severity == Severity::Error);
        let errors: Vec<&str> = errors.map(|one| one.code).collect();
        let values =
            checked.rules.iter().flat_map(|rules| &rules.params).filter_map(|param| match param.value {
                Value::Number(number) => Some((param.name.clone(), number.to_whole())),
                _ => None,
            });
        (errors, values.collect::<Vec<_>>())
    };
    let values = |whole: i64, twice: i64| {
        vec![("half".to_owned(), None), ("whole".to_owned(), Some(whole)), ("twice".to_owned(), Some(twice))]
    };
    assert_eq!(found("{ half: 7 / 2 }"), (vec![], values(7, 14)));
    assert_eq!(found("{ whole: 3 }"), (vec![], values(3, 6)));
    // The whole of the base, which builds on the half of the layer, and one more.
    assert_eq!(found("{ whole: whole + 1 }"), (vec![], values(6, 12)));
    assert_eq!(found("{ half: twice + 1 }").0, [codes::LAYER_CYCLE]);
    let chain = |n: usize| {
        let links: Vec<String> = (1..=n).map(|at| format!("p{}: p{}", 1000 - at, 1001 - at)).collect();
        found(&format!("{{ p1000: half, {}, half: 1 }}", links.join(", "))).0
    };
    assert_eq!(chain(99), [] as [&str; 0]);
    assert_eq!(chain(101), [codes::LAYER_CYCLE]);
}

/// Clauses apply each other in chains of eight at most, and a search looks at 100,000 positions at most.
#[test]
fn chains_of_applications_and_searches() {
    let chain = |n: usize| {
        let mut text = format!(
            "{HEAD}state: {{ marks: count }}\nclauses:\n  \"0\": {{ on: go, then: \"apply '1'\" }}\n"
        );
        for at in 1..n {
            let _ = writeln!(text, "  \"{at}\": {{ then: \"apply '{}'\" }}", at + 1);
        }
        let _ = writeln!(text, "  \"{n}\": {{ then: marks += 1 }}");
        errors(&text)
    };
    assert_eq!(chain(8), [] as [&str; 0]);
    assert_eq!(chain(9), [codes::LAYER_CYCLE]);
    let search = |most: &str| {
        errors(&format!(
            "{HEAD}clauses:\n  \"1\": {{ act: pass }}\n  \"2\": {{ on: ask, when: \"able(ply, true, mover = first, {most})\" }}\n"
        ))
    };
    assert_eq!(search("100000"), [] as [&str; 0]);
    assert_eq!(search("100001"), [codes::TYPE_MISMATCH]);
    assert_eq!(search("0"), [codes::TYPE_MISMATCH]);
    assert_eq!(search("1 / 2"), [codes::TYPE_MISMATCH]);
}
