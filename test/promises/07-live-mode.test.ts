/**
 * Promise 7: live mode is guarded. Checks all commands of the contract: each is guarded here, or listed with a reason because it
 * neither changes a live environment nor sends for one.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { commands, type CommandName, type InputOf } from '../../src/shared/contract/contract.ts'
import { AppError } from '../../src/shared/contract/errors.ts'
import { cliOfFile } from '../integration/cli-fixture.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { startOtherService, type OtherService } from '../support/other-service.ts'
import { sendDelivery } from '../support/deliver.ts'
import { replay, startRawEndpoint, type RawEndpoint } from '../support/replay-fixture.ts'
import type { TestCore } from '../support/test-core.ts'
import { makeTestTls, type TestTls } from '../support/tls.ts'
import { checkEnd } from '../support/until.ts'

const cli = cliOfFile()

const KEY = 'sk_live_guarded_0123456789'
const PROGRAM = '5a1a4f0e-4a3b-4f43-9d0f-2f8f0d1f0001'

/** Commands that need no confirmation in live mode, by the reason. */
const unguarded: Readonly<Record<string, string>> = {
  'reads only': `
      app.status doctor.run deliveries.list deliveries.page deliveries.seqs deliveries.rows
      deliveries.suggest deliveries.matching timeline.start timeline.read statistics.read deliveries.counts views.list
      app.diagnostics deliveries.get deliveries.body bodies.decoded bodies.newFields deliveries.signature
      deliveries.diagnose deliveries.schema deliveries.attempts lifecycle.get lifecycle.attempts compare.offers
      compare.neighbour compare.volatile hooks.list hooks.check hooks.reveal environments.list tunnels.status replay.get
      replay.jobs replay.sends replay.statistics replay.ofDelivery replay.send replay.targets check.cases check.get
      check.list check.report flows.list flows.get flows.runs flows.run flows.report handlers.list handlers.page
      forward.list forward.check forward.sends shrink.get settings.get exchange.export exchange.mask exchange.places
      retention.preview
      storage.get exchange.verify sandbox.preview sandbox.objects sandbox.notifications sandbox.clearings sandbox.clock`,
  'concerns this machine alone; the service hears nothing of it': `
      app.open app.signOut views.save views.remove compare.setVolatile environments.add
      receiver.setPublicUrl receiver.pause receiver.resume tunnels.start tunnels.stop handlers.add
      handlers.update handlers.remove handlers.restore handlers.use settings.set marks.set exchange.import
      deliveries.delete deliveries.restore`,
  'sends to this receiver alone, through its own public address': 'tunnels.test',
  'sends nothing, and withholds the signature of a live secret': 'replay.preview',
  'only keeps requests from going': `
      replay.cancel check.cancel flows.pause flows.cancel forward.remove forward.pause forward.drop forward.keep
      shrink.cancel`,
  'goes on with a run that was confirmed when it began': 'flows.step flows.resume',
  'concerns a run that was confirmed when it began': 'flows.setSpeed',
  'connects to the endpoint, and sends no request': 'handlers.probe',
  'sends only what the target was agreed to, live environments by name':
    'forward.resume forward.deliver',
  'always in sandbox-test': 'sandbox.sample',
}
const needsNoGuard = new Set(Object.values(unguarded).flatMap((names) => names.trim().split(/\s+/)))

let tls: TestTls
let app: TestCore
let service: OtherService
let hookId: string
let sandboxHookId: string
let sandboxProgram: string
let sandboxBrand: string
let liveReplay: string
let liveDelivery: string
let sandboxReplay: string
let sandboxDelivery: string
let liveCheck: string
let endpoint: RawEndpoint
let forwardId: string
let notSent: string

