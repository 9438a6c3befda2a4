import Foundation
import Testing

/// Everything secret that two programs were given or made while they worked.
struct Secrets {
    /// One of them.
    struct Secret {
        var name: String
        var value: String
        /// The file of the state directories that holds it, with mode 0600; nil if none does.
        var home: String?
    }

    /// What proves an account.
    static let credential = "canary-credential-8c1f60e2"
    /// What does not.
    static let wrong = "canary-wrong-3d5a91b7"
    /// The password of the operator's page.
    static let password = "canary-password-77e0c4d9"
    /// A catalogue with the credential in it.
    static let catalogue = """
        {"version":1,"defaultCountry":"DE",
         "accounts":[{"name":"carol","country":"DE","credential":"\(credential)"}],
         "products":[{"productIdentifier":"coins.100","type":"consumable",
           "localizedTitle":"100 coins","localizedDescription":"Coins",
           "prices":{"DE":{"amount":"1.99","currencyCode":"EUR"}}}]}
        """

    /// All of them.
    let all: [Secret]

    /// Writes a file that only its owner may read.
    static func file(_ text: String, _ name: String, in place: Workplace) throws -> String {
        let path = place(name)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        guard chmod(path, 0o600) == 0 else { throw Trouble("cannot protect \(path)") }
        return path
    }

    /// Has everything happen that secrets are needed for, and tells which there were.
    static func live(
        _ daemon: Daemon, _ store: StoreServer, _ door: StoreDoor, in place: Workplace
    ) throws -> Secrets {
        let line = try daemon.connect()
        let refused = try line.ask("login", #"{"account":"carol","credential":"\#(wrong)"}"#)
        #expect(refused["error"]?["code"]?.int == 1502, "\(refused)")
        try line.call("login", #"{"account":"carol","credential":"\#(credential)"}"#)
        try line.call("subscribe")
        let order = try buy(line, "1")
        // The store forgets access tokens when it ends: the daemon gets another one.
        try store.stop()
        try store.start()
        _ = try buy(line, "2")
        try line.call("signedHistory")
        let merchant = try store.run("merchant", "add", "A publisher")
        let secret = merchant["secret"]?.string ?? ""
        let asked = try Child.run(
            [
                Built.control, "merchant", "history", order, "--store", door.address,
                "--merchant", merchant["merchant"]?.string ?? "", "--key",
                merchant["kid"]?.string ?? "", "--secret-file",
                try file(secret, "merchant-secret", in: place),
            ], in: place)
        #expect(asked.ending == .exit(0), "\(asked.errors)")
        try operate(store)
        let traffic = String(decoding: door.notes.traffic, as: UTF8.self)
        func found(_ pattern: Regex<(Substring, Substring)>) -> Set<String> {
            Set(traffic.matches(of: pattern).map { String($0.1) })
        }
        let access = found(#/"accessToken":"([^"]+)"/#)
        let refresh = found(#/"refreshToken":"([^"]+)"/#)
        let bearers = found(#/[Aa]uthorization: Bearer (\S+)/#)
        #expect(access.count >= 2 && refresh.count == 1 && !secret.isEmpty)
        #expect(bearers.subtracting(access).count == 1, "the merchant's token was not seen")
        return Secrets(
            all: [
                Secret(name: "the credential", value: credential),
                Secret(name: "the wrong credential", value: wrong),
                Secret(name: "the password", value: password),
                Secret(
                    name: "the merchant's secret", value: secret,
                    home: "store/merchants/merchants.json"),
            ]
                + access.map { Secret(name: "an access token", value: $0) }
                + bearers.map { Secret(name: "a token of a header", value: $0) }
                + refresh.map {
                    Secret(name: "the refresh token", value: $0, home: "state/sessions/store.json")
                })
    }

    /// Expects that a process has none in its command line or environment.
    func expectNothing(inProcess id: pid_t) {
        for name in ["cmdline", "environ"] {
            let bytes = Data(contents(of: "/proc/\(id)/\(name)"))
            for secret in all {
                #expect(!bytes.contains(secret.value), "\(secret.name) is in \(name) of \(id)")
            }
        }
    }

    /// Expects that state directories and logs hold none but where they are at home, and that such a
    /// file is its owner's alone.
    func expectNothing(inFilesOf place: Workplace) throws {
        let listed = try #require(FileManager.default.enumerator(atPath: place.path))
        let looked = listed.compactMap { $0 as? String }.filter { name in
            ["state/", "store/", "daemon-", "store-"].contains { name.hasPrefix($0) }
        }
        #expect(looked.contains { $0.hasPrefix("daemon-") } && looked.contains("store/lock"))
        for secret in all {
            let holders = looked.filter { Data(contents(of: place($0))).contains(secret.value) }
            #expect(holders == [secret.home].compactMap { $0 }, "\(secret.name)")
            for home in holders {
                let folder = URL(filePath: place(home)).deletingLastPathComponent().path
                #expect(Self.mode(of: place(home)) == 0o600 && Self.mode(of: folder) == 0o700)
            }
        }
    }

    private static func mode(of path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    /// Buys, delivers, and returns the order.
    private static func buy(_ line: Line, _ key: String) throws -> String {
        let id = try line.call("add", #"{"product":"coins.100","key":"\#(key)"}"#)["transaction"]
        let wanted = id?.string ?? ""
        let bought = try line.call("wait", #"{"transaction":"\#(wanted)","until":["purchased"]}"#)
        try line.call("finish", #"{"transaction":"\#(wanted)"}"#)
        try line.call("wait", #"{"transaction":"\#(wanted)","until":["removed"]}"#)
        return bought["transaction"]?["transactionIdentifier"]?.string ?? ""
    }

    /// Looks at the operator's page, where it asks for a password.
    private static func operate(_ store: StoreServer) throws {
        guard store.flags.contains("--operator-password") else { return }
        for (word, status) in [(wrong, "401"), (password, "200")] {
            let page = try Line(to: store.socket)
            let basic = Data("operator:\(word)".utf8).base64EncodedString()
            page.write(
                Array(
                    ("GET / HTTP/1.1\r\nhost: store\r\nauthorization: Basic \(basic)\r\n"
                        + "connection: close\r\n\r\n").utf8))
            let first = String(decoding: try page.bytes(within: 60), as: UTF8.self)
            #expect(first.contains(" \(status) "), "\(first)")
        }
    }
}

extension Data {
    /// Whether a text stands in it.
    fileprivate func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}
