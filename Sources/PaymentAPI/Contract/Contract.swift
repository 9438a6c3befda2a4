public import PaymentCore
public import StrictJSON

/// The methods of this release. Decoding, `help` and `rpc.discover` share this list.
public enum Contract {
    /// All methods, in the order of listings.
    public static let methods: [any Method.Type] =
        [
            Hello.self, Ping.self, HelpMethod.self, Status.self, MetricsMethod.self,
            DiscoverMethod.self, Check.self, Products.self, Entitlements.self,
            SignedHistoryMethod.self, Keys.self, Login.self, Logout.self, StorefrontMethod.self,
            AddPayment.self, RestorePurchases.self, FinishTransaction.self,
            Transactions.self, WaitForTransaction.self, Subscribe.self, Unsubscribe.self,
            Events.self,
            Ack.self, Observers.self, Delegate.self, Questions.self, AnswerQuestion.self,
            Cancel.self,
            Decide.self, Drain.self, Reload.self, Backup.self, ClusterMethod.self, HandOver.self,
        ] + sandboxMethods

    /// The methods that run one control of the sandbox.
    public static let controls: [any ControlMethod.Type] = [
        TestBuy.self, TestRefund.self, TestResolve.self, TestRenew.self, TestExpire.self,
        TestAutoRenew.self, TestPriceIncrease.self, TestDeleteOrder.self, TestClear.self,
        TestReset.self,
    ]

    private static let sandboxMethods: [any Method.Type] =
        [TestGet.self, TestSet.self, TestOrders.self] + controls
        + [TestClockGet.self, TestClockAdvance.self]

    /// The names of all methods, in the order of ``methods``.
    public static let names: [String] = methods.map { $0.spec.name.description }

    /// The errors that any call can return, in addition to those of its method.
    public static let commonErrors: [ErrorCode] = [
        .invalidRequest, .invalidParams, .internalError, .lineTooLong, .timeout, .resultTooLarge,
        .tooManyConnections, .forbidden,
    ]

    private static let tokens: [StaticString] = methods.map { $0.spec.name }

    /// The index in ``methods`` of the method that a token names. It allocates nothing.
    ///
    /// - Parameters:
    ///   - token: The index of a string on the tape.
    ///   - tape: The scanned line.
    ///   - bytes: The bytes of the line.
    /// - Returns: The index; nil if there is no such method.
    public static func place(
        ofMethod token: Int, tape: JSONTape, in bytes: Span<UInt8>
    ) -> Int? {
        for place in tokens.indices where tape.matches(token, tokens[place], in: bytes) {
            return place
        }
        return nil
    }

    /// The index of a method in ``methods``; nil if it is not listed.
    public static func place(of method: any Method.Type) -> Int? {
        methods.firstIndex { $0 == method }
    }

    /// The method with a name; nil if there is none.
    public static func method(named name: String) -> (any Method.Type)? {
        names.firstIndex { $0.utf8.elementsEqual(name.utf8) }.map { methods[$0] }
    }

    /// The contract entry of the method with a name; nil if there is none.
    public static func spec(named name: String) -> MethodSpec? {
        method(named: name)?.spec
    }

    /// Checks the parameters of a method by decoding and discarding them.
    ///
    /// - Throws: The violation for which the method would refuse the parameters.
    public static func check(
        _ method: any Method.Type, tape: JSONTape, params: Int?, in bytes: Span<UInt8>,
        limits: Limits = Limits()
    ) throws(InvalidParameters) {
        try check(opened: method, tape: tape, params: params, in: bytes, limits: limits)
    }

    private static func check<Opened: Method>(
        opened: Opened.Type, tape: JSONTape, params: Int?, in bytes: Span<UInt8>, limits: Limits
    ) throws(InvalidParameters) {
        _ = try opened.call(tape, params: params, in: bytes, limits: limits)
    }
}
