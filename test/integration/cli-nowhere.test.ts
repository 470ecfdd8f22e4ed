/**
 * Data folders that are missing, empty, files or not writable. `golden/refused.txt` has what each
 * command says without one.
 */
import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cliOfFile } from './cli-fixture.ts'

const cli = cliOfFile()
const secret = 'whsec-nowhere-secret-0123'

test('settings shows the defaults, and hooks can be imported before the first start', async () => {
  const { run, json } = cli.given({ data: cli.newDataFolder(), stdin: `${secret}\n` })
  expect(await cli.json`settings`).toMatchObject([{ bodyLimit: 10 * 1_048_576, window: {} }])
  await expect(stat(cli.data)).rejects.toThrow('ENOENT')
  const { code, text: id } =
    await run`hooks import --event card.linked --url https://example.com/hook --secret -`
  expect([code, await json`hooks list --include-secrets`]).toMatchObject([0, [{ id, secret }]])
})

test.skipIf(process.platform === 'win32')(
  "an unreadable data folder doesn't count as empty",
  async () => {
    const data = cli.newDataFolder()
    symlinkSync(data, data)
    for (const command of ['deliveries', 'doctor', 'export'])
      expect(await cli.given({ data }).run`${command}`).toMatchObject({
        code: 3,
        text: '',
        stderr: expect.stringContaining(data),
      })
  },
)

test('with a file as data folder, each command says so and what to do', async () => {
  const data = cli.newDataFolder()
  await writeFile(data, 'a file')
  const inside = join(data, 'deep', 'inside')
  for (const command of ['deliveries', 'show latest', 'settings --keep-days 3', 'doctor', 'wait']) {
    const args = command.split(' ')
    expect(await cli.given({ data }).run`${args}`).toMatchObject({
      code: 3,
      text: '',
      stderr: `${data} is a file, not a folder. Choose another data folder with --data or COUNTERSIGN_DATA.\n`,
    })
    expect((await cli.given({ data: inside }).run`${args}`).stderr).toContain(
      `Couldn't use ${inside}: ${data} is a file, not a folder.`,
    )
  }
})

test.skipIf(process.platform === 'win32')(
  'a link in a data folder from elsewhere is refused by every command, and what it leads to stays',
  async () => {
    const data = cli.newDataFolder()
    const file = join(cli.folder, 'a file of the user')
    await mkdir(join(data, 'logs'), { recursive: true })
    await writeFile(file, 'as it was')
    const link = join(data, 'logs', 'countersign.log')
    symlinkSync(file, link)
    const bare = 'hooks import --event card.linked --url https://example.com/hook --secret a-secret'
    for (const command of ['deliveries', 'doctor', 'doctor --repair', 'serve', bare])
      expect(await cli.given({ data }).run`${command.split(' ')}`).toMatchObject({
        code: 3,
        text: '',
        stderr: `${link} isn't a plain file or folder. Move it away, or choose another data folder with --data or COUNTERSIGN_DATA.\n`,
      })
    expect([await readFile(file, 'utf8'), await readdir(data)]).toEqual(['as it was', ['logs']])
  },
)

test.skipIf(process.platform !== 'linux')(
  'without a home folder, or address space for threads, a sentence says what to do',
  async () => {
    const lost = await cli.given({ data: null, env: { HOME: '', XDG_DATA_HOME: '' } })
      .runProcess`deliveries`
    expect(lost).toMatchObject({
      code: 3,
      stderr:
        "Couldn't find your home folder. Set HOME, or choose another data folder with --data or COUNTERSIGN_DATA.\n",
    })
    const serve = ['serve', '--data', cli.newDataFolder(), '--no-open', '--receiver-port', '0']
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', 'ulimit -v 2400000 && exec "$@"', 'sh', process.execPath, cli.entry(), ...serve],
      { encoding: 'utf8' },
    )
    expect([status, stderr]).toEqual([
      3,
      'Countersign needs 3 GB of address space, but "ulimit -v" allows less. Raise that limit.\n',
    ])
  },
)

test('a folder without a database differs from a missing one', async () => {
  const data = cli.newDataFolder()
  await mkdir(data)
  expect(await cli.given({ data }).run`deliveries`).toMatchObject({
    code: 0,
    stderr: `No deliveries yet: ${data} has no database. Run "countersign serve" first, or check --data.\n`,
  })
})

test
  .runIf(process.platform === 'linux')
  .each([
    'settings --keep-days 3',
    'environments use sandbox-test',
    'import -',
    'flow run purchase-visa',
    'views save a is:valid',
    'serve --json --ui-port 0 --receiver-port 0 --sandbox-port 0',
  ])("%s gives up if the folder can't be created", async (command) => {
  const ran = await cli.given({ data: '/proc/nope/deep' }).run`${command.split(' ')}`
  expect(ran).toMatchObject({ code: 3, text: '' })
  expect(ran.stderr).toMatch(
    /^Can.t create the data folder \/proc\/nope\/deep: ENOENT: .*\. Choose a folder with --data or COUNTERSIGN_DATA\.$/m,
  )
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
  const data = cli.newDataFolder()
  const { run } = cli.given({ data })
  expect((await run`views save one is:invalid`).code).toBe(0)
  const reason = mountReadOnly(data)
  if (reason !== null) return context.skip(reason)
  try {
    const stderr = `Can't write to ${data}. Make it writable for your user, or choose a folder with --data or COUNTERSIGN_DATA.\n`
    for (const command of [
      'deliveries',
      'settings',
      'doctor',
      'serve --no-open',
      'doctor --repair',
      'doctor --vacuum',
    ])
      expect({ ...(await run`${command.split(' ')}`), command }).toMatchObject({ code: 3, stderr })
  } finally {
    spawnSync('umount', [data])
  }
})
