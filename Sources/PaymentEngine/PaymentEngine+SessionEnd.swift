import PaymentCore

extension PaymentEngine {
    /// At the end of a turn: has the login agents asked, once, because of a session that the store
    /// ended; as soon as there is one.
    func askAgentsAboutEndedSession() {
        guard let ended = queue.endedSession, ended.question == nil, loginDesk.question == nil,
            subscriptionHub.hasAgent(.login)
        else { return }
        openLoginQuestion(origin: nil)
    }
}
