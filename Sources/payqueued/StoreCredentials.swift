import FoundationEssentials
import Glibc
import PaymentCore
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
    ///   - environment: Where the service manager says where its credentials are.
    /// - Returns: The credentials; none if none are configured.
    /// - Throws: The file cannot be used.
    static func load(
        _ setting: Setting<String?>, environment: [String: String]
    ) throws(ConfigurationProblem) -> StoreCredentials {
        if let path = setting.value {
            return try StoreCredentials(path: path, isOurs: true)
        }
        guard let directory = environment["CREDENTIALS_DIRECTORY"] else { return .none }
        let path = "\(directory)/store-credentials"
        guard FileManager.default.fileExists(atPath: path) else { return .none }
        return try StoreCredentials(path: path, isOurs: false)
    }

    private init(accounts: [AccountName: OpaqueText]) {
        self.accounts = accounts
    }

    private init(path: String, isOurs: Bool) throws(ConfigurationProblem) {
        func problem(_ reason: String) -> ConfigurationProblem {
            ConfigurationProblem("cannot use credentials '\(path)': \(reason)")
        }
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw problem(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw problem("it is not a file")
        }
        // The service manager protects its own directory.
        guard !isOurs || status.st_mode & 0o077 == 0 else {
            throw problem("other users can read it; run chmod 0600 '\(path)'")
        }
        guard status.st_size <= 1 << 20 else { throw problem("it has more than 1 MiB") }
        var bytes = [UInt8](repeating: 0, count: status.st_size)
        guard read(descriptor, &bytes, bytes.count) == bytes.count else {
            throw problem(String(cString: strerror(errno)))
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
