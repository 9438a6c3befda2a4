import PaymentAPI

/// The parameter types of the contract, so that `key=7781` can be a string.
enum ParameterTypes {
    /// Whether the contract defines the parameter as a string only. False for unknown methods,
    /// because the daemon may be newer.
    static func isText(_ name: String, of method: String) -> Bool {
        guard let spec = Contract.spec(named: method),
            let parameter = spec.parameters.first(where: { $0.name.description == name })
        else { return name == "trace" }
        return switch parameter.shape {
        case .text, .configured, .printable, .word, .country, .countryOrEmpty: true
        case .flag, .integer, .number, .seconds, .cursor, .list, .record, .either, .nullable,
            .anything, .requestID, .parameters:
            false
        }
    }
}
