import NIOCore
import PaymentCore
import PaymentSandbox
import PaymentStorage
import SandboxControl
import SandboxStorage
import StoreMessages

/// The store of the queue: the embedded sandbox or a store server.
enum DaemonStore: Sendable {
    /// The embedded sandbox with its journal.
    case sandbox(SandboxService, SandboxFileJournal)
    /// A store server, used over HTTP.
    case server(any RemoteStore)
    /// None: the daemon serves its state read-only.
    case none

    /// The store as the queue uses it.
    var backend: any StoreBackend {
        switch self {
        case .sandbox(let sandbox, _): sandbox
        case .server(let store): store
        case .none: AbsentStore()
        }
    }

    /// The test controls of the store; nil for any other store.
    var control: (any StoreTestControl)? {
        switch self {
        case .sandbox(let sandbox, _): sandbox
        case .server, .none: nil
        }
    }

    /// The journal of the embedded store for backups; nil for any other store.
    var files: SandboxFileJournal? {
        switch self {
        case .sandbox(_, let journal): journal
        case .server, .none: nil
        }
    }

    /// The default country, if it can be had without a request.
    var knownDefaultCountry: CountryCode? {
        switch self {
        case .sandbox(let sandbox, _): sandbox.knownDefaultCountry
        case .server(let store): store.knownDefaultCountry
        case .none: nil
        }
    }

    /// Replaces the catalogue of the embedded store. A store server has its own catalogue.
    func use(_ catalogue: StoreCatalogue) async {
        if case .sandbox(let sandbox, _) = self { await sandbox.use(catalogue) }
    }

    /// Begins to listen to a server, once there is a listener.
    func start() {
        if case .server(let store) = self { store.start() }
    }

    /// Commits the journal of the embedded store, or closes the connections to the server.
    func close() async throws {
        switch self {
        case .sandbox(let sandbox, _): try await sandbox.close()
        case .server(let store): await store.close()
        case .none: break
        }
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
}
