/** The commands where nothing was ever started: what only reads leaves nothing behind. */
import { symlinkSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { prepareCli, type Cli } from './cli-fixture.ts'

let cli: Cli
const secret = 'whsec-nowhere-secret-0123'

beforeAll(async () => {
  cli = await prepareCli()
}, 120_000)

afterAll(() => cli.cleanUp())

describe('with a data folder that is not there', () => {
  test.each([
    [['deliveries'], 0],
    [['deliveries', '--json'], 0],
    [['hooks', 'list'], 0],
    [['hooks', 'env'], 0],
    [['environments', 'list'], 0],
    [['environments', 'list', '--include-secrets', '--json'], 0],
    [['environments', 'check'], 3],
    [['environments', 'check', 'staging'], 3],
    [['replay', 'latest', '--to', 'https://127.0.0.1:1/'], 3],
    [['shrink', 'latest', '--to', 'https://127.0.0.1:1/'], 3],
    [['compact'], 0],
    [['doctor', '--json'], 0],
    [['flow', 'runs'], 0],
    [['flow', 'show', 'nope'], 3],
    [['flow', 'compare', 'nope', 'nor-this'], 3],
    [['mark', 'latest', '--pin'], 3],
    [['delete', 'latest'], 1],
    [['show', 'latest'], 3],
    [['show', 'latest', '--body'], 3],
    [['deliveries', '--follow'], 3],
    [['wait'], 3],
    [['open'], 3],
    [['trigger', 'transaction.auth'], 3],
  ])('%j ends with %i and makes nothing', async (args, code) => {
    const nowhere = cli.newDataFolder()
    const ran = await cli.run([...args, '--data', nowhere])
    expect(ran.code).toBe(code)
    if (args[0] !== 'doctor') {
      expect(ran.text).toBe('')
      expect(ran.stderr).not.toBe('')
    }
    await expect(stat(nowhere)).rejects.toThrow('ENOENT')
  })

  test('settings are shown as they are before anything is set', async () => {
    const nowhere = cli.newDataFolder()
    const shown = (await cli.run(['settings', '--json', '--data', nowhere])).json()
    expect(shown).toEqual([
      { bodyLimit: 10 * 1_048_576, retention: { days: null, deliveries: null, bytes: null }, firstWalk: null },
    ])
    await expect(stat(nowhere)).rejects.toThrow('ENOENT')
  })

  test('hooks can be imported before anything was ever started', async () => {
    const nowhere = cli.newDataFolder()
    const url = 'https://example.com/hook'
    const imported = await cli.run(
      ['hooks', 'import', '--event', 'card.linked', '--url', url, '--secret', '-', '--data', nowhere],
      { stdin: `${secret}\n` },
    )
    expect(imported.code).toBe(0)
    const listed = (await cli.run(['hooks', 'list', '--json', '--include-secrets', '--data', nowhere])).json()
    expect(listed).toMatchObject([{ id: imported.text, event: 'card.linked', url, secret, environment: 'sandbox-test' }])
  })
})

test.skipIf(process.platform === 'win32')('a data folder that cannot be looked into is not taken for an empty one', async () => {
  const loop = cli.newDataFolder()
  symlinkSync(loop, loop)
  for (const command of [['deliveries'], ['doctor'], ['export']])
    expect(await cli.run([...command, '--data', loop])).toMatchObject({
      code: 3,
      text: '',
      stderr: expect.stringContaining(loop),
    })
})
