import { expect, test, vi } from 'vitest'
import { AppError, type ErrorCode } from '../../shared/contract/errors.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { askingClient, questionOf } from './asking-client.ts'

const error = (code: ErrorCode, details: unknown) => new AppError(code, 'no', { details })
const host = error('TARGET_NOT_ALLOWED', { host: 'a.example' })
const live = error('CONFIRMATION_REQUIRED', {
  environments: ['production', 'sandbox-live'],
  what: 'replaying',
})
const count = error('CONFIRMATION_REQUIRED', { count: 30 })

/** Creates a client whose replays reject with these errors in turn and then succeed. */
function clientWith(...errors: readonly AppError[]) {
  const left = [...errors]
  const call = vi.fn(async (command: string, _input: unknown) => {
    const next = command === 'consent.give' ? undefined : left.shift()
    if (next !== undefined) throw next
    return {}
  })
  const ask = vi.fn(async () => true)
  return { call, ask, client: askingClient({ call } as unknown as Client, ask) }
}

test('consent that the user gives is kept, and the call repeated until it has all', async () => {
  const { call, ask, client } = clientWith(count, host, live)
  const parts = [{ ids: ['a'], to: null, targetCa: null }]
  await client.call('replay.check', { parts, most: 25 })
  expect(ask.mock.calls).toEqual([
    [{ about: 'count', count: 30 }],
    [
      {
        about: 'host',
        host: 'a.example',
        hasAddress: true,
        requests: null,
        command: 'replay.check',
      },
    ],
    [{ about: 'live', environments: ['production', 'sandbox-live'], what: 'replaying' }],
  ])
  const check = (most: number) => ['replay.check', { parts, most }]
  const give = (about: string, ...names: string[]) => [
    'consent.give',
    { subjects: names.map((name) => ({ about, name })) },
  ]
  expect(call.mock.calls.map(([command, input]) => [command, input])).toEqual([
    check(25),
    check(30),
    give('host', 'a.example'),
    check(30),
    give('environment', 'production', 'sandbox-live'),
    check(30),
  ])
})

test('a denied call is cancelled, and nothing is kept', async () => {
  const { call, ask, client } = clientWith(host)
  ask.mockResolvedValue(false)
  await expect(client.call('handlers.probe', { id: 'a' })).rejects.toMatchObject({
    code: 'CANCELLED',
  })
  expect(call).toHaveBeenCalledTimes(1)
})

test('a host that does not resolve, and how many requests it gets, are part of the question', () => {
  const details = { host: 'a.example', hasAddress: false, requests: 80 }
  expect(questionOf(error('TARGET_NOT_ALLOWED', details), 'check.start')).toMatchObject(details)
})

test('other errors ask no question', async () => {
  for (const other of [error('TARGET_NOT_ALLOWED', null), error('CONFIRMATION_REQUIRED', {})]) {
    const { ask, client } = clientWith(other)
    await expect(client.call('handlers.probe', { id: 'a' })).rejects.toBe(other)
    expect(ask).not.toHaveBeenCalled()
  }
})
