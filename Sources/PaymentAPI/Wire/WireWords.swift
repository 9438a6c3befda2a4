import PaymentCore

/// The words of the wire, written out: renaming a case in Swift must not change a reply. Tests hold
/// them against what was released.

/// A type of which each value is one word on the wire.
protocol WireWord: Sendable, CaseIterable {
    /// The word.
    var wireWord: String { get }
}

extension WireWord where Self: RawRepresentable<String> {
    var wireWord: String { rawValue }
}

extension Product.Kind: WireWord {
    var wireWord: String {
        switch self {
        case .consumable: "consumable"
        case .nonConsumable: "nonConsumable"
        case .nonRenewingSubscription: "nonRenewingSubscription"
        case .autoRenewableSubscription: "autoRenewableSubscription"
        }
    }
}

extension SubscriptionPeriod.Unit: WireWord {
    var wireWord: String {
        switch self {
        case .day: "day"
        case .week: "week"
        case .month: "month"
        case .year: "year"
        }
    }
}

extension TransactionState.Phase: WireWord {
    var wireWord: String {
        switch self {
        case .purchasing: "purchasing"
        case .purchased: "purchased"
        case .restored: "restored"
        case .failed: "failed"
        }
    }
}

extension WaitingFor: WireWord {
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

extension Transaction.Reason: WireWord {
    var wireWord: String {
        switch self {
        case .purchase: "purchase"
        case .renewal: "renewal"
        case .restore: "restore"
        case .external: "external"
        }
    }
}

extension RemovalReason: WireWord {
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

extension FinishDisposition: WireWord {
    var wireWord: String {
        switch self {
        case .removed: "removed"
        case .completing: "completing"
        case .ignoredInFlight: "ignoredInFlight"
        case .alreadyFinished: "alreadyFinished"
        }
    }
}

extension PurchaseOffer: WireWord {
    var wireWord: String {
        switch self {
        case .introductory: "introductory"
        case .alreadyOwned: "alreadyOwned"
        case .scheduled: "scheduled"
        }
    }
}

extension StoreOrder.State: WireWord {
    var wireWord: String {
        switch self {
        case .deferred: "deferred"
        case .purchased: "purchased"
        case .failed: "failed"
        case .refunded: "refunded"
        }
    }
}

extension PaymentFailure.Kind: WireWord {
    var wireWord: String {
        switch self {
        case .cancelled: "cancelled"
        case .presentationFailed: "presentationFailed"
        case .internalError: "internalError"
        }
    }
}

extension Question.Kind: WireWord {
    var wireWord: String {
        switch self {
        case .login: "login"
        case .afterLogin: "afterLogin"
        case .shouldContinue: "shouldContinue"
        case .payment: "payment"
        }
    }
}

extension Question.Cause: WireWord {
    var wireWord: String {
        switch self {
        case .storefront: "storefront"
        case .price: "price"
        }
    }
}

extension QuestionClosing.Reason: WireWord {
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

extension SessionCause: WireWord {
    var wireWord: String {
        switch self {
        case .sessionEnded: "sessionEnded"
        }
    }
}

extension GatePolicy.Mode: WireWord {
    var wireWord: String {
        switch self {
        case .continue: "continue"
        case .stop: "stop"
        case .ask: "ask"
        }
    }
}

extension GatePolicy.AfterLogin: WireWord {
    var wireWord: String {
        switch self {
        case .continue: "continue"
        case .ask: "ask"
        }
    }
}

extension SimulatedCall: WireWord {
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

extension StoreFailure.Kind: WireWord {
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

extension PriceIncreaseAnswer: WireWord {
    var wireWord: String {
        switch self {
        case .consent: "consent"
        case .decline: "decline"
        case .pending: "pending"
        }
    }
}
