import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { hintOn } from './hints.ts'
import { parseQuery } from './parse.ts'

test.each([
  ['amount:>abc', 'Countersign read ">abc" as text, not as a number. Try: amount:>100'],
  ['amount:abc', 'Countersign read "abc" as text, not as a number. Try: amount:100'],
  [
    '-location.geolocation.latitude:a..b',
    'Countersign read "a..b" as text, not as a number. Try: -location.geolocation.latitude:100',
  ],
  ['foo:bar', String.raw`Countersign read "foo" as a field of the body. Try: "foo:bar"`],
  [
    'foo.id:"a b"',
    String.raw`Countersign read "foo" as a field of the body. Try: "foo.id:\"a b\""`,
  ],
  [
    'curency:EUR is:valid',
    'Countersign read "curency" as a field of the body. Try: currency:EUR is:valid',
  ],
  ['is:valid or is:invalid', 'Countersign read "or" as text. Try: is:valid OR is:invalid'],
  [
    'is:valid and (not is:fresh)',
    'Countersign read "and" and "not" as text. Try: is:valid AND (NOT is:fresh)',
  ],
  ['or', 'Countersign read "or" as text.'],
  [
    'refund yesterday',
    'Countersign read "refund" and "yesterday" as text. Try: event:*refund* received:yesterday',
  ],
  [
    'refunds invalid 2h',
    'Countersign read "refunds", "invalid", and "2h" as text. Try: event:*refund* is:invalid after:2h',
  ],
  [
    'Transaction.Auth 500',
    'Countersign read "Transaction.Auth" and "500" as text. Try: event:transaction.auth status:500',
  ],
  [
    'event:transaktion.auth',
    'Countersign read "transaktion.auth" as an unknown event. Try: event:transaction.auth',
  ],
  [
    'today foo:1',
    'Countersign read "today" as text; "foo" as a field of the body. Try: received:today "foo:1"',
  ],
])('%s', (query, hint) => {
  expect(hintOn(query)).toBe(hint)
})

test.each([
  '',
  'coffee',
  '"yesterday"',
  '$.foo:bar',
  'amount:>100',
  'amount:1*',
  'offer.cashback:"x"',
  'currency:>EUR',
  'event:transaction.auth',
  'event:transaction.*',
  'header.x-a:1 {"a":1}',
])('%s means what it says', (query) => {
  expect(hintOn(query)).toBeNull()
})

property.prop([
  fc.array(fc.constantFrom('foo:b', '(', ')', '"', 'or', '-', 'today', 'amount:x', 'OR')),
])('what a hint says to try can be read', (parts) => {
  const query = parts.join(' ')
  let hint: string | null = null
  try {
    hint = hintOn(query)
  } catch {
    // The query itself can't be read.
  }
  const [, instead] = hint?.split(' Try: ') ?? []
  if (instead !== undefined) expect(parseQuery(instead)).toBeDefined()
})
