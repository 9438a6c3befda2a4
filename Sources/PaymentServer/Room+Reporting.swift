import JSONRPC
import PaymentAPI
import PaymentCore
import StrictJSON

extension Room {
    /// The error for refused new work, with the numbers and the advice.
    var errorObject: ErrorObject {
        let shortage = shortage ?? .bytes
        return ErrorCode.notDurable.object(
            message: "There is no room for the payment: \(shortage.sentence). \(shortage.advice)",
            effect: ErrorCode.Effect.none,
            [
                "shortage": .string(shortage.rawValue), "free": .integer(Int(max(0, freeBytes))),
                "claimed": .integer(Int(claimedBytes)),
                "available": .integer(Int(max(0, availableBytes))),
                "advice": .string(shortage.advice),
            ])
    }
}

extension Room.Shortage {
    /// The name of the shortage, for users.
    var sentence: String {
        switch self {
        case .bytes: "what the disk has free is claimed by accepted transactions"
        case .files: "the file system can take too few further files"
        case .quota: "the disk quota is used up"
        case .fileSize: "files may not become longer"
        }
    }
}
