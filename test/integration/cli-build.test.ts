/**
 * The build script and the `countersign` command in a small checkout. Stand-in bundlers write one
 * line and count their calls.
 */
import { spawn } from 'node:child_process'
import { chmod, cp, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { execFileSync } from 'node:child_process'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'

const project = resolve(import.meta.dirname, '../..')
let root: string

/** The public-domain notice of SQLite is read from it. */
const SQLITE_HEADER = 'node_modules/better-sqlite3/deps/sqlite3/sqlite3.h'
/** Packages that ship outside the bundles. */
const shippedBeside = [
  '@fontsource-variable/inter',
  '@fontsource-variable/jetbrains-mono',
  'tailwindcss',
  'better-sqlite3',
  '@napi-rs/keyring',
]
const LICENSES = JSON.stringify([
  { name: 'a-library', version: '1.0.0', identifier: 'MIT', text: 'Permission is granted.' },
])

/**
 * Creates the same folders as vite and electron-vite, with lists of licenses; a source that says
 * "broken" makes it fail.
 */
const fakeBundler = (folders: readonly string[]) => `
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
const out = process.argv[process.argv.indexOf('--outDir') + 1]
appendFileSync('calls.txt', process.argv.slice(2).join(' ') + '\\n')
const source = readFileSync('src/cli/index.ts', 'utf8')
if (source.includes('broken')) { console.error('Unexpected token in index.ts'); process.exit(1) }
await new Promise((done) => setTimeout(done, 200))
for (const [folder, file] of ${JSON.stringify(folders.map((text) => text.split('/')))}) {
  mkdirSync(out + '/' + folder, { recursive: true })
  writeFileSync(out + '/' + folder + '/' + file, file === 'licenses.json' ? ${JSON.stringify(LICENSES)} : source)
}
`

async function put(path: string, text: string): Promise<void> {
  await mkdir(join(root, path, '..'), { recursive: true })
  await writeFile(join(root, path), text)
}

beforeEach(async () => {
  root = temporaryFolder()
  await cp(join(project, 'scripts/build.mjs'), join(root, 'scripts/build.mjs'))
  await cp(join(project, 'bin/countersign.mjs'), join(root, 'bin/countersign.mjs'))
  await put('package.json', '{ "type": "module" }')
  await put(
    'src/cli/index.ts',
    'console.log(process.argv.slice(2).join(","), process.version); process.exitCode = 7\n',
  )
  await put('src/main/index.ts', '')
  await put('node_modules/vite/bin/vite.js', fakeBundler(['./cli.js', './index.js']))
  await put('node_modules/vite/package.json', '{ "type": "module" }')
  await put(
    'node_modules/electron-vite/bin/electron-vite.js',
    fakeBundler([
      'main/index.js',
      'main/licenses.json',
      'preload/index.cjs',
      'renderer/index.html',
      'renderer/a.js',
      'renderer/licenses.json',
    ]),
  )
  await cp(join(project, SQLITE_HEADER), join(root, SQLITE_HEADER))
  await put(
    'node_modules/@napi-rs/keyring-here/package.json',
    '{ "version": "2.0.0", "license": "MIT" }',
  )
  for (const name of shippedBeside)
    await put(`node_modules/${name}/package.json`, '{ "version": "3.0.0", "license": "MIT" }')
  await put('node_modules/electron-vite/package.json', '{ "type": "module" }')
})

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

function start(
  node: string,
  args: readonly string[],
  cwd: string,
): { child: ReturnType<typeof spawn>; ended: Promise<Ended> } {
  const child = spawn(node, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString()))
  const ended = new Promise<Ended>((done) =>
    child.on('close', (code, signal) => done({ code, signal, ...said })),
  )
  return { child, ended }
}

const run = (script: string, args: readonly string[] = [], cwd = root) =>
  start(process.execPath, [join(root, script), ...args], cwd).ended
const command = (args: readonly string[] = [], cwd = root) => run('bin/countersign.mjs', args, cwd)
const calls = async () =>
  (await readFile(join(root, 'calls.txt'), 'utf8').catch(() => ''))
    .split('\n')
    .filter((line) => line !== '')

describe('the build', () => {
  test('builds all targets and the manifest, and leaves no temporary files', async () => {
    expect(await run('scripts/build.mjs', [], tmpdir())).toMatchObject({ code: 0, stdout: '' })
    expect((await readdir(join(root, 'out'))).toSorted()).toEqual([
      '.stamp-app',
      '.stamp-library',
      '.stamp-node',
      'library',
      'main',
      'node',
      'preload',
      'renderer',
    ])
    expect(JSON.parse(await readFile(join(root, 'out/renderer/manifest.json'), 'utf8'))).toEqual({
      files: {
        'a.js': 'text/javascript; charset=utf-8',
        'index.html': 'text/html; charset=utf-8',
        'licenses.txt': 'text/plain; charset=utf-8',
      },
    })
    const notices = (bundle: string) => readFile(join(root, 'out', bundle, 'licenses.txt'), 'utf8')
    expect(await notices('main')).toContain('## @napi-rs/keyring-here - 2.0.0 (MIT)')
    expect(await notices('main')).toMatch(
      /## SQLite - 3\.[\d.]+ \(public domain\)\n\n.*disclaims copyright/s,
    )
    expect(await notices('renderer')).toContain(
      '## a-library - 1.0.0 (MIT)\n\nPermission is granted.',
    )
    expect(await notices('renderer')).toContain('## tailwindcss - 3.0.0 (MIT)')
  })

  test("prints the bundler's error and keeps the previous build", async () => {
    await run('scripts/build.mjs', ['node'])
    await put('src/cli/index.ts', 'broken')
    const failed = await run('scripts/build.mjs', ['node'])
    expect(failed.code).toBe(1)
    expect(failed.stderr).toContain('Unexpected token')
    expect(await readFile(join(root, 'out/node/cli.js'), 'utf8')).toContain('exitCode = 7')
    expect(
      (await readdir(join(root, 'out'))).filter((name) => /lock|building|replaced/.test(name)),
    ).toEqual([])
  })

  test('takes over the lock of a dead process', async () => {
    const { child, ended } = start(process.execPath, ['-e', ''], root)
    await ended
    await put('out/.build-lock', String(child.pid))
    await put('out/.building-node-1/left', 'x')
    expect((await run('scripts/build.mjs', ['node'])).code).toBe(0)
    expect((await readdir(join(root, 'out'))).toSorted()).toEqual(['.stamp-node', 'node'])
  })
})

