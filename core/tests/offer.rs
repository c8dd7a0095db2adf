//! The ranking as a whole: one small shop of tools, many texts.

use toolgate_core::offer::{Index, Reason, Searchable};

struct Tool {
    name: &'static str,
    description: &'static str,
    keywords: Vec<String>,
    patterns: Vec<String>,
    fields: &'static [&'static str],
}

fn tool(name: &'static str, description: &'static str, fields: &'static [&'static str]) -> Tool {
    Tool { name, description, keywords: Vec::new(), patterns: Vec::new(), fields }
}

fn steered(mut tool: Tool, keywords: &[&str], patterns: &[&str]) -> Tool {
    tool.keywords = keywords.iter().map(|word| (*word).to_owned()).collect();
    tool.patterns = patterns.iter().map(|word| (*word).to_owned()).collect();
    tool
}

fn shop() -> Vec<Tool> {
    vec![
        steered(
            tool("get_order_status", "Says where an order is. order_id: the number of the order", &["order_id"]),
            &[],
            &[r"\bORD-\d+\b"],
        ),
        steered(
            tool("refund_order", "Pays for an order again.", &["order_id", "amount"]),
            &["money back", "返金"],
            &[],
        ),
        tool("send_invoice", "Mails an invoice to a customer.", &["invoiceId", "email"]),
        tool("searchCustomers", "Finds customers by name or city.", &["name", "city"]),
        tool("weather_forecast", "Temperature and rain of the next days.", &["location", "date"]),
        tool("currencyconverter", "Converts sums between currencies.", &["from", "to", "amount"]),
        tool("crear_factura", "Crea una factura para un cliente. Señala el año.", &["año"]),
        tool("在庫確認", "商品の在庫を確認します", &["shouhin"]),
        tool("тариф", "Показывает стоимость доставки", &[]),
    ]
}

fn index(tools: &[Tool]) -> Index {
    Index::new(tools.iter().map(|tool| Searchable {
        name: tool.name,
        description: tool.description,
        keywords: &tool.keywords,
        patterns: &tool.patterns,
        fields: tool.fields,
    }))
}

#[test]
fn the_tool_that_was_meant_is_first() {
    let tools = shop();
    let index = index(&tools);
    for (text, wanted) in [
        // word forms, ways to join words
        ("status of my orders", "get_order_status"),
        ("getOrderStatus", "get_order_status"),
        ("get-order-status please", "get_order_status"),
        ("orderstatus", "get_order_status"),
        ("invoicing customers", "send_invoice"),
        ("search customer", "searchCustomers"),
        ("currency converter", "currencyconverter"),
        // synonyms
        ("bill the client", "send_invoice"),
        ("how warm will it be tomorrow in Oslo", "weather_forecast"),
        ("I want to be reimbursed", "refund_order"),
        // slips of the keyboard
        ("wether forcast", "weather_forecast"),
        ("where is my refnud", "refund_order"),
        ("INVIOCE", "send_invoice"),
        ("curencies", "currencyconverter"),
        // accents, full width, other languages and scripts
        ("créar facturas", "crear_factura"),
        ("ＩＮＶＯＩＣＥ", "send_invoice"),
        ("Rechnung schicken", "send_invoice"),
        ("обзор стоимости доставки", "тариф"),
        ("在庫はありますか", "在庫確認"),
        ("返金してください", "refund_order"),
        ("天气怎么样", "weather_forecast"),
        // phrases and patterns
        ("can I have my money back?", "refund_order"),
        ("MONEY-BACK!", "refund_order"),
        ("what about ORD-4711", "get_order_status"),
        ("(see ORD-1) the invoice of a customer", "get_order_status"),
    ] {
        let best = index.rank(text).first().map(|scored| tools[scored.tool].name);
        assert_eq!(best, Some(wanted), "{text}");
    }
}

#[test]
fn texts_about_nothing_rank_nothing() {
    let tools = shop();
    let index = index(&tools);
    for text in ["", " \n\t", "?!… — ;;; ((", "🙂👍🏽🇨🇭", "xyzzy plugh", "\u{0}\u{1}\u{fffd}", "back", "ord-17"]
    {
        let ranked = index.rank(text);
        let names: Vec<&str> = ranked.iter().map(|scored| tools[scored.tool].name).collect();
        let wanted: &[&str] = if text == "back" { &["refund_order"] } else { &[] };
        assert_eq!(names, wanted, "{text:?}: only a word of a keyword is said");
    }
    let none = Index::new([]);
    assert_eq!((none.rank("order"), none.explain("order", &[0])), (vec![], vec![]));
}

#[test]
fn reasons_say_what_matched() {
    let tools = shop();
    let index = index(&tools);
    let reasons = |text: &str, tool: usize| -> Vec<String> {
        let ranked = index.explain(text, &[tool]).remove(0);
        let line = |reason: &Reason| match &reason.said {
            Some(said) => format!("{:?} {} ({said})", reason.part, reason.what),
            None => format!("{:?} {}", reason.part, reason.what),
        };
        let mut lines: Vec<String> = ranked.reasons.iter().map(line).collect();
        lines.sort();
        lines
    };
    assert_eq!(
        reasons("ORD-17: status", 0),
        [r"Name status", r"Pattern \bORD-\d+\b (ORD-17)", r"WholeName get_order_status",]
    );
    assert_eq!(
        reasons("money back", 1),
        ["Keyword back", "Keyword money", "Phrase money back", "WholeName refund_order"]
    );
    assert!(reasons("wether in Bern, May 4th", 4).contains(&"Name weather (wether)".to_owned()));
    assert!(reasons("weather in Bern", 4).contains(&"Value location (a place)".to_owned()));
    assert!(reasons("bill", 2).contains(&"Name invoice (bill)".to_owned()));
    assert_eq!(reasons("bill", 4), [] as [&str; 0]);
    assert_eq!(index.explain("bill", &[99, 2]).len(), 1);
}

