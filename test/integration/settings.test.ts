import { createServer } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { DEFAULT_SETTINGS, settingsSchema, type Settings } from '../../src/shared/model/settings.ts'
import { listen } from '../support/listen.ts'
import { coreInFolder, storeInFolder } from '../support/in-folder.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { createPorts } from '../../src/core/settings/ports.ts'
import { cliOfFile } from './cli-fixture.ts'

const cli = cliOfFile()

const SECRET = 'whsec_of_the_settings'
const MIB = 1_048_576

let dataFolder: string
beforeAll(() => {
  dataFolder = temporaryFolder()
})

test('the body limit is 10 MiB, can be changed at any time, and survives a restart', async () => {
  const first = await coreInFolder({ dataFolder })
  const { call } = first
  const reported: Settings[] = []
  first.client.on('settings.changed', (settings) => reported.push(settings))
  const hook = await call('hooks.import', {
    event: 'transaction.auth',
    url: `${first.receiver}/h/big`,
    secret: SECRET,
  })
  const deliver = async (size: number) => {
    const body = 'x'.repeat(size)
    const { status } = await first.deliver({ url: hook.url, secret: SECRET }, body)
    const { verdict, truncated, bodySize } = await call('deliveries.get', { id: 'latest' })
    return { status, verdict, truncated, bodySize }
  }

  expect(await call('settings.get', {})).toMatchObject({ bodyLimit: 10 * MIB })
  expect(await deliver(2_000)).toMatchObject({ status: 200, verdict: 'valid', truncated: false })
  expect(await call('settings.set', { bodyLimit: 1_024 })).toMatchObject({ bodyLimit: 1_024 })
  expect(await deliver(1_024)).toMatchObject({ status: 200, truncated: false, bodySize: 1_024 })
  expect(await deliver(1_025)).toEqual({
    status: 413,
    verdict: 'valid',
    truncated: true,
    bodySize: 1_025,
  })
  expect(await call('deliveries.body', { id: 'latest' })).toMatchObject({ size: 1_024 })
  expect(reported.map(({ bodyLimit }) => bodyLimit)).toEqual([1_024])
  await first.stop()

  const second = await coreInFolder({ dataFolder })
  expect(await second.call('settings.get', {})).toMatchObject({ bodyLimit: 1_024 })
  expect([...first.bugs, ...second.bugs]).toEqual([])
  await second.stop()
})

test("settings that can't be read are as if never stored", async () => {
  const damaged = temporaryFolder()
  const store = await storeInFolder(damaged)
  for (const name of ['settings', 'views', 'compare.volatile.no-hook', 'tunnels.addresses'])
    await store.write('writeSetting', { name, value: '{"half":' })
  await store.close()
  const { client, bugs } = await coreInFolder({ dataFolder: damaged })
  expect(await client.call('settings.get', {})).toEqual(DEFAULT_SETTINGS)
  expect(await client.call('views.list', {})).toEqual({ views: [] })
  expect(await client.call('replay.targets', {})).toMatchObject({ recent: [] })
  expect(await client.call('compare.volatile', { hookId: null })).toMatchObject({ isOwn: false })
  expect(bugs).toEqual([])
})

/** Finds a free port and takes another. */
async function somePorts() {
  const open = async () => {
    const server = createServer()
    return {
      port: await listen(server),
      close: () => new Promise((resolve) => server.close(resolve)),
    }
  }
  const [free, taken] = [await open(), await open()]
  await free.close()
  return { free: free.port, taken }
}

test('ports apply at the next start, unless an option names others; one that is taken is rejected', async () => {
  const folder = temporaryFolder()
  const { free, taken } = await somePorts()
  const { client, ...core } = await coreInFolder({ dataFolder: folder })
  const set = (ports: object) => client.call('settings.set', { ports })
  await expect(set({ receiver: taken.port })).rejects.toMatchObject({
    code: 'PORT_IN_USE',
    message: `Port ${taken.port} is in use. Choose another port, or stop the program that uses it.`,
  })
  await expect(set({ receiver: 4784 })).rejects.toThrow('The sandbox already uses port 4784.')
  await expect(set({ sandbox: 70_000 })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  expect(await set({ sandbox: free })).toMatchObject({ ports: { receiver: null, sandbox: free } })
  // The port that this process listens on isn't taken.
  const own = Number(new URL(core.receiver).port)
  expect(await set({ receiver: own })).toMatchObject({ ports: { receiver: own } })
  await core.stop()
  await taken.close()

  const store = await storeInFolder(folder)
  const ports = createPorts(store, {
    current: () => settingsSchema.parse({ ports: { receiver: 4790 } }),
  })
  expect([await ports.choose('receiver', undefined), await ports.choose('receiver', 5000)]).toEqual(
    [4790, 5000],
  )
  expect([
    await ports.choose('sandbox', undefined),
    await ports.choose('receiverHttp', undefined),
  ]).toEqual([4784, null])
})

test('the command line shows and changes settings', async () => {
  const folder = cli.newDataFolder()
  const run = (...args: string[]) => cli.given({ data: folder }).run`settings ${args}`
  expect((await run('--json')).json()).toMatchObject([{ bodyLimit: 10 * MIB }])
  expect((await run('--body-limit', '20MiB', '--json')).json()).toMatchObject([
    { bodyLimit: 20 * MIB },
  ])
  const shown = await run()
  expect(shown.code).toBe(0)
  expect(String(shown.stdout)).toContain('20,971,520 bytes')
  const { free, taken } = await somePorts()
  await taken.close()
  const ported = await run(
    '--sandbox-port',
    String(free),
    '--notify-flow',
    'on',
    '--on-close',
    'background',
    '--json',
  )
  expect(ported.json()).toMatchObject([
    {
      bodyLimit: 20 * MIB,
      ports: { sandbox: free, receiver: null },
      desktop: { notifyFlow: true, onClose: 'background' },
    },
  ])
  expect((await run('--sandbox-port', 'default', '--json')).json()).toMatchObject([
    { ports: { sandbox: null } },
  ])
  const appearance = ['--theme', 'light', '--wrap', 'off', '--single-keys', 'on']
  expect((await run(...appearance, '--json')).json()).toMatchObject([
    {
      window: {
        theme: 'light',
        wrap: false,
        singleKeys: true,
      },
    },
  ])
  expect(String((await run()).stdout)).toMatch(
    /^theme +light\nwrap long lines +off\nsingle-key shortcuts +on$/m,
  )
})
