package import PaymentCore
import StrictJSON

/// The answer of `GET /store`, which clients also use as a health check.
package struct StoreFacts: Sendable, Hashable {
    /// The country that prices are shown in while no account is logged in.
    package var defaultCountry: CountryCode

    package init(defaultCountry: CountryCode) {
        self.defaultCountry = defaultCountry
    }

    /// Reads what ``bytes`` contains.
    package init(_ fields: MessageFields) throws(MessageFault) {
        defaultCountry = try fields.required("defaultCountry") { CountryCode($0) }
    }

    /// The bytes of the answer.
    package var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("defaultCountry", defaultCountry.description)
        writer.endObject()
        return writer.bytes
    }
}
