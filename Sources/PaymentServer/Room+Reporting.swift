import JSONRPC
import PaymentAPI
import PaymentCore
import StrictJSON

extension Room {
    /// The error for refused new work, with the numbers and the advice.
    var errorObject: ErrorObject {
        let shortage = shortage ?? .bytes
        return ErrorCode.notDurable.object(
            message: "There is no room for the payment: \(shortage.reason). \(shortage.advice)",
            effect: ErrorCode.Effect.none,
            [
                "shortage": .string(shortage.rawValue), "free": .integer(Int(max(0, freeBytes))),
                "claimed": .integer(Int(claimedBytes)),
                "available": .integer(Int(max(0, availableBytes))),
                "advice": .string(shortage.advice),
            ])
    }
}
