import JSONRPC
import PaymentAPI
import PaymentCore
import PaymentEngine
import StrictJSON

@testable import PaymentServer

/// The methods that the engine knows, with the parameters and the results of the contract.
extension EngineWire {
    typealias Outcome = Result<JSONValue, ErrorObject>

    /// Runs a method.
    ///
    /// - Returns: What it answers, or nil if it answers later.
    func outcome(of method: String, _ params: [UInt8], _ id: JSONValue) throws -> Outcome? {
        let call = Call(method: method, params: params, id: id)
        if let attempt = try queueMethod(call) ?? watchingMethod(call) ?? storeMethod(call) {
            return attempt.outcome
        }
        return .failure(ErrorObject(code: -32601, message: "the engine does not know it", data: []))
    }

    /// A request.
    struct Call {
        var method: String
        var params: [UInt8]
        var id: JSONValue

        func decoded<M: Method>(_ method: M.Type) throws -> M.Params {
            var tape = JSONTape()
            try tape.scan(params.span)
            return try M.call(tape, params: 0, in: params.span).params
        }

        func run<M: Method>(
            _ method: M.Type, _ body: (M.Params) throws(ErrorObject) -> M.Result
        ) throws -> Attempt {
            let decoded = try decoded(method)
            do throws(ErrorObject) {
                return Attempt(outcome: .success(try body(decoded).jsonValue))
            } catch {
                return Attempt(outcome: .failure(error))
            }
        }

        /// A method that answers later, unless it refuses at once.
        func start<M: Method>(
            _ method: M.Type, _ body: (M.Params) throws(ErrorObject) -> Void
        ) throws -> Attempt {
            let decoded = try decoded(method)
            do throws(ErrorObject) {
                try body(decoded)
                return Attempt(outcome: nil)
            } catch {
                return Attempt(outcome: .failure(error))
            }
        }
    }

    /// What came of a known method; no outcome if it answers later.
    struct Attempt {
        var outcome: Outcome?
    }
}

/// A reply that is given later, once.
///
/// Proof: wire and loop are used on the test's thread only.
final class Later: @unchecked Sendable {
    let wire: EngineWire
    private let id: JSONValue
    private var isGiven = false

    init(wire: EngineWire, id: JSONValue) {
        self.wire = wire
        self.id = id
    }

    func succeed(_ result: some WireResult) {
        give(.success(result.jsonValue))
    }

    func fail(_ refusal: EngineRefusal) {
        give(.failure(refusal.errorObject()))
    }

    func give(_ outcome: EngineWire.Outcome) {
        guard !isGiven else { return }
        isGiven = true
        wire.answer(id, outcome)
    }
}