beforeAll(async () => {
  tls = await makeTestTls()
  service = await startOtherService(tls, {
    authenticates: (headers) => headers['service-key'] === KEY,
  })
  app = await coreInFolder({ threads: true })
  const { call } = app
  const account = { baseUrl: service.origin, caPem: tls.caPem, key: KEY }
  await call('environments.add', { name: 'production', mode: 'live', ...account })
  await call('environments.add', { name: 'staging', mode: 'test', ...account })
  await call('environments.add', { name: 'unused', mode: 'live', ...account })
  const { objects } = await call('sandbox.objects', {
    environment: 'sandbox-live',
    kind: 'program',
  })
  sandboxProgram = objects[0]?.id ?? ''
  const made = await call('sandbox.create', {
    environment: 'sandbox-live',
    kind: 'brand',
    live: true,
  })
  sandboxBrand = made.object.id
  const url = `${app.receiver}/h/live`
  const hook = { event: 'transaction.auth', url, live: true }
  hookId = (await call('hooks.add', { ...hook, environment: 'production', programId: PROGRAM }))
    .hook.id
  sandboxHookId = (
    await call('hooks.add', { ...hook, environment: 'sandbox-live', programId: sandboxProgram })
  ).hook.id
  endpoint = await startRawEndpoint()
  liveReplay = (
    await replay(app.client, {
      ids: [await capture('production')],
      to: endpoint.origin,
      live: true,
    })
  ).job.id
  liveDelivery = (await call('deliveries.get', { id: 'latest' })).id
  sandboxDelivery = await capture('sandbox-live')
  sandboxReplay = (
    await replay(app.client, { ids: [sandboxDelivery], to: endpoint.origin, live: true })
  ).job.id
  liveCheck = await checkEnded({
    target: endpoint.origin,
    hookIds: [hookId],
    only: ['first-delivery'],
    live: true,
  })
  forwardId = (await call('forward.add', { url: endpoint.origin, query: 'mode:test' })).target.id
  // Its clearing waits for the clock.
  await call('sandbox.trigger', {
    event: 'transaction.auth',
    environment: 'sandbox-live',
    live: true,
  })
  // Nothing is sent to this host without its own consent.
  await call('hooks.import', {
    event: 'transaction.auth',
    url: 'https://192.0.2.1/hook',
    secret: 'whsec_remote',
    environment: 'sandbox-live',
    live: true,
  })
  const triggered = await call('sandbox.trigger', {
    event: 'transaction.auth',
    environment: 'sandbox-live',
    live: true,
  })
  notSent = triggered.deliveries.find((each) => each.state === 'not-sent')?.id ?? ''
})
afterAll(async () => {
  await endpoint.close()
  await service.close()
})

type Guarded = {
  [K in CommandName]: InputOf<K> extends { live?: boolean | undefined } ? K : never
}[CommandName]

interface GuardedCall {
  readonly command: Guarded
  readonly environment: string
  readonly input: Record<string, unknown>
}

async function capture(environment: string): Promise<string> {
  const url = `${app.receiver}/h/replayed-${environment}`
  const secret = `whsec_${environment}`
  await app.call('hooks.import', {
    event: 'card.failed',
    url,
    secret,
    environment,
    live: true,
  })
  await sendDelivery(app.caFile, { url, secret })
  return (await app.latest()).id
}

async function checkEnded(input: InputOf<'check.start'>): Promise<string> {
  const { run } = await app.call('check.start', input)
  return (await checkEnd(app.client, run.id)).id
}

/** A change of each kind, which leaves the account usable. */
const accountChanges = {
  ack: '2xx',
  baseUrl: 'https://elsewhere.example',
  caPem: null,
  key: KEY,
  prefix: 'other',
  proxy: null,
  timeoutMs: 180_000,
}

