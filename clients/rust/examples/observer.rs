//! Unlocks what was bought and finishes it, until Ctrl-C.

mod shop;

use payqueued::{Client, Notification, Worker};

fn main() {
    shop::end_at_signals();
    let worker = Worker::new(|transaction| {
        shop::settle(transaction)?;
        println!("unlocked {}", shop::describe(transaction));
        Ok(())
    })
    .refuse(|transaction| {
        shop::settle(transaction)?;
        println!("refused {}", shop::describe(transaction));
        Ok(())
    })
    .notify(|found| match found {
        Notification::Event(event) => {
            if let Err(error) = shop::hear(event) {
                eprintln!("cannot take back what was refunded: {}", error);
            }
        }
        Notification::CaughtUp(_) => println!("ready"),
        _ => {}
    })
    .until(shop::is_over);
    shop::finish(Client::new("observer").work(worker));
}
