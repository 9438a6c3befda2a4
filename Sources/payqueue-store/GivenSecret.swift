import FoundationEssentials
import PaymentStorage

/// A secret file that the operator names: a password or a private key. Only its owner may have
/// access, or the service manager provides it as a credential.
struct GivenSecret: Sendable {
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

    /// The bytes of the file.
    ///
    /// - Parameters:
    ///   - protection: The users that may have access, unless the service manager protects the file.
    ///   - limitBytes: The maximum length.
    /// - Returns: The bytes.
    /// - Throws: The file cannot be read, or other users have access.
    func bytes(
        _ protection: GivenFile.Protection = .secret, limitBytes: Int = 16 << 20
    ) throws(StartFailure) -> [UInt8] {
        do throws(GivenFile.Failure) {
            return try GivenFile.read(
                path, protection, credentials: credentials, limitBytes: limitBytes)
        } catch {
            throw problem(error.description)
        }
    }

    /// The text of a small file, without the line feed at its end.
    ///
    /// - Throws: The file is not secret, or is not text.
    func text() throws(StartFailure) -> String {
        let bytes = try bytes(limitBytes: 1024)
        guard var text = String(validating: bytes, as: UTF8.self) else {
            throw problem("it is not UTF-8 text")
        }
        while text.last?.isNewline == true { text.removeLast() }
        return text
    }

    private func problem(_ reason: String) -> StartFailure {
        .configuration("cannot use \(what) '\(path)': \(reason)")
    }
}
