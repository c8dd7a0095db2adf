//! Questions about a data set, in at most four calls: its schema, a query made of the names that the question holds, a
//! chart or a map of the rows if one was asked for, and then a text.

mod question;
mod schema;
mod show;
mod sql;
#[cfg(test)]
mod tests;

use super::super::{Message, OfferedTool, Prompt};
use super::pick::{CHART, MAP, QUERY, SCHEMA};
use super::report::{failed, report};
use super::words::says;
use super::{Answer, Done, object, text};
use crate::json::Json;
use question::Question;
use schema::Table;
use show::Rows;

/// The next step for a question about data.
pub fn answer(prompt: &Prompt, asked: &str, done: &[Done<'_>]) -> Answer {
    let offered = |name: &str| prompt.tools.iter().any(|tool: &OfferedTool| !tool.client && tool.name == name);
    // The last one: what went before it, it was made of.
    let told = || Answer::Say(report(done.last().map_or(&[], std::slice::from_ref)));
    if done.iter().any(|call| failed(call.content)) {
        return told();
    }
    let Some(tables) = known_tables(prompt) else {
        // Whatever it answered, it is not asked again.
        let was_asked = done.iter().any(|call| call.name == SCHEMA);
        return if was_asked { told() } else { call(SCHEMA, Json::Map(Vec::new())) };
    };
    if says(asked, &["schema", "columns", "which tables", "what tables", "what data", "tables"]) {
        return Answer::Say(schema::told(&tables));
    }
    let Some(question) = Question::read(asked, &tables) else {
        return Answer::Say("The data set has no tables.".to_owned());
    };
    let Some(query) = done.iter().find(|call| call.name == QUERY) else {
        return call(QUERY, object([("query".to_owned(), text(&sql::select(&question)))]));
    };
    let Some(rows) = Rows::read(query.content) else { return told() };
    let was_called = |name: &str| done.iter().any(|call| call.name == name);
    if question.wants_map
        && offered(MAP)
        && !was_called(MAP)
        && let Some(data) = rows.map()
    {
        return call(MAP, object([("data".to_owned(), data)]));
    }
    if question.wants_chart
        && offered(CHART)
        && !was_called(CHART)
        && let Some(config) = rows.chart(&question)
    {
        return call(CHART, object([("config".to_owned(), config)]));
    }
    let drawn: Vec<Done<'_>> = done.iter().filter(|call| [CHART, MAP].contains(&call.name)).copied().collect();
    let text = rows.told(!drawn.is_empty());
    Answer::Say(if drawn.is_empty() { text } else { format!("{text}\n\n{}", report(&drawn)) })
}

fn call(name: &str, arguments: Json) -> Answer {
    Answer::Call { name: name.to_owned(), arguments: arguments.canonical() }
}

/// The tables, if this conversation has seen a schema.
fn known_tables(prompt: &Prompt) -> Option<Vec<Table>> {
    prompt.messages.iter().rev().find_map(|message| match message {
        Message::Tool { name, content, .. } if name == SCHEMA => schema::read(content),
        _ => None,
    })
}
