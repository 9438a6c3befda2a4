import FoundationEssentials
import Glibc
import PaymentStorage

/// A file with a secret in it that the operator names: a password, a private key, a catalogue with
/// passwords. It is its owner's alone, or comes from the service manager as a credential.
struct GivenSecret: Sendable {
    /// The users that may read a file besides its owner.
    enum Readers: Sendable {
        /// No other user.
        case nobody
        /// Its group, as distributions have it for private keys.
        case group

        /// The permissions that say otherwise.
        fileprivate var forbidden: mode_t {
            switch self {
            case .nobody: 0o077
            case .group: 0o037
            }
        }
    }

    /// The name of it in messages.
    let what: String
    /// Where it is.
    let path: String
    /// The directory of the service manager's credentials, which it guards itself.
    let credentials: String?

    /// The credential of the service manager with a name, if it has given one.
    static func credential(
        _ name: String, _ what: String, environment: [String: String]
    ) -> GivenSecret? {
        guard let directory = environment["CREDENTIALS_DIRECTORY"], !directory.isEmpty else {
            return nil
        }
        let path = "\(directory)/\(name)"
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return GivenSecret(what: what, path: path, credentials: directory)
    }

    /// Makes sure that it is a secret.
    ///
    /// - Throws: There is no such file, or others could read it.
    func check(readers: Readers = .nobody) throws(StartFailure) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw problem(String(cString: strerror(errno)).lowercased())
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw problem("it is not a file") }
        guard !isGuarded, status.st_mode & readers.forbidden != 0 else { return }
        let mode = readers.forbidden == 0o077 ? "0600" : "0640"
        throw problem("other users can read it; run chmod \(mode) '\(path)'")
    }

    /// The text of a small one, without the end of the line.
    ///
    /// - Throws: It is no secret, or no text.
    func text() throws(StartFailure) -> String {
        try check()
        guard access(path, R_OK) == 0 else {
            throw problem(String(cString: strerror(errno)).lowercased())
        }
        guard let data = FileManager.default.contents(atPath: path), data.count <= 1024,
            var text = String(validating: data, as: UTF8.self)
        else { throw problem("it is not UTF-8 text of at most 1024 bytes") }
        while text.last?.isNewline == true { text.removeLast() }
        return text
    }

    private var isGuarded: Bool {
        guard let credentials, !credentials.isEmpty else { return false }
        return path.hasPrefix("\(credentials)/") && !path.contains("/../")
    }

    private func problem(_ reason: String) -> StartFailure {
        .configuration("cannot use \(what) '\(path)': \(reason)")
    }
}
