import PaymentCore
import SandboxControl

/// The words of the wire, written out: renaming a case in Swift must not change a reply. Tests hold
/// them against what was released.

extension Product.Kind {
    var wireWord: String {
        switch self {
        case .consumable: "consumable"
        case .nonConsumable: "nonConsumable"
        case .nonRenewingSubscription: "nonRenewingSubscription"
        case .autoRenewableSubscription: "autoRenewableSubscription"
        }
    }
}

extension SubscriptionPeriod.Unit {
    var wireWord: String {
        switch self {
        case .day: "day"
        case .week: "week"
        case .month: "month"
        case .year: "year"
        }
    }
}

extension TransactionState.Phase {
    var wireWord: String {
        switch self {
        case .purchasing: "purchasing"
        case .purchased: "purchased"
        case .restored: "restored"
        case .failed: "failed"
        }
    }
}

extension WaitingFor {
    var wireWord: String {
        switch self {
        case .observer: "observer"
        case .login: "login"
        case .gate: "gate"
        case .approval: "approval"
        case .store: "store"
        }
    }
}

extension Transaction.Reason {
    var wireWord: String {
        switch self {
        case .purchase: "purchase"
        case .renewal: "renewal"
        case .restore: "restore"
        case .external: "external"
        }
    }
}

extension RemovalReason {
    var wireWord: String {
        switch self {
        case .finished: "finished"
        case .withdrawn: "withdrawn"
        case .discardedByGate: "discardedByGate"
        case .rejectedAfterLogin: "rejectedAfterLogin"
        case .deleted: "deleted"
        }
    }
}

extension FinishDisposition {
    var wireWord: String {
        switch self {
        case .removed: "removed"
        case .completing: "completing"
        case .ignoredInFlight: "ignoredInFlight"
        case .alreadyFinished: "alreadyFinished"
        }
    }
}

extension PurchaseOffer {
    var wireWord: String {
        switch self {
        case .introductory: "introductory"
        case .alreadyOwned: "alreadyOwned"
        case .scheduled: "scheduled"
        }
    }
}

extension StoreOrder.State {
    var wireWord: String {
        switch self {
        case .deferred: "deferred"
        case .purchased: "purchased"
        case .failed: "failed"
        case .refunded: "refunded"
        }
    }
}

extension PaymentFailure.Kind {
    var wireWord: String {
        switch self {
        case .cancelled: "cancelled"
        case .presentationFailed: "presentationFailed"
        case .internalError: "internalError"
        }
    }
}

extension Question.Kind {
    var wireWord: String {
        switch self {
        case .login: "login"
        case .afterLogin: "afterLogin"
        case .shouldContinue: "shouldContinue"
        case .payment: "payment"
        }
    }
}

extension Question.Cause {
    var wireWord: String {
        switch self {
        case .storefront: "storefront"
        case .price: "price"
        }
    }
}

extension QuestionClosing.Reason {
    var wireWord: String {
        switch self {
        case .answered: "answered"
        case .timedOut: "timedOut"
        case .agentGone: "agentGone"
        case .withdrawn: "withdrawn"
        case .sessionChanged: "sessionChanged"
        case .restarted: "restarted"
        }
    }
}

extension SessionCause {
    var wireWord: String {
        switch self {
        case .sessionEnded: "sessionEnded"
        }
    }
}

extension GatePolicy.Mode {
    var wireWord: String {
        switch self {
        case .continue: "continue"
        case .stop: "stop"
        case .ask: "ask"
        }
    }
}

extension GatePolicy.AfterLogin {
    var wireWord: String {
        switch self {
        case .continue: "continue"
        case .ask: "ask"
        }
    }
}

extension SimulatedCall {
    var wireWord: String {
        switch self {
        case .products: "products"
        case .purchase: "purchase"
        case .completion: "completion"
        case .restore: "restore"
        case .reconciliation: "reconciliation"
        case .history: "history"
        case .login: "login"
        }
    }
}

extension StoreFailure.Kind {
    var wireWord: String {
        switch self {
        case .connectionError: "connectionError"
        case .serviceUnavailable: "serviceUnavailable"
        case .appNotRegistered: "appNotRegistered"
        case .unknownAccount: "unknownAccount"
        case .badCredential: "badCredential"
        case .sessionRevoked: "sessionRevoked"
        case .storageFailed: "storageFailed"
        case .internalError: "internalError"
        }
    }
}

extension PriceIncreaseAnswer {
    var wireWord: String {
        switch self {
        case .consent: "consent"
        case .decline: "decline"
        case .pending: "pending"
        }
    }
}
