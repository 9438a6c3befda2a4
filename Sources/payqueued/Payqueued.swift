import ArgumentParser
import FoundationEssentials
import Glibc
import PaymentAPI
import PaymentStorage
import StrictJSON
import Systemd

/// The payment queue daemon.
@main
struct Payqueued: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "payqueued",
        abstract: "Keep a durable queue of payment transactions behind a Unix socket.",
        usage: """
            payqueued --demo --socket /tmp/payqueued.sock
            payqueued [options]
            """,
        discussion: """
            Each setting is also a key of the configuration file (camelCase) and an environment \
            variable (PAYQUEUED_…). A flag beats the environment, which beats the file.

            Exit status: 0 stopped, 64 usage, 65 journal refused, 69 in use by another daemon, \
            71 system, 74 storage failed, 78 configuration.
            """,
        version: Version.current)

    @OptionGroup var options: DaemonOptions

    /// Runs the command; the help text begins with an example.
    static func main() async {
        ProcessMemory.keepPrivate()
        ProcessMemory.giveBackLargePieces()
        do {
            var command = try parseAsRoot()
            guard let daemon = command as? Payqueued else { return try command.run() }
            await start(daemon)
        } catch {
            report(error)
        }
    }

    private static func start(_ daemon: Payqueued) async {
        do {
            try await daemon.run()
        } catch let failure as StartFailure {
            leave(failure)
        } catch let problem as ConfigurationProblem {
            leave(.configuration(problem.description))
        } catch {
            leave(.system("\(error)"))
        }
    }

    func run() async throws {
        if let schema = options.printSchema {
            print(schema.value.prettyText())
            return
        }
        let environment = ProcessInfo.processInfo.environment
        let configuration = try DaemonConfiguration(options: options, environment: environment)
        if options.printConfig {
            for line in configuration.report { print(line) }
            return
        }
        let catalogue = try configuration.loadCatalogue()
        let credentials = try StoreCredentials.load(
            configuration.storeCredentials, environment: environment)
        // Both change the environment or take ownership of descriptors, so they run before anything
        // else.
        let inherited: InheritedSockets
        do {
            inherited = try InheritedSockets.take(
                names: ["control", "payqueued", InheritedSockets.scraperName],
                storedPrefix: ManagerStore.prefix)
        } catch {
            throw StartFailure.system("\(error)")
        }
        if options.checkConfig {
            try Daemon.examine(configuration, inherited: inherited)
            print("configuration is valid")
            for place in configuration.unnamedPlaces(isPassed: !inherited.controls.isEmpty) {
                print(
                    "no path for the \(place) is set here: systemd must set one, or no start succeeds"
                )
            }
            return
        }
        let watchdog = Watchdog.takeFromEnvironment()
        umask(0o077)
        // A closed reader and a full file are errors of a system call and must not end the process.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        // SIGHUP is ignored until the daemon can reload.
        if isatty(STDIN_FILENO) == 0 { signal(SIGHUP, SIG_IGN) }
        let daemon = try Daemon(
            configuration: configuration, catalogue: catalogue, credentials: credentials,
            inherited: inherited, watchdog: watchdog, environment: environment
        ) { [options] () throws(ConfigurationProblem) in
            try DaemonConfiguration(options: options, environment: environment)
        }
        try await daemon.run()
        daemon.restart.startIfWanted()
    }

    private static func leave(_ failure: StartFailure) -> Never {
        JournalStream.writeError(failure.complaint(of: "payqueued"))
        Notifier().failing(errno: failure.errno, status: failure.description)
        Glibc.exit(failure.exitCode)
    }

    private static func report(_ error: any Error) -> Never {
        let text = fullMessage(for: error)
        let code = exitCode(for: error)
        if code == .success {
            print(CommandLineText.help(text))
        } else {
            JournalStream.writeError(CommandLineText.complaint(text, program: "payqueued"))
        }
        Glibc.exit(code.rawValue)
    }
}
