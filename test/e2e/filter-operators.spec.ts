/** Types every operator of the query language into the search bar and checks which of four deliveries remain. */
import { listOf, test, expect, type App } from './fixtures.ts'

/** Each delivery by a letter, with something that only its row shows. */
const letters = {
  A: 'transaction.auth',
  B: 'transaction.refund',
  C: 'Invalid',
  D: 'Unsigned',
} as const

async function seed(app: App) {
  const payments = await app.importHook('transaction.auth', 'payments')
  const refunds = await app.importHook('transaction.refund', 'refunds')
  await app.send('/nobody?x=1', 'hello there', [['Content-Type', 'text/plain']], 'PUT')
  await app.deliver(payments, '{"amount":1}', { body: 'changed on the way' })
  await app.deliver(
    refunds,
    '{"amount":-3,"card":{"scheme":"amex","lastNumbers":"4002"},"offer":null,"long":9007199254740993,"status":"ACTIVE"}',
    { headers: [['X-Trace', 'abc-1']] },
  )
  await app.deliver(
    payments,
    String.raw`{"amount":12.50,"card":{"scheme":"VISA","lastNumbers":"4001"},"offer":{"qualified":true},"tags":["a",{"b":1}],"shop":"Caf\u00e9 House"}`,
  )
  await expect(listOf(app.page)).toHaveAttribute('aria-rowcount', '5')
  // The responses are stored too.
  await expect(listOf(app.page).getByText('open', { exact: true })).toHaveCount(0)
}

const today = new Date()
const day = `${today.getFullYear()}-${String(today.getMonth() + 1).padStart(2, '0')}-${String(today.getDate()).padStart(2, '0')}`

const queries: readonly (readonly [query: string, found: string])[] = [
  // Fields: exact, glob, list, upper and lower case.
  ['event:transaction.auth', 'A'],
  ['event:transaction.*', 'AB'],
  ['event:transaction.auth,transaction.refund', 'AB'],
  ['verdict:INVALID,unsigned', 'CD'],
  ['freshness:fresh', 'ABC'],
  ['schema:not-json', 'CD'],
  ['mode:test', 'ABC'],
  ['environment:sandbox-*', 'ABC'],
  ['hook:refunds', 'B'],
  ['hook:*/h/payments', 'AC'],
  ['method:put', 'D'],
  ['path:/h/*', 'ABC'],
  ['path:"/nobody?x=1"', 'D'],
  ['header:x-trace', 'B'],
  ['header:"Content-Type: text/plain"', 'D'],
  ['header.x-trace:ABC*', 'B'],
  ['http:1.1', 'ABCD'],
  ['remote:127.0.0.1', 'ABCD'],
  ['attempt:1', 'ABCD'],
  // Numbers, sizes, durations: comparisons and ranges.
  ['status:200', 'ABCD'],
  ['status:>=300', ''],
  ['status:100..199,200..', 'ABCD'],
  ['size:<20', 'CD'],
  ['size:0.1kB..1MB', 'AB'],
  ['ms:<1h', 'ABCD'],
  // Times: relative, a day, a range, an hour of today.
  ['after:2h', 'ABCD'],
  ['before:2h', ''],
  ['within:10m', 'ABCD'],
  [`received:${day}`, 'ABCD'],
  [`received:2020-01-01..2020-12-31`, ''],
  ['received:>=today', 'ABCD'],
  ['before:2020-01-01T10:00Z', ''],
  // States and existence.
  ['is:valid', 'AB'],
  ['is:invalid', 'C'],
  ['is:unsigned', 'D'],
  ['is:missing-timestamp', 'D'],
  ['is:answered', 'ABCD'],
  ['is:truncated', ''],
  ['has:json', 'AB'],
  ['has:offer', 'A'],
  ['has:hook', 'ABC'],
  // Paths into the body.
  ['card.lastNumbers:4001', 'A'],
  ['amount:<0', 'B'],
  ['amount:12.5', 'A'],
  ['amount:-5..20', 'AB'],
  ['card.scheme:visa', 'A'],
  ['card.scheme:"visa"', ''],
  ['$.offer.qualified:true', 'A'],
  ['offer:null', 'B'],
  ['$.status:active', 'B'],
  ['long:9007199254740993', 'B'],
  ['long:9007199254740992', ''],
  ['tags:a', 'A'],
  ['tags[1].b:1', 'A'],
  ['tags.b:*', 'A'],
  ['{"card":{"scheme":"amex"}}', 'B'],
  ['{"tags":["a"]}', 'A'],
  // Free text: prefixes, phrases and words without accents, in path, headers and body.
  ['caf', 'A'],
  ['"cafe house"', 'A'],
  ['"cafe hou"', ''],
  ['"cafe hou"*', 'A'],
  ['nobody', 'D'],
  ['abc-1', 'B'],
  ['body:hello', 'D'],
  ['body:abc', ''],
  // Combined.
  ['is:valid amount:<0', 'B'],
  ['is:unsigned OR amount:<0', 'BD'],
  ['-is:valid', 'CD'],
  ['NOT is:valid AND path:/h/*', 'C'],
  ['path:/h/* (is:invalid OR card.scheme:amex)', 'BC'],
  ['-(is:invalid OR is:unsigned) -"cafe house"', 'B'],
]

/** The same searches, each followed by one with another result, so a stale result can't go unnoticed. */
function alternating(all: typeof queries): typeof queries {
  const waiting = [...all]
  const ordered: (typeof queries)[number][] = []
  while (waiting.length > 0) {
    const other = waiting.findIndex(([, found]) => found !== ordered.at(-1)?.[1])
    ordered.push(...waiting.splice(Math.max(0, other), 1))
  }
  return ordered
}

test('every operator finds the right deliveries', async ({ app }) => {
  await seed(app)
  const { page } = app
  const filter = page.getByLabel('Filter deliveries')
  const state = () => page.evaluate(lookAtList, letters)
  for (const [query, found] of alternating(queries)) {
    await filter.fill(query)
    await page.keyboard.press('Enter')
    // Checked without the pauses of the usual poll, which would take longer than the searches.
    await expect
      .poll(state, { message: query, intervals: [10] })
      .toEqual([`${found.length} of 4`, found])
  }
})

/** Runs in the page: returns the count and the listed deliveries. */
function lookAtList(texts: Readonly<Record<string, string>>): [count: string, left: string] {
  const count = document.querySelector('[data-testid="count"]')?.textContent ?? ''
  const rows = [
    ...document.querySelectorAll('[aria-label="Deliveries, newest first"] [role="row"]'),
  ]
  const left = Object.entries(texts).filter(([, text]) =>
    rows.some((row) => row.textContent.includes(text)),
  )
  return [count, left.map(([letter]) => letter).join('')]
}
