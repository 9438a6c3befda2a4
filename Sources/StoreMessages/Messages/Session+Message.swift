package import PaymentCore
import StrictJSON

/// The answer of `POST /sessions` and `POST /sessions/refresh`.
package struct SessionGrant: Sendable, Hashable {
    /// The account of the session.
    package var account: AccountName
    /// The country of the account.
    package var country: CountryCode
    /// The bearer token of requests.
    package var accessToken: String
    /// The expiry of the access token.
    package var expiresAt: Timestamp
    /// The token that fetches further access tokens until the session is revoked.
    package var refreshToken: String

    package init(
        account: AccountName, country: CountryCode, accessToken: String, expiresAt: Timestamp,
        refreshToken: String
    ) {
        self.account = account
        self.country = country
        self.accessToken = accessToken
        self.expiresAt = expiresAt
        self.refreshToken = refreshToken
    }

    /// Reads what ``bytes`` contains.
    package init(_ fields: MessageFields) throws(MessageFault) {
        account = try fields.required("account") { AccountName($0) }
        country = try fields.required("country") { CountryCode($0) }
        accessToken = try fields.required("accessToken", BearerToken.checked)
        expiresAt = try fields.required("expiresAt") { Timestamp($0) }
        refreshToken = try fields.required("refreshToken", BearerToken.checked)
    }

    /// The bytes of the answer.
    package var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("account", account.string)
        writer.member("country", country.description)
        writer.member("accessToken", accessToken)
        writer.member("expiresAt", expiresAt.description)
        writer.member("refreshToken", refreshToken)
        writer.endObject()
        return writer.bytes
    }
}

/// The check of token strings.
package enum BearerToken {
    /// Returns a token if it is safe in an HTTP header: 16 to 256 base64url characters.
    package static func checked(_ token: String) -> String? {
        guard (16...256).contains(token.utf8.count), token.utf8.allSatisfy(isLetter) else {
            return nil
        }
        return token
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// The answer of `GET /account`.
extension JSONWriter {
    /// Appends the facts about an account.
    package mutating func storeFacts(_ facts: AccountFacts, of account: AccountName) {
        beginObject()
        member("account", account.string)
        member("country", facts.country?.description)
        member("paymentsAllowed", facts.paymentsAllowed)
        name("introducedGroups")
        beginArray()
        for group in facts.introduced.map(\.string).sorted() {
            element()
            string(group)
        }
        endArray()
        endObject()
    }
}

extension AccountFacts {
    /// Reads what `storeFacts` appends.
    package init(_ fields: MessageFields) throws(MessageFault) {
        guard let allowed = fields["paymentsAllowed"]?.boolValue else {
            throw fields.fault("paymentsAllowed", "is missing")
        }
        self.init(
            country: try fields.required("country") { CountryCode($0) }, paymentsAllowed: allowed,
            introduced: Set(try fields.texts("introducedGroups").map { OpaqueText($0) }))
    }
}
