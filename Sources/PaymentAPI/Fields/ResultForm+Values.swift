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
    /// A string, as a client or the store sent it.
    static var opaque: Self { Self(Schema.text) { $1.string($0.string) } }
}

extension ResultForm<Bool> {
    /// `true` or `false`.
    static var flag: Self { Self(Schema.flag) { $1.bool($0) } }
}

extension ResultForm where Value: FixedWidthInteger {
    /// A number of things.
    static var count: Self { Self(Schema.count) { $1.integer($0) } }
}

extension ResultForm<SequenceNumber> {
    /// A place in the event log.
    static var sequence: Self { Self(Schema.sequence) { $1.integer($0) } }
}

extension ResultForm<Timestamp> {
    /// A moment: RFC 3339, UTC, milliseconds.
    static var time: Self { Self(Schema.time) { $1.time($0) } }
}

extension ResultForm where Value: TypedIdentifier {
    /// An identifier.
    static var identifier: Self { Self(Schema.identifier) { $1.identifier($0) } }
}

extension ResultForm<SubscriptionID> {
    /// A subscription.
    static var subscription: Self { Self(Schema.identifier) { $1.string($0.description) } }
}

extension ResultForm where Value: WireWord {
    /// One of the words of a type. Clients must tolerate words that a later release adds.
    static var word: Self {
        Self(Schema.words(Value.allCases.map(\.rawValue))) { $1.string($0.rawValue) }
    }
}

extension ResultForm<CountryCode> {
    /// The alpha-2 code of a country.
    static var country: Self {
        Self(["type": "string", "pattern": "^[A-Z]{2}$"]) { $1.string($0.description) }
    }
}