/// For each text, each ranked tool's reasons sum up to its score, biggest first, and no other tool has any.
fn check_sums(index: &Index, tools: usize, text: &str) {
    let ranked = index.rank(text);
    let all: Vec<usize> = (0..tools).collect();
    for explained in index.explain(text, &all) {
        let score = ranked.iter().find(|scored| scored.tool == explained.tool).map_or(0, |scored| scored.score);
        assert_eq!(explained.score, score, "{text:.80}");
        assert_eq!(explained.reasons.iter().map(|reason| reason.points).sum::<u32>(), score, "{text:.80}");
        assert!(explained.reasons.iter().all(|reason| reason.points > 0));
        assert!(explained.reasons.is_sorted_by(|left, right| left.points >= right.points));
    }
    assert!(ranked.iter().all(|scored| scored.score > 0));
    assert!(ranked.is_sorted_by(|left, right| left.score >= right.score));
}

#[test]
fn reasons_sum_up_and_the_same_gives_the_same() {
    let tools = shop();
    let (first, second) = (index(&tools), index(&tools));
    for text in [
        "where is ORD-1, I want my money back, 返金, refnud 50 euros to ann@example.com in Oslo, Norway",
        "order order order order order order order",
        "status",
        "the a of",
        "在庫 天気 返金 東京",
        "send invoice 17 'Miller' https://example.com 10.0.0.1 2024-01-01 10:30 id 7",
    ] {
        check_sums(&first, tools.len(), text);
        assert_eq!(first.rank(text), second.rank(text));
        assert_eq!(first.rank(text), first.rank(text));
    }
}

#[test]
fn equal_tools_are_ordered_by_name() {
    let tools: Vec<Tool> = ["c", "a", "b", "a"].map(|name| tool(name, "Finds a beer.", &[])).into();
    let order: Vec<usize> = index(&tools).rank("beer").into_iter().map(|scored| scored.tool).collect();
    assert_eq!(order, [1, 3, 2, 0]);
}

#[test]
fn long_texts_are_read_at_both_ends() {
    let tools = shop();
    let index = index(&tools);
    let filler = "lorem ipsum ".repeat(50_000);
    for text in [format!("invoice {filler}"), format!("{filler} invoice"), format!("invoice {filler} invoice")] {
        let best = index.rank(&text).first().map(|scored| tools[scored.tool].name);
        assert_eq!(best, Some("send_invoice"));
    }
    assert!(index.rank(&format!("{filler} invoice {filler}")).is_empty(), "the middle is not read");
}

/// 1,500 tools, with keywords and patterns everywhere.
fn large() -> Vec<Tool> {
    let words = ["order", "invoice", "customer", "weather", "report", "ticket", "hotel", "payment"];
    let entry = |at: usize| {
        let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
        let word = |at: usize| words.get(at % 8).copied().unwrap_or_default();
        let (one, two) = (word(at), word(at / 8));
        let name = leak(format!("{one}_{two}_{at}"));
        let description = leak(format!("Handles {one} and {two} of kind {at}, see manual{at}. id: the number"));
        let patterns = [format!(r"\b{}-{at}\b", one.to_uppercase()), format!(r"[a-z]{{3}}{}\d+", at / 10)];
        steered(
            tool(name, description, &["id", "date", "city"]),
            &[one, "of the"],
            &patterns.each_ref().map(String::as_str),
        )
    };
    (0..1_500).map(entry).collect()
}

#[test]
fn large_catalogues_and_hostile_texts_are_ranked() {
    let tools = large();
    let index = index(&tools);
    assert_eq!(tools[index.rank("HOTEL-6 please")[0].tool].name, "hotel_order_6");
    let letters = |number: usize| -> String {
        number.to_string().bytes().map(|digit| char::from(digit.saturating_add(b'c' - b'0'))).collect()
    };
    let different: String = (0..10_000).map(|number| format!("{}ing ", letters(number * 7_919))).collect();
    for text in [
        "order ".repeat(170_000),
        different,
        "?!".repeat(500_000),
        "🙂".repeat(250_000),
        "天".repeat(330_000),
        "a".repeat(1_000_000),
        "Ab".repeat(500_000),
        "\u{301}".repeat(500_000),
        "'".repeat(1_000_000),
        "of the ".repeat(140_000),
        "ORDER-1 INVOICE-2 abc31 ".repeat(40_000),
        "https://a@b.c/1.2.3.4:10:30,2024-01-01 ".repeat(25_000),
    ] {
        let ranked = index.rank(&text);
        let best: Vec<usize> = ranked.iter().take(3).map(|scored| scored.tool).collect();
        for (explained, scored) in index.explain(&text, &best).iter().zip(&ranked) {
            assert_eq!(explained.score, scored.score);
        }
    }
}
