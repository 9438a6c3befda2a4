import PaymentCore
public import StrictJSON

/// The JSON Schema (draft 2020-12) of payqueued's own catalogue, for editors and for the reference
/// pages.
///
/// It describes the files that ``CatalogueFile`` accepts. Three rules are checked by the program
/// only: a product is listed once, a country exists, and an amount fits its currency. Unknown
/// members are allowed, because the program ignores them.
public enum CatalogueSchema {
    /// The schema.
    public static var value: JSONValue {
        [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": "urn:payqueued:catalog",
            "title": "payqueued-catalog",
            "description": .string(introduction),
            "type": "object",
            "properties": root,
            "required": ["version", "defaultCountry"],
            "examples": [example],
            "$defs": [
                "account": account, "product": product, "localization": localization,
                "prices": prices, "price": price, "offer": offer, "period": period,
                "span": span,
                "country": country, "amount": amount, "identifier": identifier,
                "duration": duration,
            ],
        ]
    }

    private static let introduction = """
        Catalogue of a sandbox: the products and accounts of the embedded store of payqueued and of \
        payqueue-store.
        The file is one JSON object in UTF-8. A member that is null counts as missing, and members \
        that are not named here are left alone. Both programs also take a .storekit file of Xcode, \
        versions 3 to 5; the content decides which of the two a file is.
        A product is listed once, and so is an account. A file with credentials must be readable by \
        its owner only.
        """

    private static let example: JSONValue = [
        "version": 1, "defaultCountry": "DE",
        "accounts": [["name": "demo", "country": "DE"]],
        "products": [
            [
                "productIdentifier": "coins.100", "type": "consumable",
                "localizedTitle": "100 coins",
                "prices": ["DE": ["amount": "1.99", "currencyCode": "EUR"]],
            ],
            [
                "productIdentifier": "pro.monthly", "type": "autoRenewableSubscription",
                "localizedTitle": "Pro, monthly", "subscriptionGroupIdentifier": "pro",
                "subscriptionPeriod": "P1M",
                "introductoryPrice": ["mode": "freeTrial", "period": "P1W"],
                "prices": ["DE": ["amount": "9.99", "currencyCode": "EUR"]],
            ],
        ],
    ]

    private static let root: JSONValue = [
        "$schema": text("Name of this schema, for editors.", "payqueued-catalog.schema.json"),
        "version": ["description": "Version of the format.", "const": 1, "examples": [1]],
        "defaultCountry": reference(
            "country", "Country whose prices are shown if no account is logged in.", "DE"),
        "locale": text(
            "Language and region whose texts are shown.", "en_US", standard: "en_US"),
        "bundleId": reference(
            "identifier", "Application that is named in signed histories.", "com.example.game",
            standard: .string(StoreCatalogue.exampleBundleID)),
        "accounts": list("account", "Accounts that may log in."),
        "products": list("product", "Products, in the order of lists."),
    ]

    private static let account = object(
        "One account.",
        [
            "name": reference("identifier", "Name to log in with.", "carol"),
            "country": reference("country", "Country of the account.", "GB"),
            "credential": reference(
                "identifier",
                "Credential to log in with; without one, any is accepted. A file with credentials "
                    + "should be readable by its owner only; the daemon warns otherwise.",
                "open-sesame"),
            "paymentsAllowed": [
                "description": "Whether the account may buy.", "type": "boolean",
                "default": true, "examples": [false],
            ],
        ], required: ["name", "country"])

