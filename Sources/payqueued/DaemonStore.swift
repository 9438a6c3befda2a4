import FoundationEssentials
import NIOCore
import PaymentCore
import PaymentSandbox
import PaymentStorage
import SandboxControl
import SandboxStorage
import StoreMessages

/// The store behind the queue: the embedded sandbox, or a server.
enum DaemonStore: Sendable {
    /// Embedded, with the journal that keeps it.
    case sandbox(Sandbox, SandboxFileJournal)
    /// Spoken to over HTTP.
    case server(any RemoteStore)

    /// The back end that the queue uses.
    var backend: any StoreBackend {
        switch self {
        case .sandbox(let sandbox, _): sandbox
        case .server(let store): store
        }
    }

    /// The controls of the store, if it has any.
    var control: (any StoreTestControl)? {
        switch self {
        case .sandbox(let sandbox, _): sandbox
        case .server: nil
        }
    }

    /// The parts of a backup of the store, if it is kept here.
    var files: SandboxFileJournal? {
        switch self {
        case .sandbox(_, let journal): journal
        case .server: nil
        }
    }

    /// The default country, if it can be had without a request.
    var knownDefaultCountry: CountryCode? {
        switch self {
        case .sandbox(let sandbox, _): sandbox.knownDefaultCountry
        case .server(let store): store.knownDefaultCountry
        }
    }

    /// Sells by another catalogue from now on. A server has its own.
    func use(_ catalogue: StoreCatalogue) async {
        if case .sandbox(let sandbox, _) = self { await sandbox.use(catalogue) }
    }

    /// Begins to listen to a server, once there is a listener.
    func start() {
        if case .server(let store) = self { store.start() }
    }

    /// Commits what is open, or closes the connections.
    func close() async throws {
        switch self {
        case .sandbox(let sandbox, _): try await sandbox.close()
        case .server(let store): await store.close()
        }
    }
}

extension DaemonConfiguration {
    /// The catalogue of the embedded store, with the demo's account in it.
    func loadCatalogue() throws(StartFailure) -> StoreCatalogue {
        var catalogue = StoreCatalogue.example
        if let path = catalog.value {
            guard let data = FileManager.default.contents(atPath: path) else {
                throw .configuration(
                    "cannot read catalogue '\(path)': no such file, or permission denied")
            }
            do throws(CatalogueFailure) {
                catalogue = try CatalogueFile.load(bytes: Array(data), path: path)
            } catch {
                throw .configuration("\(error)")
            }
        }
        if demo.value { catalogue.ensureAccount(Daemon.demoAccount) }
        return catalogue
    }
}
