/// The account in session and the country that the store has for it.
public struct Session: Sendable, Hashable {
    /// The account.
    public var account: AccountName
    /// Its country.
    public var country: CountryCode

    /// Makes a session.
    public init(account: AccountName, country: CountryCode) {
        self.account = account
        self.country = country
    }
}
