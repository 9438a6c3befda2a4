import PaymentClient
import StrictJSON

/// The examples of the Swift client: `payment-examples buy ORDER PRODUCT [TOKEN]`, `observer` and
/// `gate HIGHEST [--once]`. The daemon is the one at `$PAYQUEUED_SOCKET`.
@main
enum PaymentExamples {
    static func main() async {
        let words = CommandLine.arguments.dropFirst()
        let rest = Array(words.dropFirst())
        do {
            switch words.first {
            case "buy" where rest.count >= 2:
                try await Buy(
                    order: rest[0], product: rest[1], token: rest.count > 2 ? rest[2] : nil
                ).run()
            case "observer": try await Observer().run()
            case "gate" where !rest.isEmpty:
                try await Gate(
                    highest: Double(rest[0]) ?? 0, isOnce: rest.contains("--once")
                ).run()
            default:
                complain("payment-examples buy ORDER PRODUCT [TOKEN] | observer | gate HIGHEST")
                leave(3)
            }
        } catch let status as ExitStatus {
            leave(status.code)
        } catch {
            complain("\(error)")
            leave(1)
        }
    }
}

/// Ends the program with a status.
struct ExitStatus: Error {
    let code: Int32
}