    private static let product = object(
        "One product.",
        [
            "productIdentifier": reference(
                "identifier",
                "Identifier by which clients buy the product; unique in the catalogue.",
                "coins.100"),
            "type": [
                "description": "Type of the product: used up, owned, or renewed.",
                "enum": .array(Product.Kind.allCases.map { .string($0.rawValue) }),
                "examples": ["consumable"],
            ],
            "slug": text("Second name, shown in signed histories.", "coins-100"),
            "localizedTitle": text("Name if no localization fits.", "100 coins"),
            "localizedDescription": text(
                "Description if no localization has one.", "A bag of coins."),
            "localizations": list("localization", "Texts by language."),
            "iconUrl": text("Address of a picture.", "https://example.com/coins.png"),
            "prices": reference(
                "prices", "Prices by country. Without a price the product is not sold there.", nil),
            "subscriptionPeriod": reference(
                "period", "Length of one period; required if the store renews it.", nil),
            "subscriptionGroupIdentifier": reference(
                "identifier", "Group in which subscriptions replace one another.", "pro"),
            "subscriptionLevel": [
                "description": """
                Level in the group, 1 being the highest. A change to a higher level happens at \
                once, to a lower one with the next renewal.
                """,
                "type": "integer", "minimum": 1, "maximum": 9999,
                "x-default": "the place of the product in the file", "examples": [2],
            ],
            "introductoryPrice": reference("offer", "Offer for new subscribers.", nil),
            "discountedPrice": reference("offer", "Promotional offer.", nil),
        ], required: ["productIdentifier", "type"], periods)

    /// The rules for periods and offers: only subscriptions have a period, and auto-renewable ones require it;
    /// only these have an introductory price.
    private static let periods: [JSONMember] = {
        func types(_ kinds: Product.Kind...) -> JSONValue {
            [
                "properties": [
                    "type": ["enum": .array(kinds.map { .string($0.rawValue) })]
                ]
            ]
        }
        let none: JSONValue = ["properties": ["subscriptionPeriod": false]]
        let one: JSONValue = ["required": ["subscriptionPeriod"]]
        let noOffer: JSONValue = ["properties": ["introductoryPrice": false]]
        let rules: JSONValue = [
            "allOf": [
                ["if": types(.consumable, .nonConsumable), "then": none],
                ["if": types(.autoRenewableSubscription), "then": one, "else": noOffer],
            ]
        ]
        return rules.members ?? []
    }()

    private static let localization = object(
        "Texts of a product in one language.",
        [
            "locale": text("Language, or language and region.", "de_DE"),
            "localizedTitle": text("Name.", "100 Münzen"),
            "displayName": text("Alias of localizedTitle, as written by Xcode.", "Münzen"),
            "localizedDescription": text(
                "Description.", "Ein Beutel Münzen.",
                standard: nil, words: "that of the product"),
            "description": text(
                "Alias of localizedDescription, as written by Xcode.", "Münzen für alle."),
        ], required: ["locale"], either("localizedTitle", "displayName"))

    private static let prices: JSONValue = [
        "description": "Prices by country code, each country once.",
        "type": "object",
        "propertyNames": ["$ref": "#/$defs/country"],
        "additionalProperties": ["$ref": "#/$defs/price"],
        "examples": [["DE": ["amount": "1.99", "currencyCode": "EUR"]]],
    ]

    private static let price = object(
        "A price.",
        [
            "amount": reference(
                "amount", "Amount, with at most the digits of its currency.", "1.99"),
            "value": reference("amount", "Alias of amount.", "1.99"),
            "currencyCode": [
                "description": "Currency code (ISO 4217).", "type": "string",
                "pattern": "^[A-Z]{3}$", "examples": ["EUR"],
            ],
        ], required: ["currencyCode"], either("amount", "value"))

    private static let offer = object(
        "A price that applies for a number of periods.",
        [
            "mode": [
                "description": """
                How it is charged: nothing, once for all periods, or once for each period.
                """,
                "enum": .array(CatalogueOffer.Mode.allCases.map { .string($0.rawValue) }),
                "x-default": "freeTrial if the price is 0, else payUpFront",
                "examples": ["payAsYouGo"],
            ],
            "prices": reference("prices", "Prices by country.", nil),
            "price": reference(
                "price", "One price instead of prices, for all countries with its currency.", nil),
            "period": reference("period", "Length of one period.", nil),
            "periods": [
                "description": "Number of periods for which it applies.", "type": "integer",
                "minimum": 1,
                "maximum": 999, "default": 1, "examples": [3],
            ],
        ], required: ["period"],
        [
            JSONMember(
                name: "anyOf",
                value: [
                    ["required": ["prices"]], ["required": ["price"]],
                    [
                        "required": ["mode"],
                        "properties": [
                            "mode": ["const": .string(CatalogueOffer.Mode.freeTrial.rawValue)]
                        ],
                    ],
                ])
        ])

