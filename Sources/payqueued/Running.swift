import NIOCore
import PaymentCore
import PaymentEngine
import PaymentSandbox
import PaymentServer
import PaymentStorage
import SandboxStorage
import StoreMessages

/// The parts of the daemon on the engine's loop.
struct Running: Sendable {
    let store: DaemonStore
    let engine: PaymentEngine
    let server: PaymentServer
    let checkpointer: NIOLoopBound<Checkpointer>
    let scrubber: NIOLoopBound<Scrubber>
    /// The retention of finished transactions; nil if the state is read-only.
    let retention: NIOLoopBound<RetentionTask>?
    /// The export of traces; nil if it is not configured.
    let traces: TraceExport?
    let loop: any EventLoop
    /// The node's part in a cluster; nil if the log is in local files only.
    let member: ClusterMember?

    /// Makes a node of a cluster follow the log, and serve the queue when it owns the log.
    func follow() {
        member?.begin(engine) { sessions in
            if case .server(let remote) = store {
                remote.takeOver(sessions, inSession: engine.queue.session?.account)
            }
            engine.store.sessions.useKnown()
            engine.start()
            startStore()
        }
    }

    /// Receives the changes of a store server from now on.
    func startStore() {
        guard case .server(let remote) = store else { return }
        remote.listen { [server] in server.storeDidChange($0) }
        remote.start()
        if remote.knownDefaultCountry == nil { learnDefaultCountry(remote) }
    }

    /// Requests the default country from a new store server, until it answers.
    private func learnDefaultCountry(_ remote: any RemoteStore) {
        // Unstructured, because the daemon serves meanwhile; closing the store ends it.
        Task {
            while true {
                do throws(StoreFailure) {
                    let country = try await remote.defaultCountry()
                    return loop.execute { engine.store.catalogues.use(defaultCountry: country) }
                } catch {
                    if remote.isClosed { return }
                    loop.execute { engine.store.catalogues.note(error) }
                }
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// Logs in the account of a demo.
    func logInDemo() async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            loop.execute {
                engine.store.sessions.logIn(
                    account: StoreCatalogue.demoAccount, credential: nil, origin: nil
                ) { result in
                    switch result {
                    case .success: done.resume()
                    case .failure(let refusal):
                        done.resume(
                            throwing: StartFailure.system("cannot log in 'demo': \(refusal)"))
                    }
                }
            }
        }
    }

    /// Whether this is the first start on this state directory. The engine must be started before.
    var isFirstStart: Bool {
        get async throws {
            try await loop.submit { [engine] in engine.queue.incarnation == 1 }.get()
        }
    }
}
