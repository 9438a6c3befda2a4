// The first view: what waits and why, then everything else that `status` and its like say.
const samples = []
let feed = []

async function overview(main) {
  const parts = {}
  for (const name of ['waiting', 'counts', 'questions', 'observers', 'disk', 'rates', 'events']) parts[name] = h('div', { id: name })
  main.replaceChildren(
    h('h1', { tabindex: -1 }, 'Queue'),
    card('What waits, and why', parts.waiting, parts.counts),
    parts.questions,
    h('div.grid', {}, card('Live events', parts.events), h('div.stack', {}, card('Observers', parts.observers),
      card('Rates and latencies', parts.rates), card('Journal and disk', parts.disk))))
  const shown = {}
  // Nothing is drawn again that did not change: focus and selections stay.
  const put = (name, key, make) => {
    if (shown[name] === key) return
    shown[name] = key
    replace(parts[name], make())
  }
  return async () => {
    const status = known.status
    const [oldest, observers, questions] = await Promise.all([
      call('transactions', { limit: 1 }), call('observers'), call('questions')])
    const first = oldest.transactions[0]
    put('waiting', JSON.stringify([status.queue, status.store, status.state, status.sessionEnded, first?.id,
      first && age(first.createdAt), status.canMakePayments, status.restores]), () => waitingList(status, first))
    put('counts', JSON.stringify(status.queue), () => tiles(status.queue))
    put('questions', JSON.stringify(questions), () => questions.questions.length ? questionCard(questions.questions) : [])
    put('observers', JSON.stringify(observers), () => observerTable(observers.observers))
    put('disk', JSON.stringify([status.log, status.persistence, status.storage]), () => diskFacts(status))
    put('rates', samples.length, () => plots())
    put('events', feed[0]?.seq ?? 0, () => feedList())
  }
}

function waitingList(status, first) {
  const rows = []
  const add = (count, text, advice, query) => rows.push(h('li', {}, h('b', {}, count === null ? '!' : number.format(count)),
    h('div', {}, h('div', {}, query ? h('a', { href: '#/list?' + query }, text) : text), advice && h('small', {}, advice))))
  const queue = status.queue
  if (status.state !== 'running') add(null, status.state === 'draining' ? 'The daemon refuses new purchases.' : `The daemon is ${status.state}.`,
    status.state === 'draining' ? 'It is draining: payqueuectl drain off resumes.' : status.persistence.lastError)
  if (status.sessionEnded) add(null, `The store ended the session of ${status.sessionEnded.account}.`, 'Log in again: payqueuectl login ' + status.sessionEnded.account)
  if (status.store.state === 'unavailable') add(null, `The store has not answered for ${age(status.store.since)}.`,
    [status.store.lastError, status.store.nextTryAt && `next try at ${clock(status.store.nextTryAt)}`].filter(Boolean).join('; '))
  for (const [name, count] of Object.entries(queue.waitingFor)) {
    if (count) add(count, `${count > 1 ? 'purchases wait' : 'purchase waits'} for ${(waits[name] ?? [words(name)])[0]}`, (waits[name] ?? [])[1], `waiting=${name}`)
  }
  const settled = queue.byState.purchased - queue.completing + queue.byState.restored + queue.byState.failed
  if (settled > 0) add(settled, 'settled and not finished', 'A worker has to deliver the goods and finish them.', 'state=settled')
  if (queue.completing) add(queue.completing, 'finished, and the store does not know yet', 'The daemon tells the store by itself.', 'state=purchased')
  for (const restore of status.restores ?? []) add(1, 'restore is running', restore.waitingFor ? `It waits for ${(waits[restore.waitingFor] ?? [restore.waitingFor])[0]}.` : '')
  if (status.canMakePayments && !status.canMakePayments.value) add(null, 'New purchases are not possible now.', status.canMakePayments.reason && words(status.canMakePayments.reason))
  if (!rows.length) return h('p.good', {}, 'Nothing waits: every transaction is finished.')
  const oldest = first && h('p', {}, 'Oldest unfinished: ', h('a', { href: '#/t/' + first.id }, productOf(first)),
    `, ${age(first.createdAt)} old, ${why(first) || stateText(first)}.`)
  return [h('ul.plain.waits', {}, rows), oldest].filter(Boolean)
}

