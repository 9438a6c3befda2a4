import ArgumentParser
import PaymentCore
import PaymentHistory
import PaymentStorage
import SandboxStorage
import StrictJSON

/// Lists and rotates the keys that sign histories.
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "List signing keys, or switch to a new one.",
        usage: "payqueue-store keys rotate --state-directory DIR",
        discussion: """
            Works while the server runs, which uses the new key from the next history on. The \
            first key is generated when the first history is signed.
            """,
        subcommands: [RotateKeysCommand.self, ListKeysCommand.self])

    /// The server command; it parses the flags that both commands have, in any position.
    @ParentCommand var server: PayqueueStore
}

/// The options of the key commands: the place of the keys and the output format.
struct KeysPlace: ParsableArguments {
    @Option(help: ArgumentHelp("The server's state directory.", valueName: "DIR"))
    var stateDirectory: String?

    @Flag(help: "Print JSON: the public keys, the current one first.")
    var json = false

    /// The file of the keys.
    func file(_ parent: KeysCommand) throws -> SecretFile {
        let path = try StoreConfiguration.stateDirectory(
            given: stateDirectory, beside: parent.server.options)
        return .storeKeys(disk: try SystemDisk(path: path, create: false), path: path)
    }

    /// The key ring in the file.
    func ring(in file: SecretFile) throws -> KeyRing {
        guard let bytes = try file.read(limit: KeyRing.limitBytes) else {
            throw StartFailure.configuration(
                "'\(file.path)' has no key yet: the first one is generated with the first history")
        }
        do {
            return try KeyRing(fileBytes: bytes)
        } catch {
            throw StartFailure.configuration("cannot read '\(file.path)': \(error)")
        }
    }

    /// Prints the public keys only.
    func show(_ ring: KeyRing) {
        guard !json else { return print(String(decoding: ring.keySet.jsonBytes, as: UTF8.self)) }
        let current = ring.current.publicKey
        print("\(current.id)  \(current.algorithm)  signs since \(ring.createdAt)")
        for former in ring.former {
            print("\(former.key.id)  \(former.key.algorithm)  signed until \(former.retiredAt)")
        }
    }
}

/// Adds a new signing key.
struct RotateKeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Sign with a new key from now on.",
        usage: "payqueue-store keys rotate --state-directory DIR",
        discussion: """
            The old public key stays in the key set, so that earlier histories can still be \
            verified; its private key is deleted.
            """)

    @OptionGroup var place: KeysPlace
    @ParentCommand var parent: KeysCommand

    func run() throws {
        let file = try place.file(parent)
        let ring = try file.whileLocked {
            var ring = try place.ring(in: file)
            ring.rotate(to: try SigningKey.generate(ring.current.algorithm), at: .now)
            try file.write(ring.fileBytes)
            return ring
        }
        place.show(ring)
    }
}

/// Lists the public keys.
struct ListKeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the public keys, the current one first.",
        usage: "payqueue-store keys list --state-directory DIR")

    @OptionGroup var place: KeysPlace
    @ParentCommand var parent: KeysCommand

    func run() throws {
        place.show(try place.ring(in: try place.file(parent)))
    }
}
