//! Buys a product once, whatever crashes in between: buy ORDER PRODUCT [TOKEN]. Run it again with the same
//! ORDER: nothing is paid twice.

mod shop;

use std::time::Duration;

use payqueued::{Client, Error, FinishParams, KeyFile, TransactionState};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [order, product] => shop::finish(buy(order, product, None)),
        [order, product, token] => shop::finish(buy(order, product, Some(token))),
        _ => shop::usage("buy ORDER PRODUCT [TOKEN]"),
    }
}

fn buy(order: &str, product: &str, token: Option<&str>) -> Result<(), Error> {
    let in_file = |error| Error::File { path: "the file of keys or goods".to_string(), error };
    let keys = KeyFile::new(shop::kept("KEYS", "keys.json").map_err(in_file)?);
    let client = Client::new("buy");
    let bought = client.buy_once(&keys, order, product, token, Duration::from_secs(60))?;
    println!("{}: {}", order, shop::describe(&bought));
    shop::settle(&bought).map_err(in_file)?;
    let finish = FinishParams { transaction: bought.id.clone(), ..FinishParams::default() };
    println!("finish: {}", client.finish(&finish)?.disposition);
    let is_bought = bought.transaction_state == TransactionState::Purchased;
    std::process::exit(if is_bought && bought.revocation.is_none() { 0 } else { 1 })
}
