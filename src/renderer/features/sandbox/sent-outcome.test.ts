import { expect, test } from 'vitest'
import { notificationOf } from '../../../../test/support/model-values.ts'
import { handlerStatus } from '../../ui/verdict.tsx'
import { sentWords } from './sent-outcome.ts'

const attempt = {
  ...{ attempt: 1, at: '2026-11-28T21:00:00.000Z', sandboxAt: null, ms: 4, error: null },
  ...{ status: 200, acknowledged: true, deliveryId: 'delivery' },
}
const handler = {
  ...{ name: 'local', target: 'http://127.0.0.1:9/', sendId: 'send', at: null, ms: 4 },
  ...{ status: 500, timedOut: false, signed: true, outcome: 'failing' as const },
}
type SentRow = NonNullable<Parameters<typeof sentWords>[0]['row']>
const row: SentRow = {
  ...{ handler: null, amount: '36.90', currency: 'GBP', merchant: 'Nordlys Books' },
  ...{ verdict: 'valid', freshness: 'fresh' },
}
const acknowledged = notificationOf({ state: 'acknowledged', attempts: [attempt] })

test('a sentence names the response of the handler, otherwise the payment', () => {
  const words = (part: Partial<SentRow>, message = '') =>
    sentWords({ notification: acknowledged, row: { ...row, ...part } }, message)
  expect(words({})).toBe('36.90 GBP, Nordlys Books')
  const failing = { handler }
  expect(words(failing, 'Already settled')).toBe('@local returned “Already settled”')
  expect(words(failing)).toBe('@local returned 500')
})

test('a fault is named, with what the handler did about a forged or stale delivery', () => {
  const stale = { ...acknowledged, fault: 'stale' as const }
  expect(sentWords({ notification: stale, row }, '')).toBe('Fault: stale.')
  const returned = (status: number | null) =>
    sentWords(
      { notification: stale, row: { ...row, handler: { ...handler, signed: false, status } } },
      '',
    )
  expect(returned(200)).toContain('Your handler accepted a delivery signed 10 min ago.')
  expect(returned(401)).toContain('Your handler rejected it, as expected.')
  expect(returned(503)).toContain('returned 503, expected 4xx.')
  expect(returned(null)).toContain("didn't respond")
})

test('a handler that rejects a re-signed forged delivery fails, as in the Overview', () => {
  const invalid = { ...row, verdict: 'invalid' as const, handler: { ...handler, status: 401 } }
  const altered = { ...acknowledged, fault: 'altered-body' as const }
  expect(sentWords({ notification: altered, row: invalid }, '')).toBe(
    `Fault: altered body. ${handlerStatus(invalid).reason}`,
  )
})