describe('the command in a checkout', () => {
  test('builds what is missing once, in one line', async () => {
    const first = await command(['show', 'x'], tmpdir())
    expect(first).toMatchObject({ code: 7, stdout: `show,x ${process.version}\n` })
    expect(first.stderr).toMatch(/^Building the command line… done in [\d.]+ s\.\n$/)
    expect(await command(['show', 'x'])).toMatchObject({ code: 7, stderr: '' })
    expect((await calls()).length).toBe(1)
  })

  test('rebuilds if a source was changed, added or removed, but not for a test', async () => {
    await command()
    await put('src/cli/index.test.ts', 'a test')
    await command()
    expect((await calls()).length).toBe(1)
    await put('src/core/new.ts', '')
    await command()
    expect((await calls()).length).toBe(2)
    await rm(join(root, 'src/core/new.ts'))
    await command()
    expect((await calls()).length).toBe(3)
    await utimes(join(root, 'package.json'), 1, 1)
    await command()
    expect((await calls()).length).toBe(4)
    await rm(join(root, 'out/node'), { recursive: true })
    await command()
    expect((await calls()).length).toBe(5)
  })

  test('builds the app only for commands that show it', async () => {
    await command(['deliveries'])
    expect((await calls()).some((line) => line.startsWith('build --outDir'))).toBe(false)
    await command(['serve'])
    expect((await calls()).filter((line) => line.startsWith('build --outDir')).length).toBe(1)
  })

  test('several commands at once build once', async () => {
    const ended = await Promise.all(Array.from({ length: 4 }, () => command(['x'])))
    expect(ended.map(({ code, stdout }) => [code, stdout])).toEqual(
      ended.map(() => [7, `x ${process.version}\n`]),
    )
    expect((await calls()).length).toBe(1)
  })

  test('exits with 3 and the reason if the build fails', async () => {
    await put('src/cli/index.ts', 'broken')
    const failed = await command()
    expect(failed).toMatchObject({ code: 3, stdout: '' })
    expect(failed.stderr).toContain('Unexpected token')
  })
})

/** Finds a Node that is too old, if this computer has one besides the pinned one. */
function oldNode(): string | null {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const node = join(folder, process.platform === 'win32' ? 'node.exe' : 'node')
    try {
      if (
        Number(
          execFileSync(node, ['-p', 'process.versions.node.split(".")[0]'], {
            encoding: 'utf8',
            stdio: ['ignore', 'pipe', 'ignore'],
          }),
        ) < 24
      )
        return node
    } catch {
      // No Node in this folder.
    }
  }
  return null
}

describe('the command on an old Node', () => {
  const old = oldNode()
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const bin = `node_modules/node-${platform}-${process.arch}/bin/node`

  /** Stands in for the platform package: a Node 24 with the name that the command looks for. */
  async function installNode(): Promise<void> {
    await put(bin, `#!/bin/sh\nexec '${process.execPath}' "$@"\n`)
    await chmod(join(root, bin), 0o755)
  }
  const underOld = (...args: string[]) =>
    start(old ?? '', [join(root, 'bin/countersign.mjs'), ...args], root)

  test.skipIf(old === null || process.platform === 'win32')(
    'restarts on the installed Node and passes on the exit code',
    async () => {
      await installNode()
      expect(await underOld('a', 'b').ended).toMatchObject({
        code: 7,
        stdout: `a,b ${process.version}\n`,
      })
    },
  )

  test.skipIf(old === null || process.platform === 'win32')('forwards signals', async () => {
    await installNode()
    await put(
      'src/cli/index.ts',
      `process.on('SIGTERM', () => process.exit(9)); setInterval(() => {}, 1_000); console.log('ready')`,
    )
    const { child, ended } = underOld('x')
    await new Promise((ready) => child.stdout?.once('data', ready))
    child.kill('SIGTERM')
    expect((await ended).code).toBe(9)
  })

  test.skipIf(old === null)('names the required Node version in one line', async () => {
    const ended = await underOld('x').ended
    expect(ended).toMatchObject({ code: 3, stdout: '' })
    expect(ended.stderr).toMatch(/^countersign needs Node 24; this is v\d+\.[^\n]*\n$/)
  })
})
