/**
 * Promise 14: an imported file is a claim. Whatever its lines claim about hook and mode, nothing is
 * signed with a live secret without consent. For every command that sends, the signing secret
 * decides.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { CommandName, InputOf } from '../../src/shared/contract/contract.ts'
import { AppError } from '../../src/shared/contract/errors.ts'
import { deliverOnce, sendDelivery, signedHeaders } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { endOf, headerOf, startRawEndpoint, type RawEndpoint } from '../support/replay-fixture.ts'
import type { TestCore } from '../support/test-core.ts'
import { exported, imported } from '../support/export-import.ts'
import { until } from '../support/until.ts'
import { ownId } from '../support/id-of-name.ts'

const LIVE_URL = 'https://hooks.example/live'
const LIVE_SECRET = 'whsec_live_0123456789abcdef'
const BODY = '{"crafted":true}'

/** Modes that crafted lines claim; undefined omits the field. */
const modes = { test: 'test', null: null, live: 'live', missing: undefined } as const
type ClaimedMode = keyof typeof modes

const idOf = (mode: ClaimedMode, isSigned: boolean) =>
  ownId(`crafted ${mode} ${isSigned ? 'signed' : 'unsigned'}`)
const crafted = (Object.keys(modes) as ClaimedMode[]).flatMap((mode) =>
  [true, false].map((isSigned) => ({ mode, isSigned })),
)
const ids = crafted.map(({ mode, isSigned }) => idOf(mode, isSigned))

/** Returns a line as exported, that names a live hook as its own. */
function lineOf(
  exportedLine: object,
  hookId: string,
  claimed: ClaimedMode,
  isSigned: boolean,
): string {
  const signed = signedHeaders(LIVE_SECRET, BODY, LIVE_URL)
  return JSON.stringify({
    ...exportedLine,
    id: idOf(claimed, isSigned),
    path: '/live',
    headers: [['content-type', 'application/json'], ...(isSigned ? signed : [])],
    event: 'card.linked',
    eventSource: 'hook',
    hookId,
    environment: 'sandbox-test',
    mode: modes[claimed],
    verdict: 'valid',
    freshness: 'fresh',
  })
}

let endpoint: RawEndpoint
beforeAll(async () => {
  endpoint = await startRawEndpoint(() => 500)
})
afterEach(() => {
  endpoint.requests.length = 0
})
afterAll(() => endpoint.close())

