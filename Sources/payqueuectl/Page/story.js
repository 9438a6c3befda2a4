// One transaction: what it is, what can be done with it, and its records in the order of time.
async function story(main, query, id) {
  const head = h('div'), line = h('ol.timeline'), note = h('p.soft')
  main.replaceChildren(h('h1', { tabindex: -1 }, 'Transaction ', h('code', {}, short(id))), head, card('Timeline', line, note))
  let shown, drawn, records, left
  return async () => {
    const { log: { head: place } } = known.status
    const [{ transactions: [t] }, { observers }] = await Promise.all([call('transactions', { ids: [id], states: ['purchasing', 'purchased', 'restored', 'failed', 'finished'] }), call('observers')])
    if (!t) return head.replaceChildren(h('p.alert', {}, `There is no transaction ${id} for the account in session.`))
    const key = JSON.stringify(t)
    if (key !== shown) {
      shown = key
      const order = known.sandbox && may('admin') && t.transactionIdentifier
      head.replaceChildren(storyFacts(t, order))
      const found = await recordsOf(t)
      if (key !== shown) return
      records = found.records
      left = found.left
    }
    const delivered = delivery(t, records, observers, place), next = key + JSON.stringify(delivered)
    if (next === drawn) return
    drawn = next
    replace(line, timeline(t, records, delivered))
    note.textContent = left ? 'Some records between these are far apart in the log and not shown: payqueuectl journal dump' : ''
  }
}

// The observers that the newest record of a settled transaction was sent to: the daemon sends in the order
// of the log and knows how far each has come, not when. `place` is the head of the log before they were listed.
function delivery(t, records, observers, place) {
  const last = records.at(-1)?.seq
  if (!last || t.finishedAt || t.completing || t.transactionState === 'purchasing') return null
  const names = list => list.slice(0, 5).map(o => o.name ?? o.client ?? `user ${o.uid}`).join(', ') + (list.length > 5 ? ` and ${list.length - 5} more` : '')
  const sees = o => (!o.products || o.products.includes(productOf(t))) && (!o.kinds || o.kinds.includes('transactionsUpdated'))
  const sent = observers.filter(o => o.connected && !o.passive && sees(o) && place - o.lag >= last)
  const acked = observers.filter(o => o.acked >= last && sees(o))
  return { style: sent.length ? 'good' : 'busy', title: sent.length ? 'Delivered' : 'Not delivered now',
    text: [sent.length ? `Sent to ${names(sent)}.` : 'It was sent to none of the observers that are connected.', acked.length && `Acknowledged by ${names(acked)}.`].filter(Boolean).join(' ') }
}

function storyFacts(t, order) {
  const product = t.payment?.product ?? {}
  const [name, advice] = waits[t.waitingFor] ?? []
  const sandbox = (label, done, method, params, question, style) => action(label, { class: style }, done, method, params, question)
  const deferred = known.sandbox && may('admin') && t.waitingFor === 'approval'
  return h('div.grid', {}, card(product.localizedTitle || productOf(t), h('p', {}, pill(t), ' ', price(t.charged ?? product.price),
    t.charged ? ' charged' : t.transactionState === 'purchasing' ? ' will be charged' : ''),
    name && h('p.busy', {}, `Waits for ${name}. ${advice}`),
    t.transactionState === 'failed' && h('p.bad', {}, `Failed: ${why(t) || 'no reason given'}. Nothing was charged.`),
    t.revocation && h('p.bad', {}, `Refunded at ${day(t.revocation.at)}: the goods must not be unlocked.`),
    t.completing && h('p.busy', {}, 'Finished. The daemon tells the store by itself.'),
    h('div.actions', {}, finishButton(t),
      deferred && sandbox('Approve', 'Approved.', 'decide', { transaction: t.id, outcome: 'approve' }, '', 'main'),
      deferred && sandbox('Decline', 'Declined.', 'decide', { transaction: t.id, outcome: 'decline' }, 'Decline this purchase? It fails and cannot be approved any more.', 'danger'),
      order && orderButtons({ order, state: t.revocation ? 'refunded' : t.transactionState, product: productOf(t) }))),
  card('Details', facts([
    ['Id', h('code', {}, t.id)], ['Product', h('code', {}, productOf(t))], ['Kind', product.type && words(product.type)],
    ['Price shown', price(product.price)], ['Charged', price(t.charged) + (t.offer ? `, ${words(t.offer)}` : '')],
    ['Account token', t.payment?.appAccountToken && h('code', {}, t.payment.appAccountToken)],
    ['Order', t.transactionIdentifier && h('code', {}, t.transactionIdentifier)],
    ['First order', t.originalTransactionIdentifier !== t.transactionIdentifier && t.originalTransactionIdentifier],
    ['Country', t.storefront?.countryCode], ['Reason', t.reason && words(t.reason)], ['Takes effect', t.effectiveAt && day(t.effectiveAt)],
    ['Accepted', day(t.createdAt)], ['Last record', day(t.updatedAt)], ['Finished', t.finishedAt && day(t.finishedAt)], ['By', who(t.by)]])))
}

