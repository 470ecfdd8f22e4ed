/** Commands on an unused data folder: reading creates nothing. */
import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { prepareCli, type Cli } from './cli-fixture.ts'

let cli: Cli
const secret = 'whsec-nowhere-secret-0123'

beforeAll(async () => {
  cli = await prepareCli()
})

describe('with a missing data folder', () => {
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
    [['doctor', '--vacuum'], 0],
    [['doctor', '--json'], 0],
    [['flow', 'runs'], 0],
    [['flow', 'show', 'nope'], 3],
    [['mark', 'latest', '--pin'], 3],
    [['delete', 'latest'], 1],
    [['show', 'latest'], 3],
    [['show', 'latest', '--body'], 3],
    [['deliveries', '--follow'], 3],
    [['wait'], 3],
    [['open'], 3],
    [['trigger', 'transaction.auth'], 3],
  ])('%j exits with %i and creates nothing', async (args, code) => {
    const nowhere = cli.newDataFolder()
    const ran = await cli.run([...args, '--data', nowhere])
    expect(ran.code).toBe(code)
    if (args[0] !== 'doctor') {
      expect(ran.text).toBe('')
      expect(ran.stderr).not.toBe('')
    }
    await expect(stat(nowhere)).rejects.toThrow('ENOENT')
  })

  test('settings shows the defaults', async () => {
    const nowhere = cli.newDataFolder()
    const shown = (await cli.run(['settings', '--json', '--data', nowhere])).json()
    expect(shown).toMatchObject([{ bodyLimit: 10 * 1_048_576, window: {} }])
    await expect(stat(nowhere)).rejects.toThrow('ENOENT')
  })

  test('hooks can be imported before the first start', async () => {
    const nowhere = cli.newDataFolder()
    const about = ['--event', 'card.linked', '--url', 'https://example.com/hook', '--secret', '-']
    const imported = await cli.run(['hooks', 'import', ...about, '--data', nowhere], {
      stdin: `${secret}\n`,
    })
    expect(imported.code).toBe(0)
    const listed = await cli.run([
      'hooks',
      'list',
      '--json',
      '--include-secrets',
      '--data',
      nowhere,
    ])
    expect(listed.json()).toMatchObject([{ id: imported.text, secret }])
  })
})

test.skipIf(process.platform === 'win32')(
  "an unreadable data folder doesn't count as empty",
  async () => {
    const loop = cli.newDataFolder()
    symlinkSync(loop, loop)
    for (const command of [['deliveries'], ['doctor'], ['export']])
      expect(await cli.run([...command, '--data', loop])).toMatchObject({
        code: 3,
        text: '',
        stderr: expect.stringContaining(loop),
      })
  },
)

test.each([
  ['show', 'latest:card.link'],
  ['compare', 'latest:card.link'],
  ['compare', 'latest', 'latest:card.link'],
  ['mark', 'latest', 'latest:card.link', '--pin'],
  ['delete', 'latest:card.link'],
  ['replay', 'latest', 'latest:card.link'],
  ['shrink', 'latest:card.link'],
  ['verify', '--delivery', 'latest:card.link'],
])('%s %s rejects an unknown event and suggests a similar one', async (...args) => {
  const ran = await cli.run([...args, '--data', cli.newDataFolder()])
  expect(ran).toMatchObject({ code: 2, text: '' })
  expect(ran.stderr).toContain('Unknown event "card.link". Did you mean card.linked?')
})

test('trigger suggests a similar event, even if Countersign is not running', async () => {
  const ran = await cli.run(['trigger', 'transaction.atuh', '--data', cli.newDataFolder()])
  expect(ran).toMatchObject({
    code: 2,
    text: '',
    stderr: expect.stringContaining('Did you mean transaction.auth?'),
  })
})

