import Dispatch
import Logging
import PaymentCore
import PaymentStorage
import StoreMessages

/// Stores the data of the store server's client: tokens in `sessions/` and catalogues in
/// `products/`. Writes run one at a time, in order, outside of the event loops.
struct StoreFiles: StoreMemory {
    private let sessions: SmallFiles
    private let products: SmallFiles
    private let queue = DispatchQueue(label: "payqueued.store-files")
    private let log: Logger
    /// Receives the tokens, in the order of the writes, for the nodes that share the queue.
    private let share: @Sendable ([UInt8]) -> Void

    init(
        in state: StateDirectory, log: Logger, share: @escaping @Sendable ([UInt8]) -> Void
    ) throws(StorageError) {
        self.share = share
        sessions = try SmallFiles("sessions", in: state)
        products = try SmallFiles("products", in: state)
        self.log = log
    }

    func read(_ item: StoreMemoryItem) -> [UInt8]? {
        let (files, name) = place(of: item)
        do {
            return try files.read(name)
        } catch {
            log.warning(
                "cannot read the cached store data; fetching it again",
                metadata: ["file": "\(name)", "reason": "\(error.reason)"])
            return nil
        }
    }

    func write(_ item: StoreMemoryItem, _ bytes: [UInt8]) {
        if item == .sessions { share(bytes) }
        let (files, name) = place(of: item)
        queue.async { [log] in
            do throws(DiskFailure) {
                try files.replace(name, with: bytes)
            } catch {
                log.warning(
                    "cannot cache store data; continuing without a cache",
                    metadata: ["file": "\(name)", "reason": "\(error.reason)"])
            }
        }
    }

    var countries: [CountryCode] {
        let names = (try? products.names()) ?? []
        return names.compactMap { name in
            name.hasSuffix(".json") ? CountryCode(name.dropLast(5)) : nil
        }
    }

    /// Returns when all writes are done.
    func flush() {
        queue.sync {}
    }

    private func place(of item: StoreMemoryItem) -> (SmallFiles, String) {
        switch item {
        case .sessions: (sessions, "store.json")
        case .store: (products, "store.json")
        case .catalogue(let country): (products, "\(country).json")
        }
    }
}
