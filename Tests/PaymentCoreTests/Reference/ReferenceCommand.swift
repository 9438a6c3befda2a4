/// What is done to the queue and to the reference model alike. Transactions, questions, restores and
/// orders go by numbers.
enum ReferenceCommand {
    case add(product: String, token: String?, key: String?)
    case finish(Int)
    case session(account: String, country: String)
    case logOut
    case assume(String?)
    case policy(mode: String, fallback: Bool)
    case watch(everything: Bool, products: Set<String>, agent: Bool)
    case agentGone
    case start
    case outcome(ReferenceModel.Outcome, Int)
    case completed(Int)
    case answer(Int, Bool)
    case timeOut(Int)
    case reconcile(ReferenceModel.Purchase, account: String)
    case revoke([Int], account: String)
    case delete(order: Int, asker: Int?, account: String)
    case restore(token: String?, key: String?)
    case give(ReferenceModel.Purchase, restore: Int)
    case endRestore(Int, outcome: String)
    case forget(before: Int)
    case reload

    /// The command in a word, for the table of what was tried on what.
    var word: String {
        switch self {
        case .add: "add"
        case .finish: "finish"
        case .session: "login"
        case .logOut: "logout"
        case .assume: "assume"
        case .policy: "policy"
        case .watch: "watch"
        case .agentGone: "agentGone"
        case .start: "start"
        case .outcome(.purchased, _): "purchased"
        case .outcome(.alreadyOwned, _): "alreadyOwned"
        case .outcome(.deferred, _): "deferred"
        case .outcome(.declined, _): "declined"
        case .outcome(.notSold, _): "notSold"
        case .outcome(.priceChanged, _): "priceChanged"
        case .outcome(.countryChanged, _): "countryChanged"
        case .completed: "completed"
        case .answer(_, true): "yes"
        case .answer(_, false): "no"
        case .timeOut: "silence"
        case .reconcile: "reconcile"
        case .revoke: "revoke"
        case .delete: "delete"
        case .restore: "restore"
        case .give: "give"
        case .endRestore: "restoreEnds"
        case .forget: "forget"
        case .reload: "reload"
        }
    }

    /// The commands that are about one transaction.
    static let targeted = [
        "finish", "purchased", "alreadyOwned", "delete", "deferred", "declined", "notSold",
        "priceChanged", "countryChanged", "completed", "reconcile", "give", "yes", "no", "silence",
    ]
}

extension ReferenceModel {
    /// Does a command and says what it answers; ``happened`` says what it changed.
    mutating func perform(_ command: ReferenceCommand, _ world: World) -> String {
        happened = []
        switch command {
        case .add(let product, let token, let key):
            return add(product, token: token, key: key, world)
        case .finish(let id): return finish(id, world)
        case .session(let account, let country): return setSession((account, country), world)
        case .logOut: return setSession(nil, world)
        case .assume(let country): return assume(country)
        case .policy(let mode, let fallback): return setPolicy(mode, fallback: fallback)
        case .watch(let everything, let products, let agent):
            watchesEverything = everything
            watched = products
            hasPaymentAgent = agent
            return "watched"
        case .agentGone: return agentGone(world)
        case .start: return start(world)
        case .outcome(let outcome, let id): return self.outcome(outcome, for: id, world)
        case .completed(let id): return completed(id, world)
        case .answer(let id, let value): return answer(id, value, world)
        case .timeOut(let id): return timeOut(id, world)
        case .reconcile(let purchase, let account):
            return reconcile(purchase, of: account, world)
        case .revoke(let orders, let account): return revoke(orders, of: account, world)
        case .delete(let order, let asker, let account):
            return delete(order, askedBy: asker, of: account, world)
        case .restore(let token, let key): return restore(token: token, key: key, world)
        case .give(let purchase, let id): return give(purchase, by: id, world)
        case .endRestore(let id, let outcome):
            endRestore(id, outcome, world)
            return "ended"
        case .forget(let before): return forget(before: before)
        case .reload: return "reloaded"
        }
    }
}
