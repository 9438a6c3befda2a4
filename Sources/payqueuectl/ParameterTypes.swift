import PaymentAPI
import StrictJSON

/// What the contract says about parameters, so that `key=7781` can be a text.
enum ParameterTypes {
    /// Whether the contract has that parameter as a text and nothing else. False for methods that
    /// this version does not know; the daemon may be newer.
    static func isText(_ name: String, of method: String) -> Bool {
        false
    }
}
