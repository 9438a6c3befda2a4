import PaymentClient
import StrictJSON

/// Unlocks what was bought and finishes it, until Ctrl-C. Register it as early as possible: what an
/// earlier launch left over comes first.
struct Observer {
    private let goods = Goods()

    func run() async throws {
        let worker = PaymentWorker(client: PaymentQueueClient(name: "observer")) { trouble in
            complain("\(trouble)")
        }
        try await worker.run(onNotification: { show($0) }) { transaction in
            try goods.settle(transaction)
            say("handled \(describe(transaction))")
        }
    }

    private func show(_ notification: ServerNotification) {
        if notification.method == "caughtUp" { say("ready") }
        guard notification.params["kind"]?.stringValue == "entitlementsRevoked" else { return }
        for order in notification.params["orders"]?.arrayValue?.compactMap(\.stringValue) ?? [] {
            do {
                try goods.takeBack(order)
            } catch {
                complain("\(error)")
            }
        }
    }
}
