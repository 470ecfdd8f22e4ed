import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { AppError } from '../../src/shared/contract/errors.ts'
import type { InputOf, OutputOf, ParsedInputOf } from '../../src/shared/contract/contract.ts'
import type { Handlers, NativeHandlers } from '../../src/shared/rpc/router.ts'
import { readyJson } from '../../src/shared/rpc/ready-json.ts'
import { ipcWires } from './ipc-wires.ts'
import { createStage, type Connected, type Stage } from './stage.ts'
import { browserSocketWires, memoryWires, packageSocketWires, type Wires } from './wires.ts'

const kinds = [
  ['the pair in memory', memoryWires],
  ['a WebSocket of the ws package', packageSocketWires],
  ["a browser's WebSocket", browserSocketWires],
  ["the desktop app's IPC, over the stand-in for electron", ipcWires],
] as const

const SECRET = 'whk_planted_secret'
const listening = {
  state: 'listening',
  url: 'https://127.0.0.1:4783',
  publicUrl: null,
  httpUrl: null,
  problem: null,
} as const
const paused = { ...listening, state: 'paused' } as const

describe.each(kinds)('the contract on %s', (_kind, makeWires) => {
  let wires: Wires
  const connections: Connected[] = []

  beforeAll(async () => {
    wires = await makeWires()
  })
  afterEach(async () => {
    for (const { connection, close } of connections.splice(0)) {
      connection.close()
      await close()
    }
  })
  afterAll(() => wires.close())

  const connect = async (stage: Stage) => {
    const connected = await stage.connect()
    connections.push(connected)
    return connected
  }
  const serve = (own: Partial<Handlers>, native?: NativeHandlers) =>
    connect(createStage(wires, own, native))
  /** Resolves when the core has received and answered everything sent before. */
  const settle = ({ client }: Connected) => client.call('app.open', {}).catch(() => undefined)

  test('a call passes parsed input with defaults to the handler, and the output to the caller', async () => {
    const given: ParsedInputOf<'deliveries.body'>[] = []
    const { client } = await serve({
      'deliveries.body': async (input) => {
        given.push(input)
        return { offset: input.offset, size: 3, base64: 'AAEC' }
      },
    })
    expect(await client.call('deliveries.body', { id: 'latest' })).toEqual({
      offset: 0,
      size: 3,
      base64: 'AAEC',
    })
    expect(given).toEqual([{ id: 'latest', offset: 0, length: 1_048_576 }])
  })

  test('a response of one mebibyte and any text arrive unchanged', async () => {
    const base64 = 'A'.repeat(1_398_104)
    const secret = 'é 東京 🔑 \u0000 \u2028 \ud800 "\\'
    const { client } = await serve({
      'deliveries.body': async () => ({ offset: 0, size: 1_048_576, base64 }),
      'hooks.reveal': async () => ({ secret }),
    })
    expect((await client.call('deliveries.body', { id: 'a' })).base64).toHaveLength(base64.length)
    expect(await client.call('hooks.reveal', { id: 'a' })).toEqual({ secret })
  })

  test('responses are matched to their calls in any order', async () => {
    const release = new Map<string, (output: OutputOf<'hooks.reveal'>) => void>()
    const { client } = await serve({
      'hooks.reveal': ({ id }) => new Promise((resolve) => release.set(id, resolve)),
    })
    const calls = ['a', 'b', 'c'].map((id) => client.call('hooks.reveal', { id }))
    await expect.poll(() => release.size).toBe(3)
    for (const id of ['c', 'a', 'b']) release.get(id)?.({ secret: `of ${id}` })
    expect(await Promise.all(calls)).toEqual([
      { secret: 'of a' },
      { secret: 'of b' },
      { secret: 'of c' },
    ])
  })

  test('an expected error arrives with its code, message and details', async () => {
    const stage = createStage(wires, {
      'deliveries.get': async () => {
        throw new AppError('NOT_FOUND', 'There is no delivery abc. List them to see their ids.', {
          details: { id: 'abc' },
        })
      },
    })
    const { client } = await connect(stage)
    const error = await client
      .call('deliveries.get', { id: 'abc' })
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(AppError)
    expect(error).toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no delivery abc. List them to see their ids.',
      details: { id: 'abc' },
      ref: undefined,
    })
    expect(stage.bugs).toEqual([])
  })

  test('a bug arrives only as a reference; the log gets the error', async () => {
    const bug = new TypeError(`cannot read ${SECRET}`)
    const stage = createStage(wires, {
      'hooks.list': async () => {
        throw bug
      },
    })
    const { client, fromCore } = await connect(stage)
    await expect(client.call('hooks.list', {})).rejects.toMatchObject({
      code: 'INTERNAL',
      ref: 'bug-1',
    })
    expect(stage.bugs).toEqual([{ error: bug, command: 'hooks.list', ref: 'bug-1' }])
    expect(fromCore.join('\n')).not.toContain(SECRET)
    expect(fromCore.join('\n')).not.toContain('TypeError')
  })

  test("a response that doesn't match the contract is a bug", async () => {
    const stage = createStage(wires, { 'hooks.reveal': async () => ({ word: SECRET }) as never })
    const { client, fromCore } = await connect(stage)
    await expect(client.call('hooks.reveal', { id: 'a' })).rejects.toMatchObject({
      code: 'INTERNAL',
    })
    expect(fromCore.join('\n')).not.toContain(SECRET)
    expect(stage.bugs).toHaveLength(1)
  })

  test('a response that is already JSON text is sent unchanged and must match the contract too', async () => {
    const text = '{ "secret" : "é \\u0000 \\"}" }'
    const { client, fromCore } = await serve({ 'hooks.reveal': async () => readyJson(text) })
    expect(await client.call('hooks.reveal', { id: 'a' })).toEqual({ secret: 'é \u0000 "}' })
    expect(fromCore.join('\n')).toContain(text)
    const stage = createStage(wires, {
      'hooks.reveal': async () => readyJson(`{"word":"${SECRET}"}`),
    })
    const other = await connect(stage)
    await expect(other.client.call('hooks.reveal', { id: 'a' })).rejects.toMatchObject({
      code: 'INTERNAL',
    })
    expect([other.fromCore.join('\n').includes(SECRET), stage.bugs.length]).toEqual([false, 1])
  })

  test.each(['deliveries.erase', '', 'toString', 'constructor', '__proto__', 'hasOwnProperty'])(
    'an unknown command is rejected by name: %j',
    async (name) => {
      const stage = createStage(wires, {})
      const { client } = await connect(stage)
      await expect(client.call(name as 'app.status', {})).rejects.toMatchObject({
        code: 'UNKNOWN_COMMAND',
        message: `Unknown command "${name}". Use the same version of Countersign on both sides.`,
      })
      expect(stage.bugs).toEqual([])
    },
  )

  test.each([
    [
      'a field too large',
      { id: 'a', length: 10_000_000 },
      'The length must be at most 1048576.',
      'length',
    ],
    ['a field of another type', { id: 7 }, 'The ID must be a string.', 'id'],
    ['a missing field', {}, 'The ID is missing.', 'id'],
    ['null', null, 'The input must be an object.', ''],
  ])('invalid input is rejected with the reason: %s', async (_name, input, sentence, field) => {
    const handler = vi.fn<Handlers['deliveries.body']>()
    const { client } = await serve({ 'deliveries.body': handler })
    const error = await client
      .call('deliveries.body', input as InputOf<'deliveries.body'>)
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'INVALID_INPUT', details: [{ field }] })
    expect((error as AppError).message).toBe(`${sentence} Fix this, then try again.`)
    expect(handler).not.toHaveBeenCalled()
  })

  test('a cancelled call rejects immediately, aborts its handler, and ignores a late response', async () => {
    let signal: AbortSignal | undefined
    let finish: (() => void) | undefined
    const connected = await serve({
      'hooks.reveal': (_input, context) =>
        new Promise((resolve) => {
          signal = context.signal
          finish = () => resolve({ secret: 'too late' })
        }),
    })
    const controller = new AbortController()
    const call = connected.client.call('hooks.reveal', { id: 'a' }, { signal: controller.signal })
    await expect.poll(() => signal).toBeDefined()
    controller.abort()
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' })
    await expect.poll(() => signal?.aborted).toBe(true)
    finish?.()
    await settle(connected)
    expect(connected.fromCore.join('\n')).not.toContain('too late')
  })

  test('a call whose signal is already aborted is never sent', async () => {
    const handler = vi.fn<Handlers['hooks.reveal']>()
    const connected = await serve({ 'hooks.reveal': handler })
    const call = connected.client.call('hooks.reveal', { id: 'a' }, { signal: AbortSignal.abort() })
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' })
    await settle(connected)
    expect(handler).not.toHaveBeenCalled()
  })

  test("cancelling one call doesn't affect the others", async () => {
    const { client } = await serve({
      'hooks.reveal': ({ id }, { signal }) =>
        new Promise((resolve) => {
          if (id === 'quick') signal.addEventListener('abort', () => resolve({ secret: 'aborted' }))
          else setTimeout(() => resolve({ secret: signal.aborted ? 'aborted' : 'done' }), 50)
        }),
    })
    const controller = new AbortController()
    const quick = client.call('hooks.reveal', { id: 'quick' }, { signal: controller.signal })
    const slow = client.call('hooks.reveal', { id: 'slow' })
    controller.abort()
    await expect(quick).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(await slow).toEqual({ secret: 'done' })
  })

  test('events arrive in order until the listener unsubscribes', async () => {
    const connected = await serve({})
    const states: string[] = []
    const gaps = vi.fn()
    connected.client.onGap(gaps)
    const stop = connected.client.on('receiver.changed', ({ state }) => states.push(state))
    for (const event of [paused, listening, paused])
      connected.connection.emit('receiver.changed', event)
    connected.connection.emit('store.changed', {
      state: 'ok',
      problem: null,
      deliveries: 0,
      bytes: 0,
      search: { state: 'ready', left: 0 },
    })
    await settle(connected)
    expect(states).toEqual(['paused', 'listening', 'paused'])
    const numbers = connected.fromCore.map((text) => (JSON.parse(text) as { seq?: number }).seq)
    expect(numbers.filter((seq) => seq !== undefined)).toEqual([1, 2, 3, 4])
    stop()
    connected.connection.emit('receiver.changed', listening)
    await settle(connected)
    expect(states).toHaveLength(3)
    expect(gaps).not.toHaveBeenCalled()
  })

  test('a gap in the event numbers is reported once, and the event is still delivered', async () => {
    const connected = await serve({})
    const gaps = vi.fn()
    const states: string[] = []
    connected.client.onGap(gaps)
    connected.client.on('receiver.changed', ({ state }) => states.push(state))
    const send = (seq: number) =>
      connected.core.send(
        JSON.stringify({ kind: 'event', seq, event: 'receiver.changed', payload: paused }),
      )
    send(1)
    send(2)
    await settle(connected)
    expect(gaps).not.toHaveBeenCalled()
    send(4)
    send(5)
    await settle(connected)
    expect(gaps).toHaveBeenCalledTimes(1)
    expect(states).toHaveLength(4)
  })

  test('a lost connection rejects every open call and every later one', async () => {
    const { client } = await serve({ 'hooks.reveal': () => new Promise(() => {}) })
    const calls = ['a', 'b'].map((id) => client.call('hooks.reveal', { id }))
    client.disconnect('Lost the connection to Countersign.')
    for (const call of [...calls, client.call('app.status', {})])
      await expect(call).rejects.toMatchObject({
        code: 'DISCONNECTED',
        message: 'Lost the connection to Countersign.',
      })
  })

  test('when a connection ends, its handlers are aborted and nothing more is sent', async () => {
    let signal: AbortSignal | undefined
    const connected = await serve({
      'hooks.reveal': (_input, context) =>
        new Promise((resolve) => {
          signal = context.signal
          context.signal.addEventListener('abort', () => resolve({ secret: 'after the end' }))
        }),
    })
    void connected.client.call('hooks.reveal', { id: 'a' }).catch(() => undefined)
    await expect.poll(() => signal).toBeDefined()
    connected.connection.close()
    expect(signal?.aborted).toBe(true)
    connected.connection.emit('receiver.changed', paused)
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(connected.fromCore).toEqual([])
  })

  test('many clients at once each have their own responses, cancellations and event numbers', async () => {
    const aborted: string[] = []
    const stage = createStage(wires, {
      'hooks.reveal': ({ id }, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => aborted.push(id))
          setTimeout(() => resolve({ secret: `for ${id}` }), 50)
        }),
    })
    const clients = []
    for (let index = 0; index < 10; index++) clients.push(await connect(stage))
    const controller = new AbortController()
    // Each is its client's first call, so they share a number on every wire.
    const calls = clients.map(({ client }, index) =>
      client.call(
        'hooks.reveal',
        { id: `client ${index}` },
        index === 3 ? { signal: controller.signal } : {},
      ),
    )
    controller.abort()
    const results = await Promise.allSettled(calls)
    expect(
      results.map((result) =>
        result.status === 'fulfilled' ? result.value.secret : result.status,
      ),
    ).toEqual(clients.map((_client, index) => (index === 3 ? 'rejected' : `for client ${index}`)))
    expect(aborted.filter((id) => id !== 'client 3')).toEqual([])
    clients[0]?.connection.emit('receiver.changed', paused)
    for (const connected of clients) await settle(connected)
    expect(
      clients.map(
        ({ fromCore }) => fromCore.filter((text) => text.includes('"kind":"event"')).length,
      ),
    ).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  })

  test('desktop-only commands are rejected by name elsewhere', async () => {
    const { client } = await serve({})
    await expect(client.callNative('native.showInFolder', { what: 'data' })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('native.showInFolder'),
    })
  })

  test('desktop-only commands work on the desktop, with checked input', async () => {
    const shown: string[] = []
    const { client } = await serve(
      {},
      {
        'native.quit': () => Promise.resolve({}),
        'native.showInFolder': async ({ what }) => {
          shown.push(what)
          return {}
        },
        'native.chooseFile': async () => ({ file: null }),
        'native.lookAtFile': async () => ({ size: 0, changedAt: 0 }),
        'native.readFile': async () => ({ base64: '' }),
        'native.update': async () => ({ phase: 'idle' }),
      },
    )
    expect(await client.callNative('native.showInFolder', { what: 'ca' })).toEqual({})
    await expect(
      client.callNative('native.showInFolder', { what: '/etc' as 'ca' }),
    ).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    })
    await expect(
      client.callNative('native.readFile', { handle: '/etc/passwd', offset: 0 }),
    ).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    })
    expect(shown).toEqual(['ca'])
  })

  test.each([
    ['invalid JSON', 'hello'],
    ['an empty text', ''],
    ['half a message', '{"kind":"request","id":1,"comm'],
    ['a number', '7'],
    ['null', 'null'],
    ['an array', '[]'],
    ['no kind', '{"id":1,"command":"app.status","input":{}}'],
    ['an unknown kind', '{"kind":"response","id":1,"ok":true,"output":{}}'],
    ['an event', '{"kind":"event","seq":1,"event":"receiver.changed","payload":{}}'],
    ['a string as ID', '{"kind":"request","id":"1","command":"app.status","input":{}}'],
    ['a fraction as ID', '{"kind":"request","id":1.5,"command":"app.status","input":{}}'],
    ['no ID', '{"kind":"request","command":"app.status","input":{}}'],
    ['an object as command', '{"kind":"request","id":1,"command":{"toString":"x"},"input":{}}'],
    ['no input', '{"kind":"request","id":1,"command":"app.status"}'],
    ['a cancellation of nothing', '{"kind":"cancel","id":99}'],
    ['a prototype', '{"__proto__":{"kind":"request"},"id":1,"command":"app.status","input":{}}'],
    ['endless nesting', '['.repeat(100_000)],
    ['a mebibyte of nothing', ' '.repeat(1_048_576)],
  ])('hostile text gets no response and does no harm: %s', async (_name, text) => {
    const stage = createStage(wires, { 'hooks.reveal': async ({ id }) => ({ secret: `of ${id}` }) })
    const connected = await connect(stage)
    connected.caller.send(text)
    expect(await connected.client.call('hooks.reveal', { id: 'a' })).toEqual({ secret: 'of a' })
    expect(connected.fromCore).toHaveLength(1)
    expect(stage.bugs).toEqual([])
  })

  test('prototype names in an input reach neither a prototype nor a handler', async () => {
    const given: unknown[] = []
    const connected = await serve({
      'hooks.reveal': async (input) => {
        given.push(input)
        return { secret: 'x' }
      },
    })
    const input =
      '{"id":"a","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'
    connected.caller.send(`{"kind":"request","id":500,"command":"hooks.reveal","input":${input}}`)
    await settle(connected)
    expect(given).toEqual([{ id: 'a' }])
    expect(Object.keys(given[0] as object)).toEqual(['id'])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  test('a response to an unknown call is ignored', async () => {
    const connected = await serve({ 'hooks.reveal': async () => ({ secret: 'right' }) })
    for (const id of [0, 50, 99])
      connected.core.send(
        JSON.stringify({ kind: 'response', id, ok: true, output: { secret: 'wrong' } }),
      )
    await settle(connected)
    expect(await connected.client.call('hooks.reveal', { id: 'a' })).toEqual({ secret: 'right' })
  })
})
