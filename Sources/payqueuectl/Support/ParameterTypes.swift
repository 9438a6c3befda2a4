import PaymentAPI

/// The types of parameters in the contract, so that `key=7781` can be a text.
enum ParameterTypes {
    /// Whether the contract has that parameter as a text and nothing else. False for methods that
    /// this version does not know; the daemon may be newer.
    static func isText(_ name: String, of method: String) -> Bool {
        guard let spec = Contract.spec(named: method),
            let parameter = spec.parameters.first(where: { $0.name.description == name })
        else { return name == "trace" }
        return switch parameter.shape {
        case .text, .word, .country, .countryOrEmpty: true
        case .flag, .integer, .number, .seconds, .cursor, .list, .record, .either, .nullable,
            .anything, .requestID, .parameters:
            false
        }
    }
}