/** Each guarded command in each applicable live environment. In this order, each works with `live`. */
function guardedCalls(): GuardedCall[] {
  const add = { event: 'card.linked', url: `${app.receiver}/h/more` }
  const found = { event: 'card.failed', url: `${app.receiver}/h/found`, secret: 'whsec_found' }
  const calls: [Guarded, string, Record<string, unknown>][] = [
    ['flows.start', 'sandbox-live', { name: 'program-sync-live' }],
    ['hooks.add', 'production', { ...add, programId: PROGRAM, environment: 'production' }],
    [
      'hooks.add',
      'sandbox-live',
      { ...add, programId: sandboxProgram, environment: 'sandbox-live' },
    ],
    ['hooks.import', 'production', { ...found, environment: 'production' }],
    ['hooks.import', 'sandbox-live', { ...found, environment: 'sandbox-live' }],
    ['hooks.update', 'production', { id: hookId, headers: {} }],
    ['hooks.update', 'sandbox-live', { id: sandboxHookId, headers: {} }],
    ['hooks.rotate', 'production', { id: hookId, secret: 'whsec_rotated' }],
    ['hooks.answer', 'production', { id: hookId, rule: { status: 500 } }],
    ['hooks.answer', 'sandbox-live', { id: sandboxHookId, rule: { status: 200 } }],
    ['sandbox.trigger', 'sandbox-live', { event: 'transaction.auth', environment: 'sandbox-live' }],
    ['sandbox.send', 'sandbox-live', { id: notSent }],
    ['sandbox.create', 'sandbox-live', { kind: 'brand', environment: 'sandbox-live' }],
    [
      'sandbox.update',
      'sandbox-live',
      { id: sandboxBrand, set: { name: 'Other' }, environment: 'sandbox-live' },
    ],
    ['sandbox.setClock', 'sandbox-live', { action: 'speed', speed: 2 }],
    ['sandbox.setClock', 'sandbox-live', { action: 'jump', ms: 3_600_000 }],
    ['replay.start', 'production', { query: 'path:/h/replayed-production', to: endpoint.origin }],
    [
      'replay.start',
      'sandbox-live',
      { query: 'path:/h/replayed-sandbox-live', to: endpoint.origin },
    ],
    ['replay.check', 'production', { parts: [{ ids: [liveDelivery], to: endpoint.origin }] }],
    ['replay.check', 'sandbox-live', { parts: [{ ids: [sandboxDelivery], to: endpoint.origin }] }],
    ['shrink.start', 'production', { id: liveDelivery, to: endpoint.origin }],
    ['replay.resume', 'production', { jobId: liveReplay }],
    ['replay.resume', 'sandbox-live', { jobId: sandboxReplay }],
    ['forward.add', 'production', { url: endpoint.origin, query: 'environment:production' }],
    ['forward.add', 'sandbox-live', { url: endpoint.origin, query: 'hook:replayed-sandbox-live' }],
    ['forward.update', 'production', { id: forwardId, query: '-environment:sandbox-live' }],
    ['forward.update', 'sandbox-live', { id: forwardId, query: '-environment:production' }],
    ['check.start', 'production', { target: endpoint.origin, hookIds: [hookId] }],
    ['check.start', 'sandbox-live', { target: endpoint.origin, hookIds: [sandboxHookId] }],
    // A hook's secret, entered by the user.
    ['check.start', 'sandbox-live', { target: endpoint.origin, secret: 'whsec_sandbox-live' }],
    [
      'check.start',
      'sandbox-live',
      { target: endpoint.origin, secret: 'whsec_sandbox-live', programStatus: true },
    ],
    ['check.again', 'production', { runId: liveCheck, name: 'first-delivery' }],
    ['hooks.sync', 'sandbox-live', { environment: 'sandbox-live' }],
    ['hooks.sync', 'sandbox-live', { environment: 'sandbox-live', dryRun: true }],
    ['hooks.repoint', 'production', { from: app.receiver, to: 'https://127.0.0.1:1/new' }],
    ['hooks.remove', 'production', { id: hookId }],
    ['hooks.remove', 'production', { id: hookId, purge: true }],
    ['hooks.remove', 'sandbox-live', { id: sandboxHookId }],
    ['sandbox.reset', 'sandbox-live', {}],
    ['environments.use', 'production', { name: 'production' }],
    ['environments.use', 'sandbox-live', { name: 'sandbox-live' }],
    ['environments.check', 'production', { name: 'production' }],
    ['environments.check', 'sandbox-live', { name: 'sandbox-live' }],
    ...(['ack', 'baseUrl', 'caPem', 'key', 'prefix', 'proxy', 'timeoutMs'] as const).map(
      (field): [Guarded, string, Record<string, unknown>] => [
        'environments.update',
        'production',
        { name: 'production', [field]: accountChanges[field] },
      ],
    ),
    ['environments.update', 'sandbox-live', { name: 'sandbox-live', caPem: null }],
    ['environments.remove', 'unused', { name: 'unused' }],
  ]
  return calls.map(([command, environment, input]) => ({ command, environment, input }))
}