function tiles(queue) {
  const all = { unfinished: queue.unfinished, ...queue.byState }
  return h('div.tiles', { role: 'group', 'aria-label': 'Transactions by state' }, Object.entries(all).map(([name, count]) =>
    h('a', { href: '#/list' + (name === 'unfinished' ? '' : '?state=' + name) }, h('b', {}, number.format(count)), name)))
}

const asked = {
  login: ['A login is needed.', null, 'Dismiss'],
  afterLogin: ['Continue the purchase after this login?', 'Continue', 'Stop'],
  shouldContinue: ['Continue the purchase?', 'Continue', 'Stop'],
  payment: ['Pay for this?', 'Pay', 'Refuse'],
}
function questionCard(list) {
  return card(`Open questions (${list.length})`, h('ul.plain.feed', {}, list.slice(0, 20).map(question => {
    const [text, yes, no] = asked[question.type] ?? [words(question.type), 'Yes', 'No']
    const about = [question.product?.productIdentifier, price(question.price), question.storefront && 'in ' + question.storefront.countryCode,
      question.cause === 'price' && 'the price changed', question.cause === 'storefront' && 'the country changed'].filter(Boolean).join(', ')
    const silence = question.deadline && `Without an answer by ${clock(question.deadline)}: ${question.fallback ? yes ?? 'yes' : no}.`
    const reply = (label, value, style) => label && action(label, { class: style, 'aria-label': `${label}: ${about || text}` }, 'Answered.', 'answer', { question: question.question, value })
    return h('li', {}, h('div', {}, h('div', {}, text), h('small', {}, [about, silence].filter(Boolean).join('. ')),
      question.transaction && h('div', {}, h('a', { href: '#/t/' + question.transaction }, short(question.transaction)))),
      may('gate') && h('div.actions', {}, reply(yes, true, 'main'), reply(no, false, '')))
  })))
}

function observerTable(list) {
  if (!list.length) return h('p', {}, 'No observers. Purchases wait until a client subscribes.')
  return [h('table', {}, h('thead', {}, h('tr', {}, h('th', {}, 'Observer'), h('th', {}, 'Sees'), h('th.number', {}, 'Records behind'))),
    h('tbody', {}, list.slice(0, 30).map(o => h('tr', {}, h('td', {}, o.name ?? o.client ?? o.subscription ?? '?', ' ',
      h('small', {}, [o.uid !== undefined && `user ${o.uid}`, !o.connected && 'away', o.passive && 'only watches'].filter(Boolean).join(', '))),
    h('td', {}, [...(o.products ?? []), ...(o.kinds ?? []).map(words), ...(o.agent ?? []).map(a => 'asked for ' + a)].join(', ') || 'everything'),
    h(o.lag > 1000 ? 'td.number.bad' : 'td.number', {}, number.format(o.lag)))))),
    list.length > 30 && h('p.soft', {}, `${list.length - 30} more: payqueuectl observers`)].filter(Boolean)
}

function diskFacts({ log, persistence, storage, since, store }) {
  const extra = Object.entries(storage ?? {}).filter(([, value]) => typeof value !== 'object')
    .map(([name, value]) => [words(name), /bytes|room/i.test(name) ? bytes(value) : String(value)])
  return facts([
    ['Records', `${number.format(log.oldest)} to ${number.format(log.head)}, ${bytes(log.bytes)}`],
    ['Last write', persistence.lastCommit && day(persistence.lastCommit)],
    ['Kept', persistence.volatile ? h('span.busy', {}, 'in memory: lost when the machine stops') : 'on disk'],
    ['Last error', persistence.lastError && h('span.bad', {}, persistence.lastError)],
    ['Store', `${store.name}, ${store.state} for ${age(store.since)}`], ['Running for', age(since)], ...extra])
}

