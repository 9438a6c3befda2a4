public import PaymentCore
public import SandboxControl

extension SandboxState {
    /// The current settings: those of the catalogue with all later changes.
    public func settings(in store: StoreCatalogue) -> StoreTestSettings {
        store.initialSettings.applying(settingsChange)
    }

    /// The settings after a change.
    public func settings(
        in store: StoreCatalogue, after change: StoreTestSettingsChange
    ) -> StoreTestSettings {
        settings(in: store).applying(change)
    }

    /// The locale of product texts: that of the settings, else that of the catalogue.
    public func locale(in store: StoreCatalogue) -> String {
        settings(in: store).locale?.string ?? store.locale
    }

    /// The session for a login, in the country of the settings if they set one.
    ///
    /// - Throws: The account is unknown, or the credential is wrong.
    public func session(
        of name: AccountName, credential: OpaqueText?, in store: StoreCatalogue
    ) throws(StoreFailure) -> Session {
        let account = try account(name, in: store)
        if let expected = account.credential, !expected.matches(credential) {
            throw StoreFailure(.badCredential, "the credential is wrong")
        }
        let country = settings(in: store).storefront ?? account.country
        return Session(account: name, country: country)
    }

    /// Whether catalogue and settings both permit an account to buy.
    ///
    /// - Throws: The account is unknown.
    public func mayBuy(
        _ name: AccountName, in store: StoreCatalogue
    ) throws(StoreFailure) -> Bool {
        let account = try account(name, in: store)
        return account.paymentsAllowed && settings(in: store).paymentsAllowed
    }

    func account(
        _ name: AccountName, in store: StoreCatalogue
    ) throws(StoreFailure) -> SandboxAccount {
        guard let account = store.account(name) else {
            throw StoreFailure(.unknownAccount, "the store has no such account")
        }
        return account
    }
}