/** Everything that a call could have changed. */
async function state(): Promise<unknown> {
  const { call } = app
  // The clock advances by itself, so compare its offset from now: a jump changes it.
  const { now, ...clock } = await call('sandbox.clock', {})
  return {
    // Avoids minus zero.
    clock: { ...clock, hoursAhead: Math.round((Date.parse(now) - Date.now()) / 3_600_000) + 0 },
    calls: service.calls.length,
    hooks: await call('hooks.list', {}),
    environments: await call('environments.list', { includeSecrets: true }),
    objects: await call('sandbox.objects', {}),
    notifications: await call('sandbox.notifications', {}),
    deliveries: await call('deliveries.list', {}),
    replays: await call('replay.jobs', {}),
    checks: await call('check.list', {}),
    forward: await call('forward.list', {}),
    replayed: endpoint.requests.length,
  }
}

function outcome(command: CommandName, input: unknown): Promise<AppError | null> {
  return app.call(command, input as never).then(
    () => null,
    (error: unknown) => {
      if (error instanceof AppError) return error
      throw error
    },
  )
}

describe('the contract', () => {
  test('every command is either guarded or known to need no guard', () => {
    const guarded = new Set<string>(guardedCalls().map(({ command }) => command))
    for (const [name, { input }] of Object.entries(commands)) {
      const asks = JSON.stringify(
        z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }),
      ).includes('"live":')
      // `hooks.check` gets a registration's input but registers nothing.
      expect([name, guarded.has(name), needsNoGuard.has(name)]).toEqual([
        name,
        asks && name !== 'hooks.check',
        !guarded.has(name),
      ])
    }
    expect([...needsNoGuard].filter((name) => !Object.hasOwn(commands, name))).toEqual([])
  })

  test('each guarded command is rejected by name without confirmation, and nothing changes', async () => {
    const before = await state()
    for (const { command, environment, input } of guardedCalls()) {
      for (const live of [{}, { live: false }]) {
        const error = await outcome(command, { ...input, ...live })
        expect([command, error?.code]).toEqual([command, 'CONFIRMATION_REQUIRED'])
        expect(error?.message).toContain(environment)
        expect(error?.message).toContain('--live')
      }
    }
    expect(await state()).toEqual(before)
  })

  test("the current environment is guarded if it is live and the call doesn't name one", async () => {
    await app.call('environments.use', { name: 'production', live: true })
    const error = await outcome('hooks.add', {
      event: 'brand.consent',
      url: `${app.receiver}/h/current`,
    })
    expect(error).toMatchObject({
      code: 'CONFIRMATION_REQUIRED',
      details: { environment: 'production' },
    })
    await app.call('environments.use', { name: 'sandbox-test' })
  })

  test('changing URLs moves no test hooks either if it would move an unconfirmed live one', async () => {
    const url = `${app.receiver}/h/staging`
    const { hook } = await app.call('hooks.add', {
      event: 'brand.consent',
      url,
      environment: 'staging',
    })
    expect(
      (await outcome('hooks.repoint', { from: app.receiver, to: 'https://127.0.0.1:1' }))?.code,
    ).toBe('CONFIRMATION_REQUIRED')
    const { hooks } = await app.call('hooks.list', { environment: 'staging' })
    expect(hooks.find(({ id }) => id === hook.id)?.url).toBe(url)
  })

  test("a confirmation isn't remembered: the same call without it is rejected again", async () => {
    expect(await outcome('hooks.update', { id: hookId, headers: {}, live: true })).toBeNull()
    expect((await outcome('hooks.update', { id: hookId, headers: {} }))?.code).toBe(
      'CONFIRMATION_REQUIRED',
    )
  })

  test('with a confirmation every command works', async () => {
    for (const { command, environment, input } of guardedCalls()) {
      // It would connect to a remote host; the golden table of sends covers it.
      if (command === 'sandbox.send') continue
      expect([command, environment, await outcome(command, { ...input, live: true })]).toEqual([
        command,
        environment,
        null,
      ])
    }
    expect(app.bugs).toEqual([])
  })

  test('the clock is guarded while a live event waits for it; a pause sends nothing', async () => {
    const waits = await app.call('sandbox.clearings', {})
    expect(waits.clearings.filter(({ mode }) => mode === 'live')).toEqual([])
    const jump = { action: 'jump', ms: 1_000 }
    expect(await outcome('sandbox.setClock', jump)).toBeNull()
    const happens = async (event: 'brand.consent' | 'transaction.auth') => {
      const live = { event, environment: 'sandbox-live', live: true }
      const url = `${app.receiver}/h/clock`
      await app.call('hooks.import', { ...live, url, secret: 's' })
      await app.call('sandbox.trigger', live)
    }
    await happens('brand.consent')
    expect(await outcome('sandbox.setClock', jump)).toBeNull()
    await happens('transaction.auth')
    expect(await outcome('sandbox.setClock', jump)).toMatchObject({
      code: 'CONFIRMATION_REQUIRED',
      message: expect.stringContaining('1 event there'),
    })
    expect(await outcome('sandbox.setClock', { action: 'pause' })).toBeNull()
    expect(await outcome('sandbox.setClock', { action: 'resume' })).toMatchObject({
      code: 'CONFIRMATION_REQUIRED',
    })
    expect(await outcome('sandbox.setClock', { action: 'reset' })).toMatchObject({
      code: 'CONFIRMATION_REQUIRED',
    })
  })

  test('needs no confirmation in test mode', async () => {
    const { hook } = await app.call('hooks.add', {
      event: 'brand.consent',
      url: `${app.receiver}/h/test`,
      environment: 'staging',
    })
    expect(await outcome('hooks.update', { id: hook.id, headers: {} })).toBeNull()
    expect(await outcome('hooks.remove', { id: hook.id })).toBeNull()
  })
})

