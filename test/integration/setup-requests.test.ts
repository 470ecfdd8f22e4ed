import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createIds } from '../../src/core/base/ids.ts'
import { systemClock } from '../../src/core/base/system-clock.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { refusal } from '../support/refusal.ts'
import { sourceOf } from '../support/team-setup.ts'
import type { TestCore } from '../support/test-core.ts'

const SECRET = 'whsec_of_refunds_0123456789'
const BODY = Buffer.from('{ "amount" : 10.00 }\r\n')

const base64 = (body: string | Buffer) => Buffer.from(body).toString('base64')
const hooks = [
  {
    ...{ name: 'refunds', environment: 'sandbox-test', event: 'transaction.refund' },
    ...{ url: 'https://127.0.0.1:4783/h/refunds', secret: { env: 'REFUNDS' } },
    headers: { 'X-Team': { env: 'TEAM' } },
  },
]
const big = { name: 'big-refund', file: 'requests/big.json', hook: 'refunds' }
const secrets = { 'hooks[0].secret': SECRET, 'hooks[0].headers.X-Team': 'of the team' }

function sourceWith(requests: readonly object[], body: string | Buffer = BODY) {
  const bodies = { 'requests/big.json': base64(body), 'requests/other.body': base64('other') }
  return sourceOf({ countersign: 1, hooks, requests }, secrets, {}, bodies)
}

const named = async ({ call }: TestCore) =>
  (await call('deliveries.list', { query: 'has:name' })).items
const describeFolder = ({ call }: TestCore) =>
  call('setup.describe', { file: '/work/team/countersign.json', text: null })

test('a named request is stored, signed by its hook, and hidden; applied again, nothing changes', async () => {
  const core = await coreInFolder()
  const source = sourceWith([big, { name: 'other', file: 'requests/other.body' }])
  const { plan } = await core.call('setup.apply', { source })
  expect(plan.entries).toContainEqual(
    expect.objectContaining({ kind: 'named request', name: 'big-refund', state: 'add' }),
  )
  const [other, refund] = await named(core)
  expect(refund).toMatchObject({
    ...{ name: 'big-refund', origin: 'composed', event: 'transaction.refund' },
    ...{ verdict: 'valid', freshness: 'fresh', pinned: true, path: '/h/refunds' },
  })
  expect(other).toMatchObject({ name: 'other', event: null, hookId: null, verdict: 'unsigned' })
  const { base64: body } = await core.call('deliveries.body', { id: refund?.id ?? '' })
  expect(body).toBe(base64(BODY))
  expect((await core.call('deliveries.list', {})).items).toEqual([])
  expect((await core.call('setup.plan', { source })).plan).toMatchObject({ differences: 0 })
  const again = await core.call('setup.apply', { source })
  expect(again.plan.differences).toBe(0)
  expect(core.bugs).toEqual([])
})

test('a changed body takes the name; undo gives it back and removes the request, with its hook', async () => {
  const core = await coreInFolder()
  const empty = await describeFolder(core)
  const first = await core.call('setup.apply', { source: sourceWith([big]) })
  const [before] = await named(core)
  const source = sourceWith([big], '{"amount":2}')
  const { plan, undo } = await core.call('setup.apply', { source })
  const [entry] = plan.entries.filter(({ state }) => state === 'change')
  expect(entry).toMatchObject({
    name: 'big-refund',
    changes: [{ field: 'body', from: expect.stringMatching(/^22 bytes, SHA-256 /) as string }],
  })
  expect((await named(core)).map(({ bodySize }) => bodySize)).toEqual([12])
  await core.call('setup.undo', { undo })
  expect(await named(core)).toEqual([before])
  expect(await core.call('deliveries.list', { query: 'is:composed' })).toMatchObject({
    items: [{ id: before?.id }],
  })
  await core.call('setup.undo', { undo: first.undo })
  expect(await describeFolder(core)).toEqual(empty)
  expect(core.bugs).toEqual([])
})

test('described with its exact bytes and without secrets, and equal in another folder', async () => {
  const core = await coreInFolder()
  const headers = { 'Content-Type': 'text/plain', 'X-Trace': '1' }
  await core.call('setup.apply', { source: sourceWith([{ ...big, headers }]) })
  await core.call('replay.compose', {
    ...{ base64: base64('secret'), secret: 'whsec_given', to: `${core.receiver}/h/own` },
    headers: [['Authorization', 'Bearer of me']],
    name: 'own',
  })
  const written = await describeFolder(core)
  for (const secret of [SECRET, 'of the team', 'of me', 'whsec_given'])
    expect(written.text).not.toContain(secret)
  expect(JSON.parse(written.text)).toMatchObject({
    requests: [
      { name: 'big-refund', file: 'requests/big-refund.body', hook: 'transaction-refund', headers },
      { name: 'own', file: 'requests/own.json' },
    ],
  })
  expect(written.bodies).toEqual([
    { path: 'requests/big-refund.body', base64: base64(BODY) },
    { path: 'requests/own.json', base64: base64('secret') },
  ])
  const other = await coreInFolder()
  const bodies = Object.fromEntries(written.bodies.map((one) => [one.path, one.base64]))
  const source = sourceOf(JSON.parse(written.text) as object, secrets, {}, bodies)
  await other.call('setup.apply', { source })
  expect(await describeFolder(other)).toEqual(written)
})

test('if one request can not be stored, nothing is changed', async () => {
  let isFailing = false
  const ids = createIds(systemClock, (count) => randomBytes(count))
  const next = () => {
    if (isFailing) throw new Error('The disk is full.')
    return ids.next()
  }
  const core = await coreInFolder({ deps: { ids: { next } } })
  const before = await describeFolder(core)
  const source = sourceOf(
    { countersign: 1, settings: { bodyLimit: 2_097_152 }, requests: [{ name: 'a', file: 'a' }] },
    {},
    {},
    { a: base64(BODY) },
  )
  isFailing = true
  expect(await refusal(core.call('setup.apply', { source }))).toMatchObject({ code: 'INTERNAL' })
  isFailing = false
  expect(await describeFolder(core)).toEqual(before)
})
