import JSONRPC
import PaymentAPI
import PaymentCore
import PaymentEngine
import StrictJSON

/// The handlers of `hello`, `ping` and `cancel`.
struct DaemonHandlers: Handlers {
    let context: HandlerContext
    let store: StoreControl

    func register(in methods: MethodTable) {
        methods.register(Hello.self, hello)
        methods.register(Ping.self, ping)
        methods.register(Cancel.self, cancel)
    }

    func hello(
        _ params: Hello.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Hello.Result> {
        if let api = params.api, api != Version.api { throw Failures.unsupportedVersion(api) }
        if let client = params.client { request.connection.caller.clientName = client }
        let peer = request.connection.caller.peer
        return .now(
            Hello.Result(
                epoch: engine.log.epoch, oldest: engine.log.oldest,
                head: engine.queue.head, uid: peer.uid, gid: peer.gid,
                roles: request.connection.caller.roles.set,
                features: store.control == nil ? [] : ["test"], limits: limits))
    }

    func ping(_ params: Ping.Params, _ request: Request) throws(ErrorObject) -> Answer<Ping.Result>
    {
        .now(Ping.Result(payload: params.payload))
    }

    func cancel(
        _ params: Cancel.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Cancel.Result> {
        let call = request.connection.requests.calls.first { $0.idBytes == params.id }
        call?.cancelForClient()
        return .now(Cancel.Result(isCancelled: call != nil))
    }
}
