import { expect, test } from 'vitest'
import { environmentLines } from './hooks.ts'

function named(event: string, secret: string, environment = 'sandbox-test') {
  return { hook: { event, environment }, secret }
}

test("names a secret after its hook's event", () => {
  expect(
    environmentLines([named('transaction.auth.qualified', 'abc'), named('card.linked', 'def=')]),
  ).toEqual(['WEBHOOK_SECRET_TRANSACTION_AUTH_QUALIFIED=abc', 'WEBHOOK_SECRET_CARD_LINKED=def='])
})

test('adds the environment, then a number, if hooks share an event', () => {
  const hooks = [
    named('card.linked', 'a'),
    named('card.linked', 'b', 'sandbox-live'),
    named('card.linked', 'c'),
    named('card.failed', 'd'),
  ]
  expect(environmentLines(hooks)).toEqual([
    'WEBHOOK_SECRET_CARD_LINKED_SANDBOX_TEST_1=a',
    'WEBHOOK_SECRET_CARD_LINKED_SANDBOX_LIVE=b',
    'WEBHOOK_SECRET_CARD_LINKED_SANDBOX_TEST_2=c',
    'WEBHOOK_SECRET_CARD_FAILED=d',
  ])
})

test.each([
  ['plain+/=', 'plain+/='],
  ['two words', "'two words'"],
  ['$(rm)', "'$(rm)'"],
  ["it's", String.raw`'it'\''s'`],
  ['#x', "'#x'"],
])('prints the secret %j as %s', (secret, text) => {
  expect(environmentLines([named('card.linked', secret)])).toEqual([
    `WEBHOOK_SECRET_CARD_LINKED=${text}`,
  ])
})
