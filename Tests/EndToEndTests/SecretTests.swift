import Foundation
import PaymentTesting
import Testing

/// Credentials planted in the real programs, and looked for wherever they should not be.
@Suite("Secrets", .ownThreads)
struct SecretTests {
    @Test("Nothing that is secret is in a file, a log, a command line or an environment")
    func canaries() throws {
        let place = try Workplace()
        let store = StoreServer(in: place)
        store.flags = [
            "--catalog", try Secrets.file(Secrets.catalogue, "catalog.json", in: place),
            "--operator-password", try Secrets.file(Secrets.password, "password", in: place),
            "--log-level", "trace",
        ]
        try store.start()
        let door = try StoreDoor(to: store.socket, keepingTraffic: true)
        defer { door.stop() }
        let credentials = try Secrets.file(
            #"{"accounts":{"carol":"\#(Secrets.credential)"}}"#, "credentials", in: place)
        let configuration = try place.write(
            #"{"storeCredentials":"\#(credentials)"}"#, to: "config.json")
        let daemon = try Daemon(
            ["--store", door.address, "--log-level", "trace", "--config", configuration], in: place)
        try daemon.start()
        let secrets = try Secrets.live(daemon, store, door, in: place)
        for child in [daemon.child, store.child].compactMap({ $0 }) {
            secrets.expectNothing(inProcess: child.id)
        }
        try daemon.stop()
        try store.stop()
        try secrets.expectNothing(inFilesOf: place)
    }

    @Test("Nothing that is secret is told to the journal of the system")
    func journal() throws {
        let place = try Workplace()
        let tried = try Child.run(JournalSocket.wrapper(place.path) + ["true"], in: place)
        guard tried.ending == .exit(0) else {
            return Skip.because("a process cannot be given a journal of its own here")
        }
        try FileManager.default.createDirectory(
            atPath: place("journal"), withIntermediateDirectories: false)
        let journal = try JournalSocket(at: place("journal/socket"))
        let store = StoreServer(in: place)
        let catalogue = try Secrets.file(Secrets.catalogue, "catalog.json", in: place)
        store.flags = ["--catalog", catalogue, "--log-level", "trace", "--log-format", "journald"]
        store.wrapper = JournalSocket.wrapper(place("journal"))
        try store.start()
        let door = try StoreDoor(to: store.socket, keepingTraffic: true)
        defer { door.stop() }
        let daemon = try Daemon(
            ["--store", door.address, "--log-level", "trace"], in: place)
        daemon.wrapper = store.wrapper
        daemon.logFormat = "journald"
        try daemon.start()
        let secrets = try Secrets.live(daemon, store, door, in: place)
        try daemon.stop()
        try store.stop()
        let entries = journal.stop()
        #expect(entries.contains("PAYQUEUED_TRANSACTION=") && entries.contains("SYSLOG_IDENTIFIER"))
        for secret in secrets.all {
            #expect(!entries.contains(secret.value), "\(secret.name) is in the journal")
        }
    }

    @Test("Neither daemon leaves a core file, nor lets its user look into it")
    func dumpable() throws {
        let place = try Workplace()
        let isRoot = geteuid() == 0
        guard !isRoot || Built.has("setpriv") else { return Skip.because("setpriv is not there") }
        let nobody: uid_t = 65534
        let user = isRoot ? nobody : geteuid()
        if isRoot { #expect(chown(place.path, nobody, nobody) == 0) }
        let wrapper =
            isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
        let reach = try Child.run(wrapper + [Built.daemon, "--version"], in: place)
        guard reach.ending == .exit(0) else {
            return Skip.because("an ordinary user cannot start the programs of this build")
        }
        let store = StoreServer(in: place)
        store.wrapper = wrapper
        try store.start()
        let daemon = try Daemon(["--store", store.address], in: place)
        daemon.wrapper = wrapper
        try daemon.start()
        let plain = try Child(wrapper + ["sleep", "600"], in: place, name: "sleep")
        let isPlainTheUsers = eventually(within: 60) {
            Self.owner(ofMemoryOf: plain.id) == user ? true : nil
        }
        #expect(isPlainTheUsers == true, "this machine does not tell whose memory it is")
        for child in [daemon.child, store.child].compactMap({ $0 }) {
            #expect(Self.owner(ofMemoryOf: child.id) == 0)
        }
        plain.send(SIGKILL)
        try daemon.stop()
        try store.stop()
    }

    @Test(
        "A secret that others can read is refused with a sentence, and one of the manager is taken",
        arguments: SecretFlag.allCases)
    func modes(flag: SecretFlag) throws {
        let place = try Workplace()
        let file = try Secrets.file(flag.content, "secret", in: place)
        for mode in [0o640, 0o604, 0o660, 0o644] {
            chmod(file, mode_t(mode))
            let refused = try Child.run(flag.command(file, in: place), in: place)
            #expect(refused.ending == .exit(78), "\(refused)")
            #expect(refused.errors.contains("other users can read it; run chmod"))
            #expect(refused.errors.contains(file))
            #expect(!refused.errors.contains("canary"))
        }
        for mode in [0o600, 0o400] {
            chmod(file, mode_t(mode))
            let taken = try Child.run(flag.command(file, in: place), in: place)
            #expect(taken.ending == .exit(0), "\(taken.errors)")
        }
        let name = flag.credential
        // The service manager guards its directory and may let a group read.
        try FileManager.default.createDirectory(
            atPath: place("given"), withIntermediateDirectories: false)
        try FileManager.default.moveItem(atPath: file, toPath: place("given/\(name)"))
        chmod(place("given/\(name)"), 0o440)
        let environment = ["CREDENTIALS_DIRECTORY": place("given")]
        let given = try Child.run(flag.plain, in: place, environment: environment)
        #expect(given.ending == .exit(0), "\(given.errors)")
        let named = try Child.run(
            flag.command(place("given/\(name)"), in: place), in: place, environment: environment)
        #expect(named.ending == .exit(0), "\(named.errors)")
        chmod(place("given/\(name)"), 0o640)
        try "{".write(toFile: place("given/\(name)"), atomically: true, encoding: .utf8)
        let read = try Child.run(flag.plain, in: place, environment: environment)
        #expect(read.ending == .exit(78), "the credential is not read")
    }

    @Test("A login takes its credential from a file of its owner's, or from standard input")
    func credentialFile() throws {
        let place = try Workplace()
        let catalogue = try Secrets.file(Secrets.catalogue, "catalog.json", in: place)
        let daemon = try Daemon(["--store", "sandbox", "--catalog", catalogue], in: place)
        try daemon.start()
        let file = try Secrets.file(Secrets.credential + "\n", "credential", in: place)
        let login = [Built.control, "login", "carol", "--credential-file"]
        let environment = ["PAYQUEUED_SOCKET": daemon.socket]
        let taken = try Child.run(login + [file], in: place, environment: environment)
        #expect(taken.output == "carol is logged in, in DE\n", "\(taken.errors)")
        try daemon.connect().call("logout")
        let piped = try Child.run(
            login + ["-"], in: place, input: Secrets.credential, environment: environment)
        #expect(piped.output == "carol is logged in, in DE\n", "\(piped.errors)")
        try daemon.connect().call("logout")
        let wrong = try Child.run(
            login + ["-"], in: place, input: Secrets.wrong, environment: environment)
        #expect(wrong.ending == .exit(1))
        #expect(!wrong.errors.contains(Secrets.wrong))
        try daemon.stop()
    }

    /// Whom the kernel lets look into a process.
    private static func owner(ofMemoryOf process: pid_t) -> uid_t? {
        var status = stat()
        return stat("/proc/\(process)/environ", &status) == 0 ? status.st_uid : nil
    }
}

/// A flag, or a key of the configuration, that names a file with a secret.
enum SecretFlag: String, CaseIterable, CustomTestStringConvertible {
    case storeCredentials
    case operatorPassword = "--operator-password"
    case catalog = "--catalog"

    var testDescription: String { rawValue }

    /// What the file holds.
    var content: String {
        switch self {
        case .storeCredentials: #"{"accounts":{"carol":"\#(Secrets.credential)"}}"#
        case .operatorPassword: Secrets.password
        case .catalog: Secrets.catalogue
        }
    }

    /// What the service manager calls it.
    var credential: String {
        switch self {
        case .storeCredentials: "store-credentials"
        case .operatorPassword: "operator-password"
        case .catalog: "catalog"
        }
    }

    /// Looks at the configuration without the flag.
    var plain: [String] {
        self == .storeCredentials
            ? [Built.daemon, "--check-config", "--store", "http://127.0.0.1:1"]
            : [Built.store, "--check-config", "--demo"]
    }

    /// Looks at the configuration with the flag or key.
    func command(_ file: String, in place: Workplace) throws -> [String] {
        guard self == .storeCredentials else { return plain + [rawValue, file] }
        let text = #"{"storeCredentials":"\#(file)"}"#
        return plain + ["--config", try place.write(text, to: "config.json")]
    }
}
