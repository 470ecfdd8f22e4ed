/** Every operator of the search language, typed into the bar, over four deliveries: which of them are left. */
import { listOf, test, expect, type App } from './fixtures.ts'

/** Each delivery by a letter, and what its row shows that no other does. */
const letters = { A: 'transaction.auth', B: 'transaction.refund', C: 'Invalid', D: 'Unsigned' } as const

async function seed(app: App) {
  const payments = app.importHook('transaction.auth', 'payments')
  const refunds = app.importHook('transaction.refund', 'refunds')
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
  // The answers are in too.
  await expect(listOf(app.page).getByText('dropped')).toHaveCount(0)
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
  // Numbers, sizes, lengths of time: comparisons and ranges.
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
  // States and what a delivery has.
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
  // Free text: begun words, whole ones in a row, without marks, in path, headers and body.
  ['caf', 'A'],
  ['"cafe house"', 'A'],
  ['"cafe hou"', ''],
  ['"cafe hou"*', 'A'],
  ['nobody', 'D'],
  ['abc-1', 'B'],
  ['body:hello', 'D'],
  ['body:abc', ''],
  // Joined.
  ['is:valid amount:<0', 'B'],
  ['is:unsigned OR amount:<0', 'BD'],
  ['-is:valid', 'CD'],
  ['NOT is:valid AND path:/h/*', 'C'],
  ['path:/h/* (is:invalid OR card.scheme:amex)', 'BC'],
  ['-(is:invalid OR is:unsigned) -"cafe house"', 'B'],
]

test('every operator finds what it says', async ({ app }) => {
  test.setTimeout(180_000)
  await seed(app)
  const filter = app.page.getByLabel('Filter deliveries')
  const count = app.page.getByTestId('count')
  for (const [query, found] of queries) {
    await filter.fill(query)
    await app.page.keyboard.press('Enter')
    await expect(count, query).toHaveText(`${found.length} of 4`)
    const left = async () => {
      const rows = found === '' ? [] : await listOf(app.page).getByRole('row').allTextContents()
      const shown = Object.entries(letters).filter(([, text]) => rows.some((row) => row.includes(text)))
      return shown.map(([letter]) => letter).join('')
    }
    await expect.poll(left, query).toBe(found)
  }
})