// Every two seconds a sample of the counters; what stands between two of them is drawn.
function sample(status, text) {
  const read = pattern => [...text.matchAll(pattern)].map(found => [found[1], Number(found[2])])
  const histogram = name => read(new RegExp(`^payqueued_${name}_duration_seconds_bucket\\{le="([^"]+)"\\} (\\d+)`, 'gm'))
  const calls = Object.fromEntries(read(/^payqueued_requests_total\{method="(add|finish)"\} (\d+)/gm))
  samples.push({ at: Date.now(), since: status.since, records: status.log.head, add: calls.add ?? 0, finish: calls.finish ?? 0,
    sync: histogram('sync'), store: histogram('store_call') })
  if (samples.length > 121) samples.shift()
}
// The bucket below which 95 of 100 calls between two samples ended, in milliseconds; nothing if there were none.
function slowest(before, after) {
  const counts = after.map(([le, count], index) => [Number(le.replace('+Inf', 'Infinity')), count - (before[index]?.[1] ?? 0)])
  const all = counts.at(-1)?.[1] ?? 0
  const found = all > 0 && counts.find(([, count]) => count >= all * 0.95)
  return found ? (isFinite(found[0]) ? found[0] : counts.at(-2)[0]) * 1000 : null
}
function plots() {
  const steps = samples.slice(1).map((now, index) => {
    const then = samples[index], seconds = (now.at - then.at) / 1000
    if (now.since !== then.since || now.records < then.records) return { records: null, add: null, sync: null, store: null }
    return { records: (now.records - then.records) / seconds, add: (now.add - then.add) / seconds,
      sync: slowest(then.sync, now.sync), store: slowest(then.store, now.store) }
  })
  if (!steps.length) return h('p.soft', {}, 'Measuring …')
  return [plot(steps, 'records', 'records a second', 'add', 'purchases a second', '', ' a second'),
    plot(steps, 'sync', 'sync to disk, 95 of 100 within', 'store', 'call to the store', ' ms')]
}
function plot(steps, first, firstName, second, secondName, unit, scale = unit) {
  const all = steps.flatMap(step => [step[first], step[second]]).filter(value => value !== null)
  const most = Math.max(1, ...all)
  const last = name => steps.map(step => step[name]).filter(value => value !== null).at(-1)
  const say = (name, text) => `${text}: ${last(name) === undefined ? 'none yet' : few.format(last(name)) + unit}`
  const line = name => {
    let pen = 'M'
    return steps.map((step, index) => {
      if (step[name] === null) return (pen = 'M', '')
      const point = `${pen}${((index + 1) * 300 / steps.length).toFixed(1)} ${(98 - step[name] * 92 / most).toFixed(1)}`
      pen = 'L'
      return point + (index === 0 || steps[index - 1][name] === null ? 'h2' : '')
    }).join('')
  }
  const svg = (name, attributes) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name)
    for (const key in attributes) element.setAttribute(key, attributes[key])
    return element
  }
  const picture = svg('svg', { viewBox: '0 0 300 100', preserveAspectRatio: 'none', role: 'img',
    'aria-label': `${say(first, firstName)}; ${say(second, secondName)}; at most ${few.format(most)}${scale}` })
  picture.append(svg('line', { x1: 0, y1: 99, x2: 300, y2: 99 }), svg('line', { x1: 0, y1: 6, x2: 300, y2: 6 }),
    svg('path', { d: line(second), class: 'second' }), svg('path', { d: line(first) }))
  return h('figure', {}, h('small', {}, few.format(most) + scale), picture,
    h('figcaption', {}, h('span.first-line', {}, say(first, firstName)), h('span.second-line', {}, say(second, secondName))))
}

function eventText(event) {
  const t = event.transactions?.[0]
  const more = event.transactions?.length > 1 ? ` and ${event.transactions.length - 1} more` : ''
  switch (event.kind) {
    case 'transactionsUpdated': return [t, `${stateText(t)}${why(t) ? ', ' + why(t) : ''}${more}`]
    case 'transactionsRemoved': return [typeof t === 'object' ? t : { id: t }, `left the queue: ${words(event.reason ?? '')}${more}`]
    case 'restoreCompleted': return [null, `restore completed, ${event.count} found`]
    case 'restoreFailed': return [null, 'restore failed']
    case 'storefrontChanged': return [null, event.account ? `${event.account} is in ${event.to?.countryCode ?? 'no country'}` : 'logged out']
    case 'questionOpened': return [null, `question: ${words(event.type)}`]
    case 'questionClosed': return [null, 'question closed']
    case 'entitlementsRevoked': return [null, event.products?.length ? `taken back: ${event.products.join(', ')}`
      : `orders taken back: ${event.orders?.length ?? 0}`]
    default: return [null, words(event.kind)]
  }
}
function feedList() {
  if (!feed.length) return h('p.soft', {}, 'None since this page was opened.')
  return h('ol.plain.feed', {}, feed.map(event => {
    if (event.skipped) return h('li.soft', {}, `… about ${number.format(event.skipped)} records more …`)
    const [t, text] = eventText(event)
    return h('li', {}, h('time', {}, clock(event.time)), h('small', {}, String(event.seq)),
      t?.id && h('a', { href: '#/t/' + t.id }, t.payment ? productOf(t) : short(t.id)), text)
  }))
}