describe('the contract', () => {
  let core: TestCore
  let liveHook: string
  let borrowingHook: string

  beforeAll(async () => {
    core = await coreInFolder()
    const live = {
      event: 'card.linked',
      url: LIVE_URL,
      secret: LIVE_SECRET,
      environment: 'sandbox-live',
      live: true,
    }
    liveHook = (await core.call('hooks.import', live)).id
    // A test hook with the live secret signs as the live hook.
    const url = `${core.receiver}/h/borrowing`
    const borrowing = {
      event: 'card.linked',
      url,
      secret: LIVE_SECRET,
      environment: 'sandbox-test',
    }
    borrowingHook = (await core.call('hooks.import', borrowing)).id
    await deliverOnce(core.caFile, `${core.receiver}/any`, BODY)
    const line = JSON.parse(await exported(core.client)) as object
    await imported(
      core.client,
      crafted.map(({ mode, isSigned }) => lineOf(line, liveHook, mode, isSigned)).join('\n'),
    )
  })
  afterAll(async () => {
    expect(core.bugs).toEqual([])
  })

  /** Resolves with the error, or null. A line rejected on import sends nothing. */
  async function refusal<Name extends CommandName>(
    name: Name,
    input: InputOf<Name>,
  ): Promise<AppError | null> {
    try {
      await core.call(name, input)
      return null
    } catch (error) {
      if (error instanceof AppError) return error
      throw error
    }
  }

  test('the imported lines can be sent', async () => {
    const { items: rows } = await core.call('deliveries.list', { limit: 50 })
    const signed = crafted
      .filter(({ mode, isSigned }) => isSigned && mode !== 'missing')
      .map(({ mode }) => idOf(mode, true))
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(signed))
  })

  test.each(ids)(
    "%s isn't signed with the live secret by replay, check or shrinker",
    async (id) => {
      const to = endpoint.origin
      for (const error of [
        await refusal('replay.start', { ids: [id], to }),
        await refusal('replay.check', { parts: [{ ids: [id], to }] }),
        await refusal('shrink.start', { id, to, rate: 1_000 }),
      ])
        if (error !== null)
          expect(['CONFIRMATION_REQUIRED', 'NOT_FOUND', 'INVALID_INPUT']).toContain(error.code)
      for (const { id: replayId } of (await core.call('replay.list', {})).replays)
        await endOf(core.client, replayId)
      expect(
        endpoint.requests.filter(
          (request) => headerOf(request, 'x-service-signature') !== undefined,
        ),
      ).toEqual([])
    },
  )

  test.each(['test', 'null', 'live'] as const)(
    'a line signed by the live hook with mode %s needs consent',
    async (mode) => {
      const id = idOf(mode, true)
      const to = endpoint.origin
      const wanted = {
        code: 'CONFIRMATION_REQUIRED',
        message: expect.stringContaining('sandbox-live'),
      }
      expect(await refusal('replay.start', { ids: [id], to })).toMatchObject(wanted)
      expect(await refusal('replay.start', { query: 'path:/live', to })).toMatchObject(wanted)
      expect(await refusal('shrink.start', { id, to })).toMatchObject(wanted)
      expect(endpoint.requests).toEqual([])
    },
  )

  test('signing with a live hook, or a test hook with its secret, needs consent', async () => {
    const [id] = ids
    for (const hookId of [liveHook, borrowingHook])
      for (const error of [
        await refusal('replay.start', { ids: [id ?? ''], hookId, to: endpoint.origin }),
        await refusal('shrink.start', { id: id ?? '', hookId, to: endpoint.origin }),
        await refusal('check.start', { target: endpoint.origin, hookIds: [hookId] }),
      ])
        expect(error).toMatchObject({
          code: 'CONFIRMATION_REQUIRED',
          details: { environment: 'sandbox-live' },
        })
    expect(endpoint.requests).toEqual([])
  })

  test("a preview withholds a live secret's signature, whichever hook has it", async () => {
    const id = idOf('test', true)
    const edits = { base64: Buffer.from('{"forged":1}').toString('base64') }
    for (const hookId of [undefined, liveHook, borrowingHook]) {
      const { headers } = await core.call('replay.preview', {
        id,
        to: endpoint.origin,
        edits,
        hookId,
      })
      expect(new Map(headers).get('x-service-signature')).toBe('(signed when sent)')
    }
  })

  test('a resumed replay needs consent again for the hooks that sign', async () => {
    const { replay } = await core.call('replay.start', {
      ids: [idOf('test', true)],
      to: endpoint.origin,
      live: true,
    })
    await endOf(core.client, replay.id)
    expect(await refusal('replay.resume', { replayId: replay.id })).toMatchObject({
      code: 'CONFIRMATION_REQUIRED',
    })
    expect(endpoint.requests).toHaveLength(1)
  })

  test('forwarding deliveries of a test hook with a live secret needs consent', async () => {
    // The hook may get the secret after the target was created.
    const url = `${core.receiver}/h/later`
    const later = {
      event: 'card.failed',
      url,
      secret: 'whsec_only_test',
      environment: 'sandbox-test',
    }
    const { id } = await core.call('hooks.import', later)
    await core.call('forward.add', { url: endpoint.origin, query: 'hook:later' })
    await core.call('hooks.rotate', { id, secret: LIVE_SECRET })
    await sendDelivery(core.caFile, { url, secret: LIVE_SECRET })
    const targets = async () => (await core.call('forward.list', {})).targets
    await until(core.client, 'forward.changed', targets, ([one]) => one?.withheld === 1)
    expect(endpoint.requests).toEqual([])
  })
})
