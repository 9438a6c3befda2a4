import FoundationEssentials
import PaymentCore
import PaymentStorage
import StrictJSON

/// Credentials of accounts at a store server: `{"accounts":{"NAME":"CREDENTIAL"}}`. With them the
/// daemon reopens a session that the store has ended, without a user.
///
/// They come from a systemd credential named `store-credentials` or from a file that only its
/// owner can read, never from the environment or the command line.
struct StoreCredentials: Sendable {
    private let accounts: [AccountName: OpaqueText]

    /// No credentials.
    static let none = StoreCredentials(accounts: [:])

    subscript(account: AccountName) -> OpaqueText? { accounts[account] }

    /// Loads the credentials.
    ///
    /// - Parameters:
    ///   - setting: The file that the configuration names.
    ///   - environment: The environment, in which the service manager names the directory of its
    ///     credentials.
    /// - Returns: The credentials; none if none are configured.
    /// - Throws: The file cannot be used.
    static func load(
        _ setting: Setting<String?>, environment: [String: String]
    ) throws(ConfigurationProblem) -> StoreCredentials {
        let directory = environment["CREDENTIALS_DIRECTORY"]
        if let path = setting.value {
            return try StoreCredentials(path: path, credentials: directory)
        }
        guard let directory else { return .none }
        let path = "\(directory)/store-credentials"
        guard FileManager.default.fileExists(atPath: path) else { return .none }
        return try StoreCredentials(path: path, credentials: directory)
    }

    private init(accounts: [AccountName: OpaqueText]) {
        self.accounts = accounts
    }

    private init(path: String, credentials: String?) throws(ConfigurationProblem) {
        func problem(_ reason: String) -> ConfigurationProblem {
            ConfigurationProblem("cannot use credentials '\(path)': \(reason)")
        }
        let bytes: [UInt8]
        do throws(GivenFile.Failure) {
            bytes = try GivenFile.read(
                path, .secret, credentials: credentials, limitBytes: 1 << 20)
        } catch {
            throw problem(error.description)
        }
        guard let value = try? JSONValue(parsing: bytes),
            let members = value.members, members.count == 1,
            let listed = value["accounts"]?.members
        else { throw problem("expected {\"accounts\":{\"NAME\":\"CREDENTIAL\"}}") }
        var accounts: [AccountName: OpaqueText] = [:]
        for member in listed {
            // The message never contains a credential.
            guard let credential = member.value.stringValue else {
                throw problem("the credential of an account is not a string")
            }
            accounts[AccountName(member.name)] = OpaqueText(credential)
        }
        self.accounts = accounts
    }
}