    private static let period: JSONValue = [
        "description": "A span of time: a unit and a number, or a duration such as \"P1M\".",
        "oneOf": [["$ref": "#/$defs/span"], ["$ref": "#/$defs/duration"]],
        "examples": [["unit": "month", "numberOfUnits": 1], "P1M"],
    ]

    private static let span = object(
        "A unit and a number.",
        [
            "unit": [
                "description": "Unit.",
                "enum": .array(SubscriptionPeriod.Unit.allCases.map { .string($0.rawValue) }),
                "examples": ["month"],
            ],
            "numberOfUnits": [
                "description": "Number of units.", "type": "integer", "minimum": 1,
                "maximum": 9999, "examples": [1],
            ],
        ], required: ["unit", "numberOfUnits"])

    private static let duration: JSONValue = [
        "description": "ISO 8601 duration with one unit.", "type": "string",
        "pattern": "^P0*[1-9][0-9]{0,3}[DWMY]$", "examples": ["P1M"],
    ]

    private static let country: JSONValue = [
        "description": "ISO 3166 country code, two or three capital letters.",
        "type": "string", "pattern": "^[A-Z]{2,3}$", "examples": ["DE"],
    ]

    private static let amount: JSONValue = [
        "description": "Amount of money in plain digits, as a string or a number.",
        "type": ["string", "number"], "pattern": #"^(0|[1-9][0-9]*)(\.[0-9]+)?$"#,
        "minimum": 0, "examples": ["1.99", 1],
    ]

    private static let identifier: JSONValue = [
        "description": "A name of at least one character.", "type": "string", "minLength": 1,
        "maxLength": .integer(RecordBounds.identifierBytes),
    ]
}

extension CatalogueSchema {
    private static func text(
        _ description: String, _ example: JSONValue, standard: JSONValue? = nil,
        words: String? = nil
    ) -> JSONValue {
        let bound = JSONValue.integer(RecordBounds.productTextBytes)
        let members: JSONValue = [
            "description": .string(description), "type": "string", "maxLength": bound,
        ]
        return described(members.members ?? [], example, standard, words)
    }

    private static func reference(
        _ name: String, _ description: String, _ example: JSONValue?, standard: JSONValue? = nil
    ) -> JSONValue {
        let members: JSONValue = [
            "description": .string(description), "$ref": .string("#/$defs/\(name)"),
        ]
        return described(members.members ?? [], example, standard, nil)
    }

    private static func described(
        _ members: [JSONMember], _ example: JSONValue?, _ standard: JSONValue?, _ words: String?
    ) -> JSONValue {
        var members = members
        if let standard { members.append(JSONMember(name: "default", value: standard)) }
        if let words { members.append(JSONMember(name: "x-default", value: .string(words))) }
        if let example { members.append(JSONMember(name: "examples", value: [example])) }
        return .object(members)
    }

    private static func list(_ name: String, _ description: String) -> JSONValue {
        [
            "description": .string(description), "type": "array",
            "items": ["$ref": .string("#/$defs/\(name)")], "x-default": "none",
        ]
    }

    private static func object(
        _ description: String, _ properties: JSONValue, required: [JSONValue],
        _ more: [JSONMember] = []
    ) -> JSONValue {
        let members: JSONValue = [
            "description": .string(description), "type": "object", "properties": properties,
            "required": .array(required),
        ]
        return .object((members.members ?? []) + more)
    }

    /// One of two members is required.
    private static func either(_ first: String, _ second: String) -> [JSONMember] {
        [
            JSONMember(
                name: "anyOf",
                value: [
                    ["required": [.string(first)]], ["required": [.string(second)]],
                ])
        ]
    }
}
