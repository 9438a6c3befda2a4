import ArgumentParser
import FoundationEssentials
import Glibc
import PaymentAPI
import PaymentCore
import PaymentHistory
import PaymentStorage
import Systemd

/// The reference store server.
@main
struct PayqueueStore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "payqueue-store",
        abstract: "Sell a catalogue over HTTP: accounts, orders, subscriptions.",
        usage: """
            payqueue-store --demo
            payqueue-store [options]
            """,
        discussion: """
            The Store API is described at /openapi.json, the page for the operator is at /. Each \
            setting is also an environment variable (PAYQUEUE_STORE_LISTEN for --listen); a flag \
            beats the environment.

            Exit status: 0 stopped, 64 usage, 65 journal refused, 69 in use by another process, \
            71 system, 74 storage failed, 78 configuration.
            """,
        version: Version.current,
        subcommands: [MerchantCommand.self, KeysCommand.self, BackupCommand.self])

    @OptionGroup var options: StoreOptions

    /// Runs the command.
    static func main() async {
        ProcessMemory.keepPrivate()
        ProcessMemory.giveBackLargePieces()
        do {
            var command = try parseAsRoot()
            guard let server = command as? PayqueueStore else { return action(&command) }
            do {
                try await server.run()
            } catch let failure as StartFailure {
                leave(failure)
            } catch let error as StorageError {
                leave(.storage(error))
            } catch let failure as DiskFailure {
                leave(.system("\(failure)"))
            } catch let failure as StoreFailure {
                leave(.storage(.failed(JournalFailure(failure.description))))
            } catch let fault as MerchantFault {
                leave(.configuration("cannot read the merchants of the state directory: \(fault)"))
            } catch {
                leave(.system("\(error)"))
            }
        } catch {
            report(error)
        }
    }

    /// Runs a command other than the server, and converts its errors.
    private static func action(_ command: inout any ParsableCommand) {
        do {
            try command.run()
        } catch let fault as MerchantFault {
            let action = (command as? any MerchantErrand)?.action ?? "use the merchants"
            give(
                up: "cannot \(action): \(fault)",
                next: "list the merchants with 'payqueue-store merchant list'", ExitCode.failure)
        } catch let failure as StartFailure {
            give(up: failure.description, next: errandAdvice, ExitCode(failure.exitCode))
        } catch StorageError.failed(let failure) {
            give(up: "\(failure)", next: diskAdvice, ExitCode(74))
        } catch let error as StorageError {
            give(up: error.description, next: errandAdvice, ExitCode(error.exitCode))
        } catch let failure as DiskFailure where failure.isOutOfSpace {
            give(up: "\(failure)", next: diskAdvice, ExitCode(74))
        } catch let failure as DiskFailure {
            give(up: "\(failure)", next: errandAdvice, ExitCode(78))
        } catch {
            report(error)
        }
    }

    private static let diskAdvice = "free disk space or repair the disk, then repeat the command"
    private static let errandAdvice =
        "pass the server's --state-directory, and run this as the user of the server"

    private static func give(up sentence: String, next advice: String, _ code: ExitCode) -> Never {
        JournalStream.writeError("payqueue-store: \(sentence).\n  Next: \(advice).")
        Glibc.exit(code.rawValue)
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let configuration = try StoreConfiguration(options, environment: environment)
        let catalogue = try StoreServer.loadCatalogue(configuration)
        let tls = try StoreServer.loadTLS(configuration)
        if options.checkConfig {
            try configuration.listen.socketFile?.examine()
            print("configuration is valid")
            return
        }
        umask(0o077)
        // A closed reader and a full file are errors of a system call and must not end the process.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        StoreServer.openLog(configuration)
        try await StoreServer(configuration, catalogue: catalogue, tls: tls).run()
    }

    static func leave(_ failure: StartFailure) -> Never {
        JournalStream.writeError(failure.complaint(of: "payqueue-store"))
        Notifier().failing(errno: failure.errno, status: failure.description)
        Glibc.exit(failure.exitCode)
    }

    private static func report(_ error: any Error) -> Never {
        let text = fullMessage(for: error)
        let code = exitCode(for: error)
        if code == .success {
            print(CommandLineText.help(text))
        } else {
            JournalStream.writeError(CommandLineText.complaint(text, program: "payqueue-store"))
        }
        Glibc.exit(code.rawValue)
    }
}
