import ArgumentParser
import PaymentCore
import PaymentHistory
import PaymentStorage
import StrictJSON

/// Manages the credentials of publishers.
struct MerchantCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merchant",
        abstract: "Manage the credentials of publishers.",
        usage: "payqueue-store merchant add 'Example Games' --state-directory DIR",
        discussion: """
            Works while the server runs, which applies changes within a second. A secret is \
            shown once, when it is issued.
            """,
        subcommands: [
            AddMerchantCommand.self, RotateMerchantCommand.self, RevokeMerchantCommand.self,
            ListMerchantsCommand.self,
        ])

    /// The server command; it parses the flags that both commands have, in any position.
    @ParentCommand var server: PayqueueStore
}

/// A merchant command that can describe its attempt for an error message.
protocol MerchantErrand: ParsableCommand {
    /// The attempted operation and its object, which follow "cannot": `revoke merchant 'mer_1'`.
    var action: String { get }
}

/// The options of the merchant commands: the place of the registry and the output format.
struct MerchantPlace: ParsableArguments {
    @Option(help: ArgumentHelp("The server's state directory.", valueName: "DIR"))
    var stateDirectory: String?

    @Flag(help: "Print JSON.")
    var json = false

    /// Changes the registry under its lock, and stores it durably.
    func change<Value>(
        _ parent: MerchantCommand, _ body: (inout MerchantRegistry) throws -> Value
    ) throws -> Value {
        let file = try file(parent)
        return try file.whileLocked {
            var registry = try MerchantRegistry(
                ofFile: try file.read(limit: MerchantRegistry.limitFileBytes))
            let value = try body(&registry)
            try file.write(registry.fileBytes)
            return value
        }
    }

    /// The current registry.
    func registry(_ parent: MerchantCommand) throws -> MerchantRegistry {
        try MerchantRegistry(ofFile: try file(parent).read(limit: MerchantRegistry.limitFileBytes))
    }

    private func file(_ parent: MerchantCommand) throws -> SecretFile {
        let path = try StoreConfiguration.stateDirectory(
            given: stateDirectory, beside: parent.server.options)
        return .merchants(disk: try SystemDisk(path: path, create: false), path: path)
    }

    /// Prints the credentials for a publisher.
    func show(_ merchant: String, _ secret: Merchant.Secret) {
        guard json else {
            print("Merchant ID     \(merchant)")
            print("Secret Key ID   \(secret.keyID)")
            print("Secret          \(secret.text)")
            return
        }
        let value: JSONValue = [
            "merchant": .string(merchant), "kid": .string(secret.keyID),
            "secret": .string(secret.text),
        ]
        print(value.jsonText())
    }
}

/// Adds a merchant.
struct AddMerchantCommand: MerchantErrand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a merchant and show its first secret, once.",
        usage: "payqueue-store merchant add 'Example Games' --state-directory DIR")

    @Argument(help: "The name of the merchant.")
    var name: String

    @OptionGroup var place: MerchantPlace
    @ParentCommand var parent: MerchantCommand

    var action: String { "add merchant '\(name)'" }

    func run() throws {
        // The generator has an address, because the thread sanitizer traps on one of zero bytes.
        var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
        let merchant = try place.change(parent) { try $0.add(name: name, at: .now, using: &random) }
        place.show(merchant.id, merchant.secrets[0])
    }
}

/// Issues a new secret.
struct RotateMerchantCommand: MerchantErrand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Issue a new secret and show it, once.",
        usage: "payqueue-store merchant rotate mer_… --keep 86400 --state-directory DIR",
        discussion: "Earlier secrets stay valid for a while, so that the publisher can switch.")

    @Argument(help: "The Merchant ID.")
    var merchant: String

    @Option(
        help: ArgumentHelp("Seconds for which earlier secrets stay valid.", valueName: "seconds"))
    var keep: Int64 = 86_400

    @OptionGroup var place: MerchantPlace
    @ParentCommand var parent: MerchantCommand

    var action: String { "rotate the secret of merchant '\(merchant)'" }

    func validate() throws {
        guard (0...31_536_000).contains(keep) else {
            throw ValidationError("--keep takes 0 to 31536000 seconds.")
        }
    }

    func run() throws {
        var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
        let now = Timestamp.now
        let secret = try place.change(parent) {
            try $0.rotate(
                merchant, at: now, formerUntil: now.advanced(bySeconds: keep), using: &random)
        }
        place.show(merchant, secret)
    }
}

/// Revokes credentials.
struct RevokeMerchantCommand: MerchantErrand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke a merchant, or one of its secrets.",
        usage: "payqueue-store merchant revoke mer_… --key key_… --state-directory DIR")

    @Argument(help: "The Merchant ID.")
    var merchant: String

    @Option(help: ArgumentHelp("Only this secret.", valueName: "kid"))
    var key: String?

    @OptionGroup var place: MerchantPlace
    @ParentCommand var parent: MerchantCommand

    var action: String {
        key.map { "revoke secret '\($0)' of merchant '\(merchant)'" }
            ?? "revoke merchant '\(merchant)'"
    }

    func run() throws {
        try place.change(parent) { try $0.revoke(merchant, key: key, at: .now) }
        print(place.json ? #"{"revoked":true}"# : "revoked")
    }
}

/// Lists the merchants, without secrets.
struct ListMerchantsCommand: MerchantErrand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the merchants and the names of their secrets.",
        usage: "payqueue-store merchant list --state-directory DIR")

    @OptionGroup var place: MerchantPlace
    @ParentCommand var parent: MerchantCommand

    var action: String { "list the merchants" }

    func run() throws {
        let registry = try place.registry(parent)
        let now = Timestamp.now
        if place.json { return print(Self.value(registry, now).jsonText()) }
        if registry.merchants.isEmpty { return print("No merchants.") }
        for merchant in registry.merchants {
            let state = merchant.revokedAt.map { "revoked \($0)" } ?? "since \(merchant.createdAt)"
            print("\(merchant.id)  \(merchant.name)  (\(state))")
            for secret in merchant.secrets {
                let end = secret.endsAt.map { $0 <= now ? "ended \($0)" : "until \($0)" }
                print("  \(secret.keyID)  since \(secret.createdAt)  \(end ?? "active")")
            }
        }
    }

    private static func value(_ registry: MerchantRegistry, _ now: Timestamp) -> JSONValue {
        .array(
            registry.merchants.map { merchant in
                [
                    "merchant": .string(merchant.id), "name": .string(merchant.name),
                    "createdAt": .string(merchant.createdAt.description),
                    "revoked": .bool(merchant.revokedAt != nil),
                    "secrets": .array(
                        merchant.secrets.map {
                            [
                                "kid": .string($0.keyID), "valid": .bool($0.isValid(at: now)),
                                "createdAt": .string($0.createdAt.description),
                            ]
                        }),
                ]
            })
    }
}