describe('with a file as data folder', () => {
  const commands = [
    ['deliveries'],
    ['show', 'latest'],
    ['settings'],
    ['settings', '--keep-days', '3'],
    ['doctor'],
    ['wait'],
    ['serve', '--json'],
  ]

  test.each(commands)('%s %s says that it is a file and what to do', async (...command) => {
    const file = cli.newDataFolder()
    await writeFile(file, 'a file')
    const ran = await cli.run([...command, '--data', file])
    expect(ran).toMatchObject({ code: 3, text: '' })
    expect(ran.stderr).toBe(
      `${file} is a file, not a folder. Choose another data folder with --data or COUNTERSIGN_DATA.\n`,
    )
    const inside = join(file, 'deep', 'inside')
    const deeper = await cli.run([...command, '--data', inside])
    expect(deeper).toMatchObject({ code: 3, text: '' })
    expect(deeper.stderr).toContain(`Couldn't use ${inside}: ${file} is a file, not a folder.`)
  })

  test('distinguishes a missing folder from one without a database', async () => {
    const folder = cli.newDataFolder()
    const next = 'Run "countersign serve" first, or check --data.\n'
    const deliveries = () => cli.run(['deliveries', '--data', folder])
    expect(await deliveries()).toMatchObject({
      code: 0,
      stderr: `No deliveries yet: ${folder} does not exist. ${next}`,
    })
    await mkdir(folder)
    expect(await deliveries()).toMatchObject({
      code: 0,
      stderr: `No deliveries yet: ${folder} has no database. ${next}`,
    })
  })

  test.runIf(process.platform === 'linux').each([
    ['settings', '--keep-days', '3'],
    ['environments', 'use', 'sandbox-test'],
    ['import', '-'],
    ['flow', 'run', 'purchase-visa'],
    ['views', 'save', 'a', 'is:valid'],
    ['serve', '--json', '--ui-port', '0', '--receiver-port', '0', '--sandbox-port', '0'],
  ])("%s %s gives up if the folder can't be created", async (...command) => {
    const ran = await cli.run([...command, '--data', '/proc/nope/deep'])
    expect(ran).toMatchObject({ code: 3, text: '' })
    expect(ran.stderr).toMatch(
      /^Can.t create the data folder \/proc\/nope\/deep: ENOENT: .*\. Choose a folder with --data or COUNTERSIGN_DATA\.$/m,
    )
  })
})

test.each([
  [['delete', '--query', 'a', '--query', 'b', '--yes'], '--query given twice.'],
  [['wait', '--query', 'a', '--query', 'b'], '--query given twice.'],
  [
    ['trigger', 'card.linked', '--environment', 'sandbox-test', '--environment', 'sandbox-live'],
    '--environment given twice.',
  ],
  [
    ['deliveries', 'is:invalid', '-event:card.*'],
    "A query is one argument. Quote it: 'is:invalid -event:card.*'.",
  ],
  [['export', 'one', 'two', '-o', 'x'], "A query is one argument. Quote it: 'one two'."],
  [
    ['views', 'save', 'odd', 'is:invalid', 'two'],
    "A query is one argument. Quote it: 'is:invalid two'.",
  ],
  [['wait', '--timeout', '99999999999'], 'Expected seconds, like 30 or 0.5, at most 2147483.'],
  [
    ['deliveries', '--limit', '99999999999999999999'],
    'Expected an integer from 1 to 9007199254740991.',
  ],
  [
    ['sandbox', 'clock', 'jump', '99999999999d'],
    'Expected a duration like 90s, 15m, 72h or 3d, at most 36500d.',
  ],
])('rejects %j and suggests a fix', async (args, said) => {
  const ran = await cli.run([...args, '--data', cli.newDataFolder()])
  expect(ran).toMatchObject({ code: 2, text: '', stderr: expect.stringContaining(said) as string })
})

/** Makes a folder read-only, even for root; returns why not if it can't. */
function mountReadOnly(folder: string): string | null {
  if (process.platform !== 'linux') return `there is no bind mount on ${process.platform}`
  if (process.getuid?.() !== 0) return 'only root may mount'
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"', folder],
    { encoding: 'utf8' },
  )
  return status === 0 ? null : stderr.trim()
}

test('a read-only data folder is a sentence that says what to do', async (context) => {
  const folder = cli.newDataFolder()
  expect((await cli.run(['views', 'save', 'one', 'is:invalid', '--data', folder])).code).toBe(0)
  const reason = mountReadOnly(folder)
  if (reason !== null) return context.skip(reason)
  try {
    for (const args of [
      ['deliveries'],
      ['settings'],
      ['doctor'],
      ['serve', '--no-open'],
      ['doctor', '--repair'],
      ['doctor', '--vacuum'],
    ]) {
      const { code, stderr } = await cli.run([...args, '--data', folder])
      expect([args, code, stderr]).toEqual([
        args,
        3,
        `Can't write to ${folder}. Make it writable for your user, or choose a folder with --data or COUNTERSIGN_DATA.\n`,
      ])
    }
  } finally {
    spawnSync('umount', [folder])
  }
})
