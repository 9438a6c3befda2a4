/// The packed part of a record in a ``TransactionTable``.
///
/// Numbers are encoded as in LEB128: groups of seven bits, the lowest first. A UUID as text takes
/// 17 bytes instead of 37. The order comes first and the key second, because searches compare them.
/// The bytes never leave the process.
struct PackedBytes {
    private(set) var bytes: [UInt8] = []

    /// The parts of a record that are present, and values of a few bits.
    struct Flags: OptionSet {
        let rawValue: UInt16

        static let account = Flags(rawValue: 1)
        /// The country differs from that of the product.
        static let country = Flags(rawValue: 1 << 1)
        static let confirmed = Flags(rawValue: 1 << 2)
        /// The order is the first of its chain.
        static let isOriginal = Flags(rawValue: 1 << 3)
        static let original = Flags(rawValue: 1 << 4)
        static let charge = Flags(rawValue: 1 << 5)
        static let origin = Flags(rawValue: 1 << 6)
        /// The user differs from that of the origin.
        static let user = Flags(rawValue: 1 << 7)
        static let finish = Flags(rawValue: 1 << 8)
        static let token = Flags(rawValue: 1 << 9)
        /// The user equals that of the origin.
        static let isOriginUser = Flags(rawValue: 1 << 10)
    }

    /// The parts of a charge that are present.
    struct ChargeFlags: OptionSet {
        let rawValue: UInt8

        /// The price is that of the product.
        static let productPrice = ChargeFlags(rawValue: 1)
        static let effectiveAt = ChargeFlags(rawValue: 2)
        static let revocation = ChargeFlags(rawValue: 4)
        static let offer = ChargeFlags(rawValue: 8)
    }

    /// The origin of a finish.
    enum FinishOrigin: UInt8 {
        case absent, ofTransaction, other
    }

    /// Removes the content and keeps the memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func append(_ record: TransactionRecord, sharing shared: inout SharedValues) {
        let fields = record.transaction.storage.fields
        let flags = Flags(record)
        bytes.reserveCapacity(128)
        if let order = fields.order { append(order.value) }
        append(record.key)
        append(flags)
        append(record.position)
        append(record.lastEvent)
        if flags.contains(.user), let user = record.user { append(UInt64(user)) }
        append(fields.state, code(of: fields.reason, in: PackedCases.reasons))
        append(shared.products.number(of: fields.payment.product))
        if let account = fields.account { append(shared.accounts.number(of: account)) }
        if flags.contains(.country) { append(fields.country) }
        if let token = fields.payment.appAccountToken { append(token) }
        if flags.contains(.original), let original = fields.originalOrder {
            append(original.value)
        }
        append(UInt64(fields.attempt))
        append(UInt64(fields.revision))
        append(difference: fields.createdAt.milliseconds)
        append(difference: fields.updatedAt.milliseconds &- fields.createdAt.milliseconds)
        if let origin = fields.origin { append(origin, sharing: &shared) }
        if let settled = fields.settled { append(settled, of: fields.payment) }
        if let finish = record.finished { append(finish, of: fields, sharing: &shared) }
    }

    mutating func append(_ id: UniqueID) {
        bytes.append(addingCapacity: 16) { $0.append(id) }
    }

    mutating func append(_ text: OpaqueText?) {
        guard let text else { return append(0) }
        // SAFETY: all bytes of the text are initialized.
        append(text: unsafe text.string.utf8.span.bytes)
    }

    mutating func append(text: RawSpan) {
        bytes.append(addingCapacity: OutputSpan<UInt8>.mostBytes(ofText: text.byteCount)) {
            $0.append(text: text)
        }
    }

    mutating func append(_ flags: Flags) {
        bytes.append(addingCapacity: 2) { $0.append(flags) }
    }

    mutating func append(_ country: CountryCode) {
        bytes.append(addingCapacity: 2) { $0.append(country) }
    }

    mutating func append(_ number: UInt64) {
        bytes.append(addingCapacity: 10) { $0.append(number: number) }
    }

    /// Appends a number with its sign in the lowest bit, so that small negative numbers stay short.
    mutating func append(difference: Int64) {
        bytes.append(addingCapacity: 10) { $0.append(difference: difference) }
    }

    func code<Value: Equatable>(of value: Value, in cases: [Value]) -> UInt8 {
        guard let code = cases.firstIndex(of: value) else {
            preconditionFailure("an enum lists all its cases")
        }
        return UInt8(code)
    }

    /// The code of the state `completing`.
    static let completingCode: UInt8 = 5
    /// The code of the first kind of failure. The others follow.
    static let failureCode: UInt8 = 7

    /// The state and the reason of a purchase that waits.
    static let waitingPurchase: UInt8 = {
        var packed = PackedBytes()
        packed.append(.waiting, packed.code(of: .purchase, in: PackedCases.reasons))
        return packed.bytes[0]
    }()

    /// Appends the state, with the reason in the upper half of its byte.
    mutating func append(_ state: TransactionState, _ reason: UInt8) {
        let upper = reason << 4
        switch state {
        case .waiting: bytes.append(upper)
        case .gated: bytes.append(upper | 1)
        case .submitted: bytes.append(upper | 2)
        case .deferred: bytes.append(upper | 3)
        case .purchased: bytes.append(upper | 4)
        case .completing: bytes.append(upper | Self.completingCode)
        case .restored: bytes.append(upper | 6)
        case .failed(let failure):
            bytes.append(
                upper | (Self.failureCode + code(of: failure.kind, in: PackedCases.failures)))
            append(failure.reason.map { OpaqueText($0) })
        }
    }

    private mutating func append(_ origin: Origin, sharing shared: inout SharedValues) {
        append(UInt64(origin.uid))
        append(origin.connection)
        append(origin.request)
        append(client: origin.client, sharing: &shared)
        append(origin.trace)
    }

    mutating func append(client: OpaqueText?, sharing shared: inout SharedValues) {
        let number = shared.numberOfClient(client)
        append(number)
        if number == SharedValues.otherClient { append(client) }
    }

    private mutating func append(_ settled: Settled, of payment: Payment) {
        let charge = settled.charge
        let flags = ChargeFlags(charge, of: payment)
        bytes.append(flags.rawValue)
        if !flags.contains(.productPrice) {
            append(OpaqueText(charge.price.amount.text))
            append(OpaqueText(charge.price.currencyCode))
        }
        if let effectiveAt = charge.effectiveAt { append(difference: effectiveAt.milliseconds) }
        if let revocation = charge.revocation {
            append(difference: revocation.at.milliseconds)
            append(OpaqueText(revocation.reason))
        }
        if let offer = charge.offer { bytes.append(code(of: offer, in: PackedCases.offers)) }
        append(settled.requestedToken)
    }

    private mutating func append(
        _ finish: Finish, of fields: TransactionFields, sharing shared: inout SharedValues
    ) {
        append(difference: finish.time.milliseconds &- fields.updatedAt.milliseconds)
        bytes.append(code(of: finish.reason, in: PackedCases.removals))
        guard let origin = finish.origin else { return append(FinishOrigin.absent) }
        guard origin != fields.origin else { return append(FinishOrigin.ofTransaction) }
        append(FinishOrigin.other)
        append(origin, sharing: &shared)
    }

    private mutating func append(_ origin: FinishOrigin) {
        bytes.append(origin.rawValue)
    }
}

