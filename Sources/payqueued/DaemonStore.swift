import Glibc
import Logging
import PaymentCore
import PaymentEngine
import PaymentSandbox
import PaymentStorage
import SandboxControl
import SandboxStorage
import StoreMessages

/// The store of the queue: the embedded sandbox or a store server.
enum DaemonStore: Sendable {
    /// The embedded sandbox. It runs on the engine's loop, and its records are in the queue's log.
    case sandbox(LocalSandbox)
    /// A store server, used over HTTP.
    case server(any RemoteStore)
    /// No store, because the daemon serves its state read-only.
    case none

    /// The store as the engine calls it.
    ///
    /// - Parameters:
    ///   - loop: The engine's loop.
    ///   - onOrder: Receives the time that the store took to answer an order.
    /// - Returns: The value for the engine.
    func way(loop: any EngineLoop, onOrder: @escaping OrderListener) -> StoreWay {
        switch self {
        case .sandbox(let sandbox): .local(sandbox, onOrder: onOrder)
        case .server(let store):
            .remote(StoreDispatcher(backend: store, loop: loop, onOrder: onOrder))
        case .none:
            .remote(StoreDispatcher(backend: AbsentStore(), loop: loop, onOrder: onOrder))
        }
    }

    /// The test controls of the store; nil for any other store.
    func control(in engine: PaymentEngine) -> LocalSandboxControl? {
        switch self {
        case .sandbox(let sandbox): LocalSandboxControl(of: sandbox, in: engine)
        case .server, .none: nil
        }
    }

    /// The default country, if it can be had without a request.
    var knownDefaultCountry: CountryCode? {
        switch self {
        case .sandbox(let sandbox): sandbox.defaultCountry
        case .server(let store): store.knownDefaultCountry
        case .none: nil
        }
    }

    /// The catalogue of a country, if it can be had without a request. Called on the engine's loop.
    func knownCatalogue(of country: CountryCode) -> Catalogue? {
        switch self {
        case .sandbox(let sandbox): sandbox.knownCatalogue(of: country)
        case .server(let store): store.knownCatalogue(of: country)
        case .none: nil
        }
    }

    /// Closes the connections to a server.
    func close() async {
        if case .server(let store) = self { await store.close() }
    }
}

extension DaemonConfiguration {
    /// The catalogue of the embedded store, with the demo account for `--demo`.
    func loadCatalogue() throws(StartFailure) -> StoreCatalogue {
        do throws(CatalogueFileFailure) {
            return try .load(path: catalog.value, hasDemoAccount: demo.value)
        } catch {
            throw .configuration(error.description)
        }
    }

    /// Warns if other users can read a catalogue with credentials.
    func warnOfOpen(_ loaded: StoreCatalogue, _ log: Logger) {
        var status = stat()
        guard loaded.hasCredentials, let path = catalog.value, stat(path, &status) == 0,
            status.st_mode & 0o077 != 0
        else { return }
        log.warning(
            "catalogue contains credentials and other users can read it",
            metadata: ["catalog": "\(path)"])
    }
}
