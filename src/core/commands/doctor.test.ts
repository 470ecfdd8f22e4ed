import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { appStatusOf } from '../../../test/support/model-values.ts'
import type { AppStatus, SearchStatus } from '../../shared/model/status.ts'
import { KEEP_ALL } from '../../shared/model/retention.ts'
import type { Hook } from '../../shared/model/hook.ts'
import { checkRuntime, runDoctor } from './doctor.ts'

const durability = { journalMode: 'wal', synchronous: 2 }

function statusWith(search: SearchStatus, state: 'off' | 'listening' = 'listening'): AppStatus {
  const { receiver, store, ...rest } = appStatusOf({ dataFolder: tmpdir(), sandbox: null })
  return { ...rest, receiver: { ...receiver, url: null, state }, store: { ...store, search } }
}

const ready: SearchStatus = { state: 'ready', left: 0 }
const input = {
  status: statusWith(ready, 'off'),
  hooks: [],
  isUnreachable: ({ port }: URL) => Promise.resolve(port === '3000'),
  durability,
  damage: { pages: null, values: [], bodies: [] },
  limits: KEEP_ALL,
  addressTest: null,
  renewalAt: null,
  now: 0,
}

async function searchCheck(search: SearchStatus, state?: 'off') {
  const checks = await runDoctor({ ...input, status: statusWith(search, state) })
  return checks.find(({ name }) => name === 'search')
}

test('doctor shows when the certificate is renewed, whether renewal is due, and whether there is a certificate', async () => {
  const day = 86_400_000
  const checks = [null, 59.5 * day, 1.5 * day, 0.5 * day, -day].map(async (renewalAt) => {
    const checks = await runDoctor({ ...input, renewalAt })
    return checks.find(({ name }) => name === 'certificate')?.message.split('. ')[0]
  })
  expect(await Promise.all(checks)).toEqual([
    'No certificate yet.',
    ...['in 59 days', 'in 1 day', 'within a day', 'at the next start'].map(
      (when) => `Renews automatically ${when}`,
    ),
  ])
})

test('doctor shows the state of the search index', async () => {
  expect(await searchCheck(ready)).toMatchObject({
    outcome: 'ok',
    message: expect.stringContaining('Every'),
  })
  const filling = await searchCheck({ state: 'filling', left: 12_345 })
  expect(filling).toMatchObject({
    outcome: 'ok',
    message: expect.stringContaining('12,345 deliveries left'),
  })
  expect((await searchCheck({ state: 'opening', left: 0 }, 'off'))?.message).toBe(
    'Every delivery is in the search index.',
  )
  expect((await searchCheck({ state: 'opening', left: 1 }, 'off'))?.message).toBe(
    'Not yet in the search index: 1 delivery. Searches are complete but slower. "countersign serve" adds them.',
  )
  expect(await searchCheck({ state: 'off', left: 5 })).toMatchObject({
    outcome: 'warning',
    fix: expect.stringContaining('disk'),
  })
})

test.each([
  ['https://app.localhost:3000/in', 'active', 'warning'],
  ['https://127.0.0.1:3000/h/own', 'active', 'ok'],
  ['https://localhost:4000/in', 'active', 'ok'],
  ['https://example.com:3000/in', 'active', 'ok'],
] as const)('doctor on the hook %s (%s): %s', async (url, status, outcome) => {
  const hooks = [{ url, status, event: 'card.linked', secretHint: '…abcd' } as Hook]
  const found = (await runDoctor({ ...input, hooks })).find(({ name }) => name === 'hooks')
  expect(found?.outcome).toBe(outcome)
  if (outcome === 'warning')
    expect(found?.message).toBe(
      'Nothing listens on app.localhost:3000, the host of the active card.linked hook.',
    )
})

test('doctor counts active hooks, without deleted ones and those the service no longer knows', async () => {
  const hook = (status: Hook['status'], secretHint: string | null = '…abcd') =>
    ({ url: 'https://example.com/in', status, event: 'card.linked', secretHint }) as Hook
  const check = async (...hooks: Hook[]) =>
    (await runDoctor({ ...input, hooks })).find(({ name }) => name === 'hooks')
  expect(await check(hook('active'), hook('deleted'), hook('gone', null))).toMatchObject({
    outcome: 'ok',
    message: '1 active hook, each with its secret.',
  })
  expect((await check(hook('deleted')))?.message).toBe(
    "No active hooks, so new deliveries can't be verified.",
  )
  expect((await check(hook('active'), hook('unconfirmed', null)))?.message).toBe(
    "The secrets of 1 of 2 hooks are missing or can't be decrypted here.",
  )
})

test('doctor names values that cannot be read and altered bodies, and what to do', async () => {
  const values = Array.from(
    { length: 22 },
    (_, index) => `hook ${index}: "answering" isn't valid JSON`,
  )
  const damage = { pages: null, values, bodies: ['0190-one'] }
  const found = (await runDoctor({ ...input, damage })).find(({ name }) => name === 'rows')
  expect(found).toMatchObject({
    outcome: 'failed',
    message: expect.stringMatching(
      /^22 stored values can't be read: hook 0: .*; and 2 more\. The stored body .* in 1 delivery: 0190-one\.$/,
    ),
    fix: expect.stringContaining('doctor --repair'),
  })
})

test.each([
  [99_999, 2 * 1_024 ** 3 - 1, null, false],
  [100_000, 1, null, true],
  [1, 2 * 1_024 ** 3, null, true],
  [100_000, 1, 30, false],
])(
  'doctor suggests a limit for %i deliveries of %i bytes kept for %s days: %s',
  async (deliveries, bytes, days, isSuggested) => {
    const status = statusWith(ready)
    const checks = await runDoctor({
      ...input,
      status: { ...status, store: { ...status.store, deliveries, bytes } },
      limits: { ...KEEP_ALL, days },
    })
    const message = checks.find(({ name }) => name === 'database')?.message
    expect(message?.includes('countersign settings --keep-days')).toBe(isSuggested)
  },
)

test.each([
  { version: '24.22.3', days: 10, outcome: 'ok', message: 'released 10 days ago (2026-10-14).' },
  {
    version: '24.22.3',
    days: 200,
    outcome: 'warning',
    message: '200 days ago',
    fix: 'latest Node',
  },
  {
    version: '24.21.0',
    brotli: '1.2.0',
    days: 60,
    outcome: 'warning',
    message: "br isn't decoded",
    fix: '24.22.1',
  },
  { version: '99.0.0', days: 10, outcome: 'ok', message: 'newer than this Countersign' },
])('doctor on Node $version after $days days: $outcome', async (row) => {
  const { version, brotli = '1.2.1', days, outcome, message, fix } = row
  const now = Date.parse('2026-10-14') + days * 86_400_000
  expect(await checkRuntime({ status: statusWith(ready), now }, { version, brotli })).toMatchObject(
    {
      outcome,
      message: expect.stringContaining(message),
      fix: fix === undefined ? null : expect.stringContaining(fix),
    },
  )
})
