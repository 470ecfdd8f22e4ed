import { expect, test } from 'vitest'
import { parseEnv } from 'node:util'
import { environmentLines, isForFilesOnly } from '../secret-lines.ts'

function named(event: string, secret: string, environment = 'sandbox-test') {
  return { hook: { event, environment }, secret }
}

const linesOf = (secrets: Parameters<typeof environmentLines>[0]) =>
  environmentLines(secrets).flatMap(({ line }) => line ?? [])

test("names a secret after its hook's event", () => {
  expect(
    linesOf([named('transaction.auth.qualified', 'abc'), named('card.linked', 'def=')]),
  ).toEqual(['WEBHOOK_SECRET_TRANSACTION_AUTH_QUALIFIED=abc', 'WEBHOOK_SECRET_CARD_LINKED=def='])
})

test('adds the environment, then a number, if hooks share an event', () => {
  const hooks = [
    named('card.linked', 'a'),
    named('card.linked', 'b', 'sandbox-live'),
    named('card.linked', 'c'),
    named('card.failed', 'd'),
  ]
  expect(linesOf(hooks)).toEqual([
    'WEBHOOK_SECRET_CARD_LINKED_SANDBOX_TEST_1=a',
    'WEBHOOK_SECRET_CARD_LINKED_SANDBOX_LIVE=b',
    'WEBHOOK_SECRET_CARD_LINKED_SANDBOX_TEST_2=c',
    'WEBHOOK_SECRET_CARD_FAILED=d',
  ])
})

test.each([
  ['plain+/=', 'plain+/=', false],
  ['two words', "'two words'", false],
  ['$(rm)', "'$(rm)'", false],
  ["it's", `"it's"`, false],
  ["it's $5", `"it's $5"`, true],
  [`it's "5"`, '`it\'s "5"`', true],
  [String.raw`it's \n`, "`it's \\n`", true],
  ['#x', "'#x'", false],
])('prints the secret %j as %s, which a .env reader gives back', (secret, text, forFilesOnly) => {
  const [line = ''] = linesOf([named('card.linked', secret)])
  expect(line).toBe(`WEBHOOK_SECRET_CARD_LINKED=${text}`)
  expect(parseEnv(line)).toEqual({ WEBHOOK_SECRET_CARD_LINKED: secret })
  expect(isForFilesOnly(line)).toBe(forFilesOnly)
})

test('a secret with every quotation mark is left out by name', () => {
  expect(environmentLines([named('card.linked', '\'"`')])).toEqual([
    { name: 'WEBHOOK_SECRET_CARD_LINKED', line: null },
  ])
})
