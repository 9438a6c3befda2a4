//! Answers the question whether a purchase continues in another country, up to a price:
//! gate HIGHEST [--once].

mod shop;

use std::time::Duration;

use payqueued::{
    AnswerParams, Client, DelegateMode, DelegateParams, Error, EventKind, Notification, Product,
    QuestionType, SubscribeParams, TransactionsParams,
};
use serde_json::json;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let highest = match arguments.first().and_then(|highest| amount(highest)) {
        Some(highest) => highest,
        None => shop::usage("gate HIGHEST [--once], where HIGHEST is an amount such as 5.00"),
    };
    let is_once = arguments.get(1).map(String::as_str) == Some("--once");
    shop::end_at_signals();
    shop::finish(gate(&Client::new("gate"), highest, is_once));
}

/// An amount in millionths, exactly; none if the text is not one.
fn amount(text: &str) -> Option<u128> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if !is_number(whole) || !is_number(part) || part.len() > 6 {
        return None;
    }
    format!("{}{:0<6}", whole, part).parse().ok()
}

/// Sets the policy and answers. The policy is one for the whole queue and outlives this program: without a
/// program that answers, each question would wait for its time to run out. So it is put back at the end, as
/// far as there is one: a gate that was killed leaves "ask" behind, and so does the last of several.
fn gate(client: &Client, highest: u128, is_once: bool) -> Result<(), Error> {
    let found = client.delegate(&DelegateParams::default())?;
    client.delegate(&DelegateParams {
        mode: Some(DelegateMode::Ask),
        timeout: Some(60.0),
        fallback: Some(false),
        ..DelegateParams::default()
    })?;
    let answered = answer_all(client, highest, is_once);
    client.delegate(&DelegateParams {
        mode: Some(found.mode),
        timeout: Some(found.timeout),
        fallback: Some(found.fallback),
        ..DelegateParams::default()
    })?;
    answered
}

/// Answers what is open and what comes; with --once only until the first that came.
fn answer_all(client: &Client, highest: u128, is_once: bool) -> Result<(), Error> {
    let wanted = SubscribeParams {
        kinds: Some(vec![EventKind::QuestionOpened]),
        after: Some(json!("now")),
        ..SubscribeParams::default()
    };
    // Subscribed before the list is asked for, so that none is missed in between.
    let mut opened = client.subscribe(wanted, None);
    opened.open()?;
    let waiting = client.questions()?.questions;
    println!("ready");
    for question in waiting {
        decide(client, highest, question.question, question.transaction, question.product)?;
    }
    while !shop::is_over() {
        let event = match opened.next_within(Duration::from_millis(250))? {
            Some(Notification::Event(event)) => *event,
            _ => continue,
        };
        if event.r#type != Some(QuestionType::ShouldContinue) {
            continue;
        }
        let question = event.question.unwrap_or_default();
        decide(client, highest, question, event.transaction, event.product)?;
        if is_once {
            break;
        }
    }
    Ok(())
}

/// Answers one question by the price that is asked now.
fn decide(
    client: &Client,
    highest: u128,
    question: String,
    transaction: Option<String>,
    product: Option<Product>,
) -> Result<(), Error> {
    let product = match (product, transaction) {
        (None, Some(id)) => {
            let wanted =
                TransactionsParams { ids: Some(vec![id]), ..TransactionsParams::default() };
            let found = client.transactions(&wanted)?.transactions;
            found.into_iter().next().map(|transaction| transaction.payment.product)
        }
        (product, _) => product,
    };
    let price = product.map(|product| product.price.amount).unwrap_or_default();
    let value = amount(&price).map_or(false, |price| price <= highest);
    match client.answer(&AnswerParams { question, value, ..AnswerParams::default() }) {
        Ok(_) => println!("shouldContinue {} {}", price, value),
        Err(Error::Server(error)) => println!("{}", error.message),
        Err(error) => return Err(error),
    }
    Ok(())
}
