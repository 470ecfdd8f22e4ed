/**
 * `completion`: Tab in a real bash, fish and zsh in a terminal, and the answers that the scripts of
 * all shells get.
 */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { closeAtEnd } from '../support/temporary-folder.ts'
import { cliOfFile, exitOf } from './cli-fixture.ts'

const cli = cliOfFile()
const { run } = cli
const env = { COUNTERSIGN_DATA: cli.data }
const inEnvironment = cli.given({ data: null, env })

const isThere = (command: string) => spawnSync(command, ['--version']).status === 0
/** The command of Linux that gives a shell a terminal. */
const canType = process.platform === 'linux' && isThere('script')

/**
 * Resolves with the values that a shell gets for the typed words, of which the last is incomplete.
 */
async function proposed(shell: string, ...words: readonly string[]): Promise<string[]> {
  const { text } = await inEnvironment.run`completion ${shell} complete -- ${words}`
  return text.split('\n').flatMap((line) => (line.startsWith(':') ? [] : [line.split('\t')[0]!]))
}

beforeAll(async () => {
  await run`handlers add local --url http://127.0.0.1:3000/webhooks --secret s3cret`
  await run`views save ${"Ana's refunds $(touch gone)"} event:transaction.refund`
  await run`hooks import --environment sandbox-test --event card.linked --url https://shop.example/cards --secret whsec`
})

test('commands, options, choices, and the names and IDs of the data folder', async () => {
  expect(await proposed('fish', 'hand')).toEqual(['handlers'])
  expect(await proposed('fish', 'hooks', 're')).toEqual(['remove', 'repoint'])
  expect(await proposed('fish', 'hooks', 'add', '--ev')).toEqual(['--event'])
  expect(await proposed('fish', 'deliveries', '--da')).toEqual(['--data'])
  expect(await proposed('fish', 'trigger', 'card.')).toEqual(['card.linked', 'card.failed'])
  expect(await proposed('fish', 'trigger', 'card.linked', '--fault', 'st')).toEqual(['stale'])
  expect(await proposed('fish', 'flow', 'run', 'refund-p')).toEqual(['refund-partial'])
  expect(await proposed('fish', 'check', '--only', 'refund')).not.toEqual([])
  expect(await proposed('fish', 'replay', 'latest', '--to', '')).toEqual(['@local'])
  expect(await proposed('fish', 'handlers', 'use', '')).toEqual(['local'])
  expect(await proposed('fish', 'environments', 'use', 'sandbox-l')).toEqual(['sandbox-live'])
  expect(await proposed('fish', 'deliveries', '--view', 'Ana')).toEqual([
    "Ana's refunds $(touch gone)",
  ])
  // Nothing that a terminal interprets reaches it.
  await run`views save ${'odd\u001b]52;c;YQ==\u0007\u202e\u2028\u009b2J'} is:valid`
  for (const shell of ['bash', 'fish', 'zsh'])
    expect(await proposed(shell, 'deliveries', '--view', 'odd')).toEqual([
      expect.stringMatching(/^odd[ -~]+$/),
    ])
  const [hook] = await cli.json`hooks list`
  expect(await proposed('fish', 'hooks', 'rotate', '')).toEqual([hook?.['id']])
  expect(await proposed('fish', 'show', 'latest:card.l')).toEqual(['latest:card.linked'])
})

test("a file, a value that nothing lists, and a data folder that doesn't exist", async () => {
  const answer = async (...words: readonly string[]) =>
    (await inEnvironment.run`completion bash complete -- ${words}`).text
  // 0 lets the shell offer files, 4 doesn't.
  expect(await answer('import', '')).toBe(':0')
  expect(await answer('verify', '--body', '')).toBe(':0')
  expect(await answer('verify', '--url', '')).toBe(':4')
  expect(await proposed('fish', '--data', cli.newDataFolder(), 'handlers', 'use', '')).toEqual([])
})

test('another shell is rejected, and the error lists the known ones', async () => {
  const { code, stderr } = await run`completion nu`
  expect([code, stderr]).toEqual([
    2,
    'Invalid shell "nu". Expected bash, zsh, fish or powershell.\n',
  ])
})

function shellIn(command: string) {
  const bin = join(cli.folder, 'bin')
  mkdirSync(bin, { recursive: true })
  const file = join(bin, 'countersign')
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${cli.entry()}' "$@"\n`)
  chmodSync(file, 0o755)
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: cli.folder,
    env: {
      HOME: cli.folder,
      PATH: [bin, process.env['PATH']].join(delimiter),
      TERM: 'dumb',
      LC_ALL: 'C.UTF-8',
      ...env,
    },
  })
  closeAtEnd(async () => {
    child.kill('SIGKILL')
    await exitOf(child)
  })
  let screen = ''
  let wake = () => undefined as void
  child.stdout.on('data', (chunk: Buffer) => {
    // Without bells and the ways to move the cursor.
    screen += chunk.toString().replaceAll(/[\u0007\u0008\r]/g, '')
    wake()
  })
  return {
    /** Types the keys, and resolves once the text appears after them. */
    async type(keys: string, expected: string): Promise<void> {
      const before = screen.length
      child.stdin.write(keys)
      while (!screen.slice(before).includes(expected))
        await new Promise<void>((resolve) => (wake = resolve))
    },
    screen: () => screen,
  }
}

const CLEAR = '\u0015'

const starts = [
  ['bash', 'bash --norc --noprofile -i', 'source <(countersign completion bash)'],
  ['fish', 'fish --no-config -i', 'countersign completion fish | source'],
  ['zsh', 'zsh -f -i', 'autoload -Uz compinit; compinit -u; source <(countersign completion zsh)'],
] as const

// Skips if the shell isn't installed, or if no command gives it a terminal.
for (const [name, command, set] of starts)
  test.skipIf(!canType || !isThere(name))(`at Tab in ${name}`, async () => {
    const shell = shellIn(command)
    await shell.type(`stty columns 200; ${set}; echo re"ady"\n`, 'ready')
    await shell.type('countersign han\t', 'countersign handlers ')
    await shell.type('us\t', 'use ')
    await shell.type('lo\t', 'local ')
    await shell.type(`${CLEAR}countersign trigger card.l\t`, 'card.linked ')
    await shell.type(`${CLEAR}countersign replay latest --to @lo\t`, '@local ')
    await shell.type(`${CLEAR}countersign show latest:card.l\t`, 'latest:card.linked')
    // A name as it must be typed; what it contains doesn't run.
    await shell.type(
      `${CLEAR}countersign deliveries --view Ana\t`,
      String.raw`\ refunds\ \$\(touch\ gone\)`,
    )
    await shell.type('\n', 'No deliveries')
    expect(existsSync(join(cli.folder, 'gone'))).toBe(false)
    expect(shell.screen()).not.toMatch(/command not found|readonly|syntax error/)
  })