/// The parts of a packed record. The memory must have room for them.
extension OutputSpan<UInt8> {
    /// The maximum number of bytes of a packed text with `count` bytes.
    static func mostBytes(ofText count: Int) -> Int { max(17, count + 10) }

    mutating func append(number: UInt64) {
        var rest = number
        while rest > 0x7F {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func append(difference: Int64) {
        append(number: UInt64(bitPattern: difference << 1 ^ difference >> 63))
    }

    mutating func append(_ id: UniqueID) {
        append(word: id.high)
        append(word: id.low)
    }

    mutating func append(text: RawSpan) {
        if let id = UniqueID(utf8: text) {
            append(number: 1)
            return append(id)
        }
        append(number: UInt64(text.byteCount + 2))
        append(bytes: text)
    }

    mutating func append(_ flags: PackedBytes.Flags) {
        append(UInt8(truncatingIfNeeded: flags.rawValue))
        append(UInt8(truncatingIfNeeded: flags.rawValue >> 8))
    }

    mutating func append(_ country: CountryCode) {
        append(country.first)
        append(country.second)
    }

    private mutating func append(word: UInt64) {
        // SAFETY: every byte of a number is initialized.
        unsafe withUnsafeBytes(of: word.littleEndian) { append(bytes: unsafe $0.bytes) }
    }

    private mutating func append(bytes: RawSpan) {
        precondition(bytes.byteCount <= freeCapacity, "there is no room for the bytes")
        // SAFETY: there is room for the bytes, which are copied while the span is valid.
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            unsafe bytes.withUnsafeBytes {
                guard let from = $0.baseAddress, let to = buffer.baseAddress else { return }
                unsafe UnsafeMutableRawPointer(to + count).copyMemory(
                    from: from, byteCount: $0.count)
                count += $0.count
            }
        }
    }
}

extension PackedBytes.Flags {
    fileprivate init(_ record: TransactionRecord) {
        let fields = record.transaction.storage.fields
        self = []
        if fields.account != nil { insert(.account) }
        if fields.country != fields.payment.product.country { insert(.country) }
        if fields.isConfirmed { insert(.confirmed) }
        if let original = fields.originalOrder {
            insert(original == fields.order ? .isOriginal : .original)
        }
        if fields.settled != nil { insert(.charge) }
        if fields.origin != nil { insert(.origin) }
        if fields.payment.appAccountToken != nil { insert(.token) }
        if let user = record.user { insert(user == fields.origin?.uid ? .isOriginUser : .user) }
        if record.finished != nil { insert(.finish) }
    }
}

extension PackedBytes.ChargeFlags {
    fileprivate init(_ charge: Charge, of payment: Payment) {
        self = []
        if charge.price == payment.product.product.price { insert(.productPrice) }
        if charge.effectiveAt != nil { insert(.effectiveAt) }
        if charge.revocation != nil { insert(.revocation) }
        if charge.offer != nil { insert(.offer) }
    }
}

/// The cases of enums; the index of a case is its code in packed records. The arrays are stored,
/// because `allCases` would build a new one for each record.
enum PackedCases {
    static let reasons = Transaction.Reason.allCases
    static let failures = PaymentFailure.Kind.allCases
    static let offers = PurchaseOffer.allCases
    static let removals = RemovalReason.allCases
}
