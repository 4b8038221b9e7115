//! Lists that a rule set makes, in full: one case for each value of the parameter in the first column.

use std::collections::BTreeMap;

use super::Table;
use crate::case::Wanted;
use crate::driver::Question;

pub(super) fn read(table: &mut Table<'_>, text: &str) {
    let mut rows = super::lines(text);
    let Some((line, head)) = rows.next() else { return table.problem(1, "the table is empty") };
    let head: Vec<&str> = head.split('\t').collect();
    let (list, columns, param) = (table.name("list"), table.name("columns"), table.name("param"));
    let Some(wanted) = columns
        .split_whitespace()
        .map(|name| head.iter().position(|known| *known == name))
        .collect::<Option<Vec<usize>>>()
    else {
        return table.problem(line, format!("the columns `{columns}` are not all there"));
    };
    let mut lists: BTreeMap<u32, (usize, Vec<Vec<String>>)> = BTreeMap::new();
    for (line, row) in rows {
        let cells: Vec<&str> = row.split('\t').collect();
        let Some(key) = cells.first().and_then(|cell| cell.parse().ok()) else {
            table.problem(line, "the first column is a number");
            continue;
        };
        let row = wanted.iter().filter_map(|at| cells.get(*at)).map(|cell| (*cell).to_owned()).collect();
        lists.entry(key).or_insert_with(|| (line, Vec::new())).1.push(row);
    }
    for (key, (line, rows)) in lists {
        let mut case = table.case(&key.to_string(), line, format!("{list} for {param} = {key}"));
        case.params = vec![(param.clone(), key.to_string())];
        case.cost = rows.len() as u64;
        case.ask(line, Question::List(list.clone()), Wanted::Rows { all: Some(rows), some: Vec::new() });
        table.push(case);
    }
}
