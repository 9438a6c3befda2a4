internal import PaymentCore
internal import StrictJSON

extension JSONWriter {
    /// Appends a restore; a journal line includes the key of the call.
    mutating func restore(_ restore: Restore, key: OpaqueText? = nil) {
        beginObject()
        if let account = restore.account {
            name("account")
            string(account.string)
        }
        if let token = restore.appAccountToken {
            name("appAccountToken")
            string(token.string)
        }
        name("createdAt")
        timestamp(restore.createdAt)
        name("id")
        identifier(restore.id.value)
        if let key {
            name("key")
            string(key.string)
        }
        endObject()
    }

    /// Appends a call that joined a restore.
    mutating func restoreJoined(_ id: RestoreID, key: OpaqueText) {
        beginObject()
        name("key")
        string(key.string)
        name("restore")
        identifier(id.value)
        endObject()
    }

    /// Appends the outcome of a restore.
    mutating func restoreEnded(
        _ id: RestoreID, account: AccountName?, _ outcome: RestoreOutcome
    ) {
        beginObject()
        if let account {
            name("account")
            string(account.string)
        }
        self.outcome(outcome)
        name("restore")
        identifier(id.value)
        endObject()
    }

    /// Appends a restore with all its keys and, if it has ended, its outcome and time.
    mutating func restoreItem(
        _ restore: Restore, keys: [OpaqueText], user: UInt32? = nil,
        ended: (outcome: RestoreOutcome, at: Timestamp)? = nil
    ) {
        beginObject()
        if let ended {
            name("at")
            timestamp(ended.at)
            outcome(ended.outcome)
        }
        if !keys.isEmpty {
            name("keys")
            strings(keys)
        }
        name("restore")
        self.restore(restore)
        if let user {
            name("user")
            integer(user)
        }
        endObject()
    }

    /// Appends a revocation of purchases.
    mutating func revocation(_ revocation: Revocation) {
        beginObject()
        name("account")
        string(revocation.account.string)
        name("orders")
        beginArray()
        for order in revocation.orders {
            element()
            identifier(order.value)
        }
        endArray()
        name("products")
        strings(revocation.products)
        if !revocation.revocations.isEmpty {
            name("revocations")
            beginArray()
            for revocation in revocation.revocations {
                element()
                orderRevocation(revocation)
            }
            endArray()
        }
        endObject()
    }

    /// Appends the time and reason of one order's revocation.
    private mutating func orderRevocation(_ revocation: OrderRevocation) {
        beginObject()
        name("at")
        timestamp(revocation.at)
        name("reason")
        string(revocation.reason)
        endObject()
    }

    /// Appends an announced revoked order, with time and reason if known.
    mutating func revokedOrder(_ order: OrderID, _ revocation: OrderRevocation?) {
        beginObject()
        name("order")
        identifier(order.value)
        if let revocation {
            name("revocation")
            orderRevocation(revocation)
        }
        endObject()
    }

    private mutating func outcome(_ outcome: RestoreOutcome) {
        switch outcome {
        case .completed(let count):
            name("count")
            integer(count)
        case .failed(let failure):
            name("error")
            string(failure.rawValue)
        }
    }

    private mutating func strings(_ texts: [OpaqueText]) {
        beginArray()
        for text in texts {
            element()
            string(text.string)
        }
        endArray()
    }
}

extension LineContent {
    /// Reads the output of `restore` at an offset.
    func restore(
        _ offset: Int
    ) throws(PayloadFault) -> (restore: Restore, key: OpaqueText?) {
        var members = try MemberCursor(self, object: offset)
        let account = try optional(members.take("account"), opaque)
        let token = try optional(members.take("appAccountToken"), opaque)
        let createdAt = try timestamp(members.require("createdAt"))
        let id = RestoreID(try identifier(members.require("id")))
        let key = try optional(members.take("key"), opaque)
        let restore = Restore(
            id: id, account: account, appAccountToken: token, createdAt: createdAt)
        return (restore, key)
    }

    /// Reads the output of `restoreJoined`.
    func restoreJoined() throws(PayloadFault) -> Event {
        var members = try MemberCursor(self, object: payloadOffset)
        let key = try opaque(members.require("key"))
        return .restoreJoined(RestoreID(try identifier(members.require("restore"))), key: key)
    }

    /// Reads the output of `restoreEnded`.
    func restoreEnded() throws(PayloadFault) -> Event {
        var members = try MemberCursor(self, object: payloadOffset)
        let account = try optional(members.take("account"), opaque)
        let outcome = try outcome(&members)
        let id = RestoreID(try identifier(members.require("restore")))
        return .restoreEnded(id, account: account, outcome)
    }

    /// Reads the output of `restoreItem`.
    func restoreItem(hasEnded: Bool) throws(PayloadFault) -> SnapshotItem {
        var members = try MemberCursor(self, object: payloadOffset)
        var ended: (outcome: RestoreOutcome, at: Timestamp)?
        if hasEnded {
            let time = try timestamp(members.require("at"))
            ended = (try outcome(&members), time)
        }
        let keys = try optional(members.take("keys"), texts) ?? []
        let restore = try restore(members.require("restore")).restore
        guard let ended else {
            let user = try optional(members.take("user"), unsigned32)
            return .restore(restore, keys: keys, user: user)
        }
        return .endedRestore(restore, keys: keys, ended.outcome, at: ended.at)
    }

    /// Reads the output of `revocation`.
    func revocation() throws(PayloadFault) -> Revocation {
        var members = try MemberCursor(self, object: payloadOffset)
        let account = try opaque(members.require("account"))
        let orders = try elements(members.require("orders"), identifier).map(OrderID.init)
        let products = try texts(members.require("products"))
        let revocations = try optional(members.take("revocations")) {
            offset throws(PayloadFault) in try elements(offset, orderRevocation)
        }
        return Revocation(
            account: account, products: products, orders: orders,
            revocations: revocations ?? [])
    }

    /// Reads the output of `revokedOrder`.
    func revokedOrder() throws(PayloadFault) -> SnapshotItem {
        var members = try MemberCursor(self, object: payloadOffset)
        let order = OrderID(try identifier(members.require("order")))
        return .revokedOrder(order, try optional(members.take("revocation"), orderRevocation))
    }

    private func texts(_ offset: Int) throws(PayloadFault) -> [OpaqueText] {
        try elements(offset, opaque)
    }

    private func outcome(_ members: inout MemberCursor) throws(PayloadFault) -> RestoreOutcome {
        if let offset = try members.take("count") {
            guard let count = Int(exactly: try signed(offset)) else {
                throw PayloadFault("a number is too large")
            }
            return .completed(count: count)
        }
        return .failed(try word(members.require("error"), of: RestoreFailure.self))
    }
}
