package import PaymentCore
package import StrictJSON

/// The answer of `GET /history`: a page of the signed history.
extension JSONWriter {
    /// Appends a page.
    package mutating func storeHistory(_ page: SignedHistory) {
        beginObject()
        member("jws", page.jws)
        member("kid", page.keyID)
        member("alg", page.algorithm)
        member("next", page.next?.string)
        endObject()
    }
}

extension SignedHistory {
    /// Reads what `storeHistory` appends.
    package init(_ fields: MessageFields) throws(MessageFault) {
        func text(_ name: String) throws(MessageFault) -> String {
            try fields.required(name) { $0.isEmpty ? nil : $0 }
        }
        self.init(
            jws: try text("jws"), keyID: try text("kid"), algorithm: try text("alg"),
            next: try fields.optional("next") {
                $0.utf8.count <= SignedHistory.pageBytes ? OpaqueText($0) : nil
            })
    }
}