// The records of a transaction. The log is not ordered by transaction, but it is by time: the places
// of the first and the last record are found by halving it, and what is between them is read.
async function recordsOf(t) {
  const { log } = known.status
  const last = Date.parse(t.finishedAt ?? t.updatedAt), found = new Map()
  const take = events => events.forEach(e => (e.transactions ?? []).some(x => (x.id ?? x) === t.id) && found.set(e.seq, e))
  const read = (after, limit) => call('events', { after, limit })
  const placeOf = async time => {
    let low = log.oldest - 1, high = log.head
    while (high - low > 200) {
      const middle = Math.floor((low + high) / 2)
      const { events: [event] } = await read(middle, 1)
      if (event && Date.parse(event.time) < time) low = middle
      else high = middle
    }
    return low
  }
  const scan = async (after, pages) => {
    for (let page = 0; page < pages; page++) {
      const answer = await read(after, 500)
      take(answer.events)
      after = answer.next
      if (!answer.events.length || Date.parse(answer.events.at(-1).time) > last) return null
    }
    return after
  }
  const rest = await scan(await placeOf(Date.parse(t.createdAt)), 6)
  if (rest !== null) {
    const late = await placeOf(last)
    if (late > rest) await scan(late, 6)
    else await scan(rest, 6)
  }
  const records = [...found.values()].sort((a, b) => a.seq - b.seq)
  return { records, left: rest !== null && records.length < t.revision }
}

function timeline(t, records, delivered) {
  const steps = []
  let before
  for (const record of records) {
    const now = record.transactions.find(x => (x.id ?? x) === t.id)
    const add = (style, title, text) => steps.push({ record, style, title, text })
    if (record.kind === 'transactionsRemoved') {
      add('good', record.reason === 'finished' ? (before?.completing ? 'Reported to the store: it left the queue' : 'Finished: it left the queue') : `Left the queue: ${words(record.reason ?? '')}`, who(record.by ?? t.by) && `by ${who(record.by ?? t.by)}`)
    } else if (now) {
      const by = now.by && `by ${who(now.by)}`
      if (now.revocation && !before?.revocation) add('bad', 'Refunded at the store', 'The goods must not be unlocked.')
      else if (now.completing && !before?.completing) add('good', 'Delivered and finished', [by, 'the store is not told yet'].filter(Boolean).join('; '))
      else if (now.transactionState !== before?.transactionState && now.transactionState !== 'purchasing') {
        if (now.transactionState === 'failed') add('bad', 'Failed', why(now))
        else add('good', now.transactionState === 'restored' ? 'Restored' : 'Purchased', [now.charged && `${price(now.charged)} charged`, now.offer && words(now.offer)].filter(Boolean).join(', '))
      } else if (!before) add('busy', 'Accepted', [why(now), by].filter(Boolean).join('; '))
      else if (now.waitingFor === 'store' && before.waitingFor !== 'store') add('busy', 'Submitted to the store', by)
      else if (now.waitingFor !== before.waitingFor) add('busy', why(now) ? why(now)[0].toUpperCase() + why(now).slice(1) : 'Continues', by)
      else add('soft', 'Changed', by)
      before = now
    }
  }
  if (steps[0]?.record.transactions.find(x => x.id === t.id)?.revision > 1 || !steps.length) {
    steps.unshift({ style: 'soft', title: 'Accepted', text: 'The record is no longer in the event log.', time: t.createdAt })
  }
  if (delivered) steps.push(delivered)
  if (t.waitingFor) steps.push({ style: 'busy', title: `Now: ${why(t)}`, text: (waits[t.waitingFor] ?? [])[1] })
  let last
  return steps.map(({ record, style, title, text, time = record?.time }) => {
    const since = time && last ? `, ${span(Date.parse(time) - Date.parse(last))} later` : ''
    last = time ?? last
    return h('li.' + style, {}, h('b', {}, title), time && h('small.soft', {}, `${day(time)}${since}${record ? `, record ${record.seq}` : ''}`), text && h('p', {}, text))
  })
}
