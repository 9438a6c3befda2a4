/// Decodes the bytes of ``PackedBytes``.
struct PackedReader {
    private let bytes: [UInt8]
    private var offset: Int

    /// Reads from an offset.
    init(_ bytes: [UInt8], from offset: Int) {
        self.bytes = bytes
        self.offset = offset
    }

    mutating func record(
        _ id: TransactionID, hasOrder: Bool, sharing shared: SharedValues
    ) -> TransactionRecord {
        let order = hasOrder ? OrderID(identifier()) : nil
        let key = text()
        let flags = PackedBytes.Flags(rawValue: UInt16(byte()) | UInt16(byte()) << 8)
        let position = number()
        let lastEvent = number()
        var user = flags.contains(.user) ? UInt32(truncatingIfNeeded: number()) : nil
        var fields = fields(id, order, flags, shared)
        if flags.contains(.origin) { fields.origin = origin(shared) }
        if flags.contains(.isOriginUser) { user = fields.origin?.uid }
        if flags.contains(.charge) { fields.settled = settled(fields.payment) }
        let finish = flags.contains(.finish) ? finish(of: fields, shared) : nil
        return TransactionRecord(
            transaction: Transaction(fields), key: key, lastEvent: lastEvent, position: position,
            user: user, finished: finish)
    }

    /// Decodes the beginning of a record, without its texts.
    mutating func glance(hasOrder: Bool, sharing shared: SharedValues) -> TransactionGlance {
        if hasOrder { offset += 16 }
        skipText()
        let flags = PackedBytes.Flags(rawValue: UInt16(byte()) | UInt16(byte()) << 8)
        let position = number()
        let lastEvent = number()
        if flags.contains(.user) { _ = number() }
        let code = byte() & 0xF
        if code >= PackedBytes.failureCode { skipText() }
        return TransactionGlance(
            position: position, newestEvent: lastEvent,
            isCompleting: code == PackedBytes.completingCode,
            product: shared.products[Int(number())])
    }

    mutating func identifier() -> UniqueID {
        UniqueID(high: word(), low: word())
    }

    private mutating func fields(
        _ id: TransactionID, _ order: OrderID?, _ flags: PackedBytes.Flags, _ shared: SharedValues
    ) -> TransactionFields {
        let code = byte()
        let state = state(code & 0xF)
        let product = shared.products[Int(number())]
        let account = flags.contains(.account) ? shared.accounts[Int(number())] : nil
        let country =
            flags.contains(.country)
            ? CountryCode(first: byte(), second: byte()) : product.country
        let token = flags.contains(.token) ? text() : nil
        let original =
            flags.contains(.original)
            ? OrderID(identifier()) : flags.contains(.isOriginal) ? order : nil
        let attempt = UInt32(truncatingIfNeeded: number())
        let revision = UInt32(truncatingIfNeeded: number())
        let createdAt = difference()
        let updatedAt = createdAt &+ difference()
        return TransactionFields(
            id: id, account: account, payment: Payment(product: product, appAccountToken: token),
            state: state, country: country, order: order, originalOrder: original, settled: nil,
            reason: PackedCases.reasons[Int(code >> 4)], attempt: attempt,
            isConfirmed: flags.contains(.confirmed),
            revision: revision, createdAt: Timestamp(milliseconds: createdAt),
            updatedAt: Timestamp(milliseconds: updatedAt), origin: nil)
    }

    private mutating func state(_ code: UInt8) -> TransactionState {
        switch code {
        case 0: return .waiting
        case 1: return .gated
        case 2: return .submitted
        case 3: return .deferred
        case 4: return .purchased
        case PackedBytes.completingCode: return .completing
        case 6: return .restored
        default:
            let kind = PackedCases.failures[Int(code - PackedBytes.failureCode)]
            return .failed(PaymentFailure(kind, reason: text()?.string))
        }
    }

    private mutating func origin(_ shared: SharedValues) -> Origin {
        let uid = UInt32(truncatingIfNeeded: number())
        let connection = number()
        let request = number()
        let client: OpaqueText? =
            switch number() {
            case 0: nil
            case 1: text()
            case let number: shared.clients[Int(number) - 2]
            }
        return Origin(
            uid: uid, client: client, connection: connection, request: request, trace: text())
    }

    private mutating func settled(_ payment: Payment) -> Settled {
        let flags = PackedBytes.ChargeFlags(rawValue: byte())
        var charge = Charge(price: payment.product.product.price)
        if !flags.contains(.productPrice) { charge.price = price() }
        if flags.contains(.effectiveAt) {
            charge.effectiveAt = Timestamp(milliseconds: difference())
        }
        if flags.contains(.revocation) {
            let at = Timestamp(milliseconds: difference())
            charge.revocation = OrderRevocation(at: at, reason: text()?.string ?? "")
        }
        if flags.contains(.offer) { charge.offer = PackedCases.offers[Int(byte())] }
        return Settled(charge: charge, requestedToken: text())
    }

    private mutating func price() -> Price {
        guard let amount = Amount(text()?.string ?? "") else {
            preconditionFailure("a packed amount is an amount")
        }
        return Price(amount: amount, currencyCode: text()?.string ?? "")
    }

    private mutating func finish(of fields: TransactionFields, _ shared: SharedValues) -> Finish {
        let time = fields.updatedAt.milliseconds &+ difference()
        let reason = PackedCases.removals[Int(byte())]
        let origin: Origin? =
            switch PackedBytes.FinishOrigin(rawValue: byte()) {
            case .ofTransaction: fields.origin
            case .other: origin(shared)
            case .absent, nil: nil
            }
        return Finish(time: Timestamp(milliseconds: time), reason: reason, origin: origin)
    }

    private mutating func text() -> OpaqueText? {
        switch number() {
        case 0: return nil
        case 1: return OpaqueText(identifier().description)
        case let length:
            let end = offset + Int(length) - 2
            defer { offset = end }
            return OpaqueText(String(decoding: bytes[offset..<end], as: UTF8.self))
        }
    }

    private mutating func skipText() {
        switch number() {
        case 0: break
        case 1: offset += 16
        case let length: offset += Int(length) - 2
        }
    }

    private mutating func number() -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = byte()
            number |= UInt64(byte & 0x7F) << shift
            guard byte & 0x80 != 0 else { return number }
            shift += 7
        }
    }

    private mutating func difference() -> Int64 {
        let number = number()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    private mutating func word() -> UInt64 {
        var word: UInt64 = 0
        for index in 0..<8 { word |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
        offset += 8
        return word
    }

    private mutating func byte() -> UInt8 {
        defer { offset += 1 }
        return bytes[offset]
    }
}
