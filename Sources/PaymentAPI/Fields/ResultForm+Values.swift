import PaymentCore
import StrictJSON

/// The forms of simple values.
extension ResultForm {
    /// An array.
    static func list<Element>(
        of element: ResultForm<Element>
    ) -> Self where Value == [Element] {
        Self(Schema.list(of: element.schema)) { elements, writer in
            writer.beginArray()
            for value in elements {
                writer.element()
                element.write(value, &writer)
            }
            writer.endArray()
        }
    }

    /// A value, or null.
    static func nullable<Wrapped>(
        _ form: ResultForm<Wrapped>
    ) -> Self where Value == Wrapped? {
        Self(Schema.nullable(form.schema)) { value, writer in
            if let value { form.write(value, &writer) } else { writer.null() }
        }
    }
}

extension ResultForm<String> {
    /// A string.
    static var text: Self { Self(Schema.text) { $1.string($0) } }
}

extension ResultForm<OpaqueText> {
    /// A string from a client or the store, unmodified.
    static var opaque: Self { Self(Schema.text) { $1.string($0.string) } }
}

extension ResultForm<Bool> {
    /// A boolean.
    static var flag: Self { Self(Schema.flag) { $1.bool($0) } }
}

extension ResultForm where Value: FixedWidthInteger {
    /// A non-negative integer.
    static var count: Self { Self(Schema.count) { $1.integer($0) } }
}

extension ResultForm<SequenceNumber> {
    /// A sequence number of the event log.
    static var sequence: Self { Self(Schema.sequence) { $1.integer($0) } }
}

extension ResultForm<Timestamp> {
    /// A time in RFC 3339: UTC, with milliseconds.
    static var time: Self { Self(Schema.time) { $1.time($0) } }
}

extension ResultForm where Value: TypedIdentifier {
    /// An identifier.
    static var identifier: Self { Self(Schema.identifier) { $1.identifier($0) } }
}

extension ResultForm<SubscriptionID> {
    /// An identifier of a subscription.
    static var subscription: Self { Self(Schema.identifier) { $1.string($0.description) } }
}

extension ResultForm where Value: WireWord {
    /// A word of an enumeration. Clients must accept words that later releases add.
    static var word: Self {
        Self(Schema.words(Value.allCases.map(\.rawValue))) { $1.string($0.rawValue) }
    }
}

extension ResultForm<CountryCode> {
    /// The ISO 3166-1 alpha-2 code of a country.
    static var country: Self {
        Self(["type": "string", "pattern": "^[A-Z]{2}$"]) { $1.string($0.description) }
    }
}
