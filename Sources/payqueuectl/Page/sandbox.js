// What only the sandbox can do: its behaviour, its clock, and its orders.
const switches = {
  askToBuyEnabled: 'Purchases wait for an approval (Ask to Buy)', interruptedPurchasesEnabled: 'Purchases are interrupted',
  failTransactionsEnabled: 'Purchases fail', paymentsAllowed: 'Payments are allowed', storeDown: 'The store does not answer',
  billingGracePeriodIsEnabled: 'Subscriptions have a grace period', shouldEnterBillingRetryOnRenewal: 'Renewals are not paid (billing retry)',
}
const failures = ['declined', 'cancelled', 'presentationFailed', 'unknown', 'invalidOfferIdentifier', 'invalidSignature', 'missingOfferParams', 'invalidOfferPrice']
const callErrors = ['connectionError', 'serviceUnavailable', 'appNotRegistered', 'internalError']
const moreErrors = { products: [], login: ['unknownAccount', 'badCredential'] }
const rates = [[0, 'real time'], [3600, '1 hour'], [300, '5 minutes'], [60, '1 minute'], [30, '30 seconds'], [5, '5 seconds'], [2, '2 seconds']]
const act1 = (...parts) => may('admin') && action(...parts)

async function sandbox(main) {
  const settings = h('div'), shop = h('div'), subscriptions = h('div'), time = h('div'), orders = h('div')
  main.replaceChildren(h('h1', { tabindex: -1 }, 'Sandbox'), h('div.grid', {}, card('Behaviour', settings),
    h('div.stack', {}, card('Buy', shop), card('Subscriptions', subscriptions), card('Clock', time))), card('Orders', orders))
  // A store that is slow or away must not keep the settings from being shown: they end that.
  call('products', { limit: 100 }).then(({ products }) => {
    shop.replaceChildren(...buyForm(products))
    const renewable = products.filter(p => p.type === 'autoRenewableSubscription')
    subscriptions.replaceChildren(...(renewable.length ? renewable.map(subscription) : [h('p', {}, 'Nothing in the catalogue renews itself.')]))
  }, error => shop.replaceChildren(h('p.bad', {}, sentence(error.message))))
  const showOrders = orderList(orders)
  let shown = {}
  return async force => {
    const [now, clock] = await Promise.all([call('test.get'), call('test.clock.get')])
    // A form that somebody is filling in is left alone.
    if (shown.settings !== JSON.stringify(now) && (force || !settings.contains(document.activeElement))) {
      shown.settings = JSON.stringify(now)
      settings.replaceChildren(settingsForm(now))
    }
    if (!time.contains(document.activeElement)) time.replaceChildren(clockForm(clock))
    if (shown.head !== known.status.log.head) {
      shown.head = known.status.log.head
      await showOrders()
    }
  }
}

function settingsForm(now) {
  const set = (params, done) => call('test.set', params).then(() => { toast(done); return refresh(true) }, error => { toast('Not done: ' + error.message); return refresh(true) })
  const pick = (label, options, chosen, change) => h('label', {}, label,
    h('select', { disabled: !may('admin'), onchange: event => change(event.target.value) }, options.map(([value, text]) => option(String(value), text, String(chosen)))))
  const field = (label, value, type, change, attributes) => h('label', {}, label,
    h('input', { type, value, disabled: !may('admin'), ...attributes, onchange: event => event.target.reportValidity() && change(event.target.value) }))
  const rate = typeof now.timeRate === 'object' ? now.timeRate.monthSeconds : now.timeRate
  const listed = rates.some(([value]) => value === rate && (rate === 0 || typeof now.timeRate === 'object')) ? rates : [...rates, ['now', `rate ${rate}`]]
  const none = [['', 'none']]
  return h('div', {}, Object.entries(switches).map(([name, label]) => h('label.check', {},
    h('input', { type: 'checkbox', checked: now[name], disabled: !may('admin'), onchange: event => set({ [name]: event.target.checked }, 'Set.') }), label)),
  h('div.fields', {},
    pick('Failing purchases fail with', failures.map(f => [f, words(f)]), now.failureError, value => set({ failureError: value }, 'Set.')),
    pick('A month of a subscription lasts', listed, listed === rates ? rate : 'now', value => value !== 'now' && set({ timeRate: value === '0' ? 0 : { monthSeconds: Number(value) } }, 'Set.')),
    field('Each answer takes (ms)', now.latencyMs, 'number', value => set({ latencyMs: Number(value) }, 'Set.'), { min: 0, max: 600000, step: 1 }),
    field('Country of every account', now.storefront ?? '', 'text', value => set({ storefront: value.toUpperCase() }, 'Set.'), { placeholder: 'as in the catalogue', pattern: '[A-Za-z]{2,3}', maxlength: 3, required: true }),
    Object.keys(now.simulatedErrors).map(name => pick(`Error of ${name}`, [...none,
      ...[...callErrors, ...moreErrors[name] ?? ['sessionRevoked']].map(e => [e, words(e)])], now.simulatedErrors[name] ?? '',
    value => set({ simulatedErrors: { [name]: value || null } }, 'Set.')))),
  h('div.actions', {}, act1('Reset all settings', {}, 'Every setting is back.', 'test.reset', {}, 'Put every setting of the sandbox back to what it was at first?')))
}

