import FoundationEssentials
import Glibc
import PaymentStorage

/// A secret file that the operator names: a password, a private key, or a catalogue with
/// credentials. Only its owner may have access, or the service manager provides it as a credential.
struct GivenSecret: Sendable {
    /// The users that may read a file in addition to its owner.
    enum Readers: Sendable {
        /// No other user.
        case nobody
        /// The group of the file, which is usual for private keys in distributions.
        case group

        /// The permission bits that must not be set.
        fileprivate var forbidden: mode_t {
            switch self {
            case .nobody: 0o077
            case .group: 0o037
            }
        }
    }

    /// The description of the file in messages.
    let what: String
    /// The path of the file.
    let path: String
    /// The directory of the service manager's credentials, which the service manager protects.
    let credentials: String?

    /// A credential of the service manager; nil if it does not provide one of this name.
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

    /// Checks that no other users can read the file.
    ///
    /// - Throws: The file does not exist, or other users can read it.
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

    /// The text of a small file, without the line feed at its end.
    ///
    /// - Throws: The file is not secret, or is not text.
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