describe('the command line', () => {
  let receiver: string
  let sandbox: string
  const { run, json } = cli

  beforeAll(async () => {
    const { info } = await cli.serve()
    receiver = info.receiver
    sandbox = info.sandbox
    await sendDelivery(info.ca, { url: `${receiver}/replayed`, body: '{}' })
    const ca = join(cli.folder, 'service-ca.pem')
    await writeFile(ca, tls.caPem)
    const account = ['--base-url', service.origin, '--ca', ca, '--key', KEY]
    for (const name of ['production', 'unused'])
      expect((await run`environments add ${name} --mode live ${account}`).code).toBe(0)
  })

  /** Every command with `--live` in its help. */
  async function commandsWithLive(path: readonly string[] = []): Promise<string[]> {
    const { text } = await cli.run`${path} --help`
    // The program's own help groups its commands under several headings.
    const groups = text.matchAll(
      /^(?!Options|Arguments|Examples|Exit codes|Environment variables)[A-Z][\w ]*:\n((?: {2}.*\n?)+)/gm,
    )
    const listed = [...groups].map(([, lines = '']) => lines).join('')
    const names = [...listed.matchAll(/^ {2}([a-z]+)/gm)]
      .map(([, name = '']) => name)
      .filter((name) => name !== 'help')
    const below = await Promise.all(names.map((name) => commandsWithLive([...path, name])))
    return [...(/^ {2}--live\b/m.test(text) ? [path.join(' ')] : []), ...below.flat()]
  }

  test('needs --live for each of them, and runs them with it', async () => {
    const url = 'https://127.0.0.1:1/in'
    const hook = ['--event', 'brand.consent', '--environment', 'production', '--url', url]
    const id = (await run`hooks add ${hook} --live`).text
    const live = ['--environment', 'sandbox-live']
    const [brand] = await json`sandbox create brand ${live} --live`
    const brandId = String((brand as { object?: { id?: string } } | undefined)?.object?.id)
    const found = ['--event', 'transaction.auth', '--url', url, '--secret', 'whsec', ...live]
    await run`hooks import ${found} --live`
    // Its clearing waits for the clock.
    await run`trigger transaction.auth ${live} --live`
    const remote = ['--event', 'transaction.auth', '--url', 'https://192.0.2.1/hook', ...live]
    await run`hooks import ${remote} --secret whsec --live`
    const [triggered] = await json`trigger transaction.auth ${live} --live`
    const { deliveries } = triggered as { deliveries: { id: string; state: string }[] }
    const remoteDelivery = deliveries.find((each) => each.state === 'not-sent')?.id ?? ''
    const later = new Date(Date.now() + 3_600_000).toISOString()
    const guarded: [string, string, string[]][] = [
      ['hooks add', 'production', hook],
      ['hooks import', 'sandbox-live', found],
      ['hooks update', 'production', [id, '--no-headers']],
      ['hooks rotate', 'production', [id, '--secret', 'whsec_rotated']],
      ['hooks sync', 'sandbox-live', ['sandbox-live']],
      ['hooks repoint', 'production', [url, 'https://127.0.0.1:2/in']],
      ['hooks remove', 'production', [id]],
      ['environments check', 'production', ['production']],
      ['environments use', 'sandbox-live', ['sandbox-live']],
      ['environments update', 'production', ['production', '--no-proxy']],
      ['environments remove', 'unused', ['unused']],
      ['trigger', 'sandbox-live', ['transaction.auth', ...live]],
      [
        'forward',
        'production',
        ['--to', `${receiver}/passed-on`, '--query', 'environment:production'],
      ],
      ['replay', 'production', ['latest', '--hook', id, '--to', `${receiver}/replayed`]],
      // An endpoint that rejects everything.
      [
        'shrink',
        'production',
        ['latest', '--hook', id, '--to', `${sandbox}/none`, '--max-sends', '10'],
      ],
      [
        'check',
        'program.status',
        [
          `${receiver}/checked`,
          '--event',
          'program.status',
          '--secret',
          's',
          '--only',
          'first-delivery',
        ],
      ],
      ['flow run', 'sandbox-live', ['program-sync-live']],
      ['sandbox send', 'sandbox-live', [remoteDelivery]],
      ['sandbox create', 'sandbox-live', ['brand', ...live]],
      ['sandbox update', 'sandbox-live', [brandId, '--set', 'name=Other', ...live]],
      ['sandbox clock set', 'sandbox-live', [later]],
      ['sandbox clock jump', 'sandbox-live', ['1s']],
      ['sandbox clock speed', 'sandbox-live', ['2']],
      ['sandbox clock resume', 'sandbox-live', []],
      ['sandbox reset', 'sandbox-live', []],
    ]
    // The tools of `mcp --live NAME` are in test/integration/mcp.test.ts.
    const names = [...guarded.map(([name]) => name), 'mcp']
    expect((await commandsWithLive()).toSorted()).toEqual(names.toSorted())
    const before = service.calls.length
    for (const [name, environment, args] of guarded) {
      const ran = await run`${name.split(' ')} ${args}`
      expect([name, ran.code, ran.text]).toEqual([name, 3, ''])
      expect(ran.stderr).toContain(environment)
      expect(ran.stderr).toContain('--live')
    }
    expect(service.calls).toHaveLength(before)
    for (const [name, , args] of guarded) {
      // One runs until stopped, the other would connect to a remote host: their own tests cover that.
      if (name === 'forward' || name === 'sandbox send') continue
      const ran = await run`${name.split(' ')} ${args} --live`
      expect([name, ran.code, ran.stderr]).toEqual([name, 0, expect.not.stringContaining('--live')])
    }
  })
})