function buyForm(products) {
  const product = h('select', {}, products.map(p => option(p.productIdentifier, `${p.localizedTitle || p.productIdentifier}, ${price(p.price)}`)))
  const holder = h('input', { maxlength: 256, autocomplete: 'off' })
  const params = () => ({ product: product.value, ...(holder.value && { appAccountToken: holder.value }) })
  const buy = (label, done, method, extra, style) => h('button', { type: 'button', class: style,
    onclick: event => act(event.currentTarget, done, method, { ...params(), ...extra() }) }, label)
  if (readOnly) return [h('p', {}, `${products.length} products.`)]
  return [h('div.fields', {}, h('label', {}, 'Product', product), h('label', {}, 'Account token (optional)', holder)), h('div.actions', {},
    may('buy') && buy('Buy in the queue', 'Accepted by the queue.', 'add', () => ({ key: `page-${crypto.randomUUID()}` }), 'main'),
    may('admin') && buy('Buy elsewhere', 'Bought outside of the queue; it arrives by itself.', 'test.buy', () => ({})),
    may('buy') && h('button', { type: 'button', onclick: event => act(event.currentTarget, 'Restoring.', 'restore', {}) }, 'Restore'))]
}

function subscription({ productIdentifier: product, localizedTitle }) {
  const name = localizedTitle || product
  const button = (label, done, method, params, question, style) => act1(label, { class: style, 'aria-label': `${label}: ${name}` }, done, method, { product, ...params }, question)
  return h('div', {}, h('b', {}, name), h('div.actions', {},
    button('Renew', 'Renewed.', 'test.renew'),
    button('Auto-renew on', 'It renews itself.', 'test.autoRenew', { enabled: true }),
    button('Auto-renew off', 'It ends with its period.', 'test.autoRenew', { enabled: false }),
    button('Price increase, consent', 'Raised, with consent.', 'test.priceIncrease', { answer: 'consent' }),
    button('Price increase, decline', 'Raised, and declined.', 'test.priceIncrease', { answer: 'decline' }),
    button('Price increase, pending', 'Raised, and not answered yet.', 'test.priceIncrease', { answer: 'pending' }),
    button('Expire', 'Ended.', 'test.expire', {}, `End ${name} now? What it grants ends at once.`, 'danger')))
}

function clockForm({ now, nextEventAt }) {
  const advance = (label, seconds) => act1(label, { 'aria-label': `Advance the clock by ${label}` }, `The clock was advanced by ${label}.`, 'test.clock.advance', { seconds },
    `Advance the sandbox clock by ${label}? It cannot go back; what is due until then happens.`)
  return h('div', {}, facts([['Now', day(now)], ['Next due', nextEventAt && day(nextEventAt)]]), may('admin') && h('div.actions', {},
    advance('1 hour', 3600), advance('1 day', 86400), advance('1 week', 604800), advance('1 month', 2678400)))
}

function orderButtons({ order, state, product }) {
  const button = (label, done, method, question, style) => act1(label, { class: style, 'aria-label': `${label} ${product} ${short(order)}` }, done, method, { order }, question)
  return [state === 'failed' && button('Resolve', 'Resolved: it becomes a purchase.', 'test.resolve'),
    ['purchased', 'restored'].includes(state) && button('Refund', 'Refunded.', 'test.refund', `Refund this order of ${product}? The store takes the purchase back, and what it unlocked ends.`, 'danger'),
    button('Delete', 'Deleted.', 'test.deleteOrder', `Delete this order of ${product}? The sandbox forgets it, and an unfinished transaction of it leaves the queue.`, 'danger')].filter(Boolean)
}

function orderList(place) {
  const body = h('tbody'), pages = []
  const earlier = h('button', { type: 'button', hidden: true, onclick: () => { pages.pop(); return show() } }, 'Back')
  const more = h('button', { type: 'button', hidden: true }, 'More')
  const clear = act1('Delete all orders', { class: 'danger' }, 'All orders are deleted.', 'test.clear', {}, 'Delete every order of the sandbox? Unfinished transactions of them leave the queue, and everything that was bought is gone.')
  const note = h('p.soft')
  place.replaceChildren(h('table.rows', {}, h('thead', {}, h('tr', {}, ['Product', 'State', 'Charged', 'Account', 'Order', readOnly ? '' : 'Action'].map(name => name ? h('th', {}, name) : h('td')))), body),
    note, h('div.actions', {}, earlier, more, clear || ''))
  const row = o => h('tr', {}, h('td', {}, o.transaction ? h('a.row', { href: '#/t/' + o.transaction }, o.product) : o.product),
    h('td', {}, h('span.pill.' + ({ purchased: 'good', deferred: 'busy' }[o.state] ?? 'bad'), {}, o.state), ' ',
      h('small', {}, [o.failureReason && words(o.failureReason), o.expiresAt && `until ${day(o.expiresAt)}`, o.renewal && 'renewal'].filter(Boolean).join(', '))),
    h('td.price', {}, price(o.charged ?? o.price)), h('td', {}, o.account), h('td', {}, h('code', {}, short(o.order))),
    h('td', {}, may('admin') && h('div.actions', {}, orderButtons(o))))
  async function show() {
    const page = pages.at(-1)
    const { orders, next } = await call('test.orders', { limit: 25, page })
    replace(body, orders.map(row))
    note.textContent = orders.length ? 'Oldest first.' : 'No orders.'
    earlier.hidden = !pages.length
    more.hidden = !next
    more.onclick = () => { pages.push(next); return show() }
    if (clear) clear.hidden = !orders.length
  }
  return show
}
