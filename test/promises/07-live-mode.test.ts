/**
 * Promise 7: live mode is guarded. The window's user gives consent per remote host and live
 * environment, which is kept; a command has consent for one call. Which command needs it is tested
 * in `live-changes.test.ts` and by the golden table of sends.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cliOfFile } from '../integration/cli-fixture.ts'
import { sendDelivery } from '../support/deliver.ts'
import { startOtherService, type OtherService } from '../support/other-service.ts'
import { runReplay, startRawEndpoint, type RawEndpoint } from '../support/replay-fixture.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { startTestCore, type TestCore } from '../support/test-core.ts'
import { makeTestTls, type TestTls } from '../support/tls.ts'
import { checkEnd, until } from '../support/until.ts'

const cli = cliOfFile()

const KEY = 'sk_live_guarded_0123456789'

let tls: TestTls
let service: OtherService
let endpoint: RawEndpoint
beforeAll(async () => {
  tls = await makeTestTls()
  service = await startOtherService(tls, {
    authenticates: (headers) => headers['service-key'] === KEY,
  })
  endpoint = await startRawEndpoint()
})
afterAll(async () => {
  await endpoint.close()
  await service.close()
})

describe('the consent of the window', () => {
  const dataFolder = temporaryFolder()
  const live = { about: 'environment', name: 'acme' } as const
  const host = { about: 'host', name: '0.0.0.0' } as const
  const refused = { code: 'CONFIRMATION_REQUIRED', details: { environments: ['acme'] } }
  let app: TestCore
  const kept = async () => (await app.call('consent.list', {})).consents.map(({ name }) => name)
  const give = () => app.window.call('consent.give', { subjects: [live, host] })
  const replayLive = (client = app.window) =>
    runReplay(client, { ids: ['latest'], to: endpoint.origin })

  beforeAll(async () => {
    app = await startTestCore({ dataFolder })
    const account = { baseUrl: service.origin, caPem: tls.caPem, key: KEY }
    await app.call('environments.add', { name: 'acme', mode: 'live', ...account })
    const hook = await app.hook('/h/acme', 'whsec_acme', { environment: 'acme', live: true })
    await app.deliver(hook)
  })
  afterAll(() => app.stop())
  beforeEach(async () => {
    await app.call('consent.forget', {})
    endpoint.requests.length = 0
  })

  test('is kept over a restart, and counts for the window only', async () => {
    await expect(replayLive()).rejects.toMatchObject(refused)
    await give()
    await app.stop()
    app = await startTestCore({ dataFolder })
    expect(await kept()).toEqual(['acme', '0.0.0.0'])
    expect((await replayLive()).sends).toMatchObject([{ status: 200 }])
    const remote = { ids: ['latest'], to: `http://0.0.0.0:${endpoint.port}/` }
    expect((await runReplay(app.window, remote)).sends).toMatchObject([{ status: 200 }])
    // The control channel, commands and agents.
    await expect(replayLive(app.client)).rejects.toMatchObject(refused)
    await expect(runReplay(app.client, { ...remote, live: true })).rejects.toMatchObject({
      code: 'TARGET_NOT_ALLOWED',
    })
  })

  test('is what the user has given, not what a call of the page claims', async () => {
    const claimed = { ids: ['latest'], to: endpoint.origin, live: true, allowHosts: ['0.0.0.0'] }
    await expect(runReplay(app.window, claimed)).rejects.toMatchObject(refused)
    expect(endpoint.requests).toEqual([])
  })

  test('is given only by the question of the window, to environments that exist', async () => {
    await runReplay(app.client, {
      ids: ['latest'],
      to: `http://0.0.0.0:${endpoint.port}/`,
      allowHosts: ['0.0.0.0'],
      live: true,
    })
    await expect(app.call('consent.give', { subjects: [live] })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
    })
    const unknown = { about: 'environment', name: 'later' } as const
    await expect(app.window.call('consent.give', { subjects: [unknown] })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    expect(await kept()).toEqual([])
    // No import, deep link, flow file or agent's tool leads there.
    const source = join(import.meta.dirname, '../../src')
    const callers = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((name) => /(?<!\.test)\.tsx?$/.test(name))
      .filter((name) => readFileSync(join(source, name), 'utf8').includes("'consent.give'"))
    expect(callers.toSorted()).toEqual([
      'core/commands/handlers.ts',
      'renderer/core-data/asking-client.ts',
      'shared/contract/nouns/consent.ts',
    ])
  })

  test("ends with another base URL, an environment's removal, or a handler's other host", async () => {
    await give()
    await app.window.call('environments.update', { name: 'acme', timeoutMs: 20_000 })
    expect(await kept()).toEqual(['acme', '0.0.0.0'])
    await app.window.call('environments.update', { name: 'acme', baseUrl: `${service.origin}/api` })
    expect(await kept()).toEqual(['0.0.0.0'])
    const { handler } = await app.call('handlers.add', {
      name: 'remote',
      url: 'http://0.0.0.0:1/a',
    })
    await app.call('handlers.update', { id: handler.id, url: 'http://0.0.0.0:1/b' })
    expect(await kept()).toEqual(['0.0.0.0'])
    await app.call('handlers.update', { id: handler.id, url: 'http://127.0.0.1:1/b' })
    expect(await kept()).toEqual([])
    const other = { name: 'other', mode: 'live', baseUrl: service.origin, key: KEY } as const
    await app.call('environments.add', other)
    await app.window.call('consent.give', {
      subjects: [{ about: 'environment', name: other.name }],
    })
    await app.window.call('environments.remove', { name: other.name })
    expect(await kept()).toEqual([])
  })

  test('is revoked by subject, and then asked for again', async () => {
    await give()
    const other = { about: 'environment', name: 'sandbox-live' } as const
    await app.window.call('consent.give', { subjects: [other] })
    expect(await app.call('consent.forget', live)).toMatchObject({ consents: [live] })
    expect(await kept()).toEqual(['0.0.0.0', 'sandbox-live'])
    await expect(replayLive()).rejects.toMatchObject(refused)
  })

  test('is needed again to resume a replay, repeat a case, or change and resume a target', async () => {
    await give()
    const { replay } = await replayLive()
    const { hooks } = await app.call('hooks.list', {})
    const hookIds = hooks.map(({ id }) => id)
    const input = { target: endpoint.origin, hookIds, only: ['first-delivery'] }
    const { run } = await app.window.call('check.start', input)
    await checkEnd(app.window, run.id)
    const { target } = await app.window.call('forward.add', { url: endpoint.origin })
    await app.call('consent.forget', {})
    const { id } = target
    for (const call of [
      () => app.window.call('replay.resume', { replayId: replay.id }),
      () => app.window.call('check.again', { runId: run.id, name: 'first-delivery' }),
      () => app.window.call('forward.update', { id, name: 'Other' }),
      () => app.window.call('forward.resume', { id }),
      () => app.window.call('forward.deliver', { id }),
    ])
      await expect(call()).rejects.toMatchObject(refused)
    await app.call('forward.remove', { id })
  })

  test('holds for a saved forwarding target until it is revoked', async () => {
    await give()
    const url = `http://0.0.0.0:${endpoint.port}/`
    const { target } = await app.window.call('forward.add', { url })
    const hook = { url: `${app.receiver}/h/acme`, secret: 'whsec_acme' }
    const shown = async () =>
      (await app.call('forward.list', {})).targets.find(({ id }) => id === target.id) ?? target
    const becomes = (isRight: (now: typeof target) => boolean) =>
      until(app.client, 'forward.changed', shown, isRight)
    await app.deliver(hook)
    await becomes(({ passed }) => passed === 1)
    await app.call('consent.forget', host)
    await app.deliver(hook)
    const { problem } = await becomes(({ light }) => light === 'down')
    expect(problem).toContain('0.0.0.0 is a remote host')
    await app.call('consent.forget', live)
    await app.deliver(hook)
    await becomes(({ withheld }) => withheld === 1)
    expect(endpoint.requests).toHaveLength(1)
    await app.call('forward.remove', { id: target.id })
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
    const composed = join(cli.folder, 'composed.json')
    await writeFile(composed, '{}')
    const setup = join(cli.folder, 'countersign.json')
    const current = { environment: 'sandbox-live' }
    await writeFile(setup, JSON.stringify({ countersign: 1, current }))
    const guarded: [string, string, string[]][] = [
      // Before `environments use`, because it changes the same; JSON has no plan if it fails.
      ['apply', 'sandbox-live', [setup, '--yes', '--json']],
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
      ['send', 'production', [composed, '--hook', id, '--to', `${receiver}/sent`]],
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
      // One runs until stopped, the other would connect to a remote host: their own tests cover
      // that.
      if (name === 'forward' || name === 'sandbox send') continue
      const ran = await run`${name.split(' ')} ${args} --live`
      expect([name, ran.code, ran.stderr]).toEqual([name, 0, expect.not.stringContaining('--live')])
    }
  })
})
