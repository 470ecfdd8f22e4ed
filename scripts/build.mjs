/**
 * Builds the hosts: `node` is the command line with the loopback host, `app` the desktop app,
 * `library` what other programs import. Each build replaces the previous one at once, so that a
 * command starting meanwhile finds a complete build.
 *
 * `node scripts/build.mjs [node|app|library]…` always builds; with `--if-stale`, only changed
 * targets.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, extname, join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const out = join(root, 'out')
const lockFile = join(out, '.build-lock')
const LONGEST_BUILD_MS = 600_000
const everyInput = [
  'src/shared',
  'src/core',
  'package.json',
  'package-lock.json',
  'scripts/build.mjs',
]

/** Sources of each target, its bundler, and its output folders (each with a required file). */
const targets = {
  node: {
    what: 'the command line',
    inputs: [...everyInput, 'src/loopback', 'src/cli', 'docs', 'vite.node.config.ts'],
    command: (folder) => [
      'vite/bin/vite.js',
      'build',
      '-c',
      'vite.node.config.ts',
      '--outDir',
      join(folder, 'node'),
      '--emptyOutDir',
    ],
    folders: { node: 'cli.js' },
  },
  app: {
    what: 'the app',
    inputs: [
      ...everyInput,
      'src/main',
      'src/preload',
      'src/renderer',
      'docs/service.md',
      'electron.vite.config.ts',
    ],
    command: (folder) => ['electron-vite/bin/electron-vite.js', 'build', '--outDir', folder],
    folders: { main: 'index.js', preload: 'index.cjs', renderer: 'manifest.json' },
  },
  library: {
    what: 'the library',
    inputs: [...everyInput, 'src/library', 'tsconfig.base.json', 'vite.library.config.ts'],
    command: (folder) => [
      'vite/bin/vite.js',
      'build',
      '-c',
      'vite.library.config.ts',
      '--outDir',
      join(folder, 'library'),
      '--emptyOutDir',
    ],
    folders: { library: 'index.js' },
  },
}

const contentTypes = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
}

/** Packages that ship without being in a bundle: fonts, styles, and modules with binaries. */
const shippedBeside = {
  renderer: ['@fontsource-variable/inter', '@fontsource-variable/jetbrains-mono', 'tailwindcss'],
  main: ['better-sqlite3', '@napi-rs/keyring'],
}

export class BuildError extends Error {
  constructor(message) {
    super(message)
    this.name = 'BuildError'
  }
}

/** Yields the files under a path, sorted by name. Synchronous, which takes a third of the time. */
function* filesUnder(path) {
  const info = statSync(path, { throwIfNoEntry: false })
  if (info === undefined) return
  if (!info.isDirectory()) {
    yield { path, info }
    return
  }
  for (const name of readdirSync(path).toSorted()) yield* filesUnder(join(path, name))
}

/** Returns a hash of the sources' names, sizes and times, which also notices deleted files. */
function stampOf(name) {
  const hash = createHash('sha256').update(process.platform)
  for (const input of targets[name].inputs)
    for (const { path, info } of filesUnder(join(root, input)))
      if (!/\.test\.tsx?$/.test(path))
        hash.update(`${relative(root, path)}\0${info.size}\0${info.mtimeMs}\n`)
  return hash.digest('hex')
}

const stampFile = (name) => join(out, `.stamp-${name}`)

export async function isFresh(name) {
  const stored = await readFile(stampFile(name), 'utf8').catch(() => null)
  if (stored === null || stored !== stampOf(name)) return false
  const present = Object.entries(targets[name].folders).map(([folder, file]) =>
    stat(join(out, folder, file)).catch(() => null),
  )
  return !(await Promise.all(present)).includes(null)
}

/** Lists the renderer's files with their content types: both hosts serve only these. */
async function writeManifest(folder) {
  const files = {}
  for (const { path } of filesUnder(folder)) {
    const name = relative(folder, path).split(sep).join('/')
    const type = contentTypes[extname(name)]
    if (type === undefined)
      throw new BuildError(`${name} has no known content type. Add it to scripts/build.mjs.`)
    files[name] = type
  }
  if (files['index.html'] === undefined)
    throw new BuildError('The renderer build has no index.html.')
  await writeFile(join(folder, 'manifest.json'), `${JSON.stringify({ files }, null, 2)}\n`)
}

function licenseOf(name) {
  const folder = join(root, 'node_modules', name)
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying)/i.test(file))
  const text = files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n')
  return { name, version, identifier: license, text }
}

function licensesOf(folder, bundle) {
  const list = join(folder, bundle, 'licenses.json')
  const bundled = JSON.parse(readFileSync(list, 'utf8'))
  rmSync(list)
  const { main, renderer } = shippedBeside
  if (bundle === 'renderer') return [...bundled, ...renderer.map(licenseOf)]
  // The keyring's binary lists the libraries compiled into it.
  const binaries = readdirSync(join(root, 'node_modules', '@napi-rs')).filter((name) =>
    name.startsWith('keyring-'),
  )
  const sqlite = readFileSync(
    join(root, 'node_modules/better-sqlite3/deps/sqlite3/sqlite3.h'),
    'utf8',
  )
  const [, version] = /SQLITE_VERSION\s+"([\d.]+)"/.exec(sqlite) ?? []
  const [, blessing] = /^\/\*\n(.+?)\n\*{20}/s.exec(sqlite) ?? []
  if (version === undefined || blessing === undefined)
    throw new BuildError("The license in SQLite's header file has moved.")
  return [
    ...bundled,
    ...[...main, ...binaries.map((name) => `@napi-rs/${name}`)].map(licenseOf),
    {
      name: 'SQLite',
      version,
      identifier: 'public domain',
      text: blessing.replaceAll(/^\*\* ?/gm, '').trim(),
    },
  ]
}

/**
 * Writes license notices beside the page and the main process. Throws if a license has neither text
 * nor name.
 */
async function writeNotices(folder) {
  const page = licensesOf(folder, 'renderer')
  const all = new Map(
    [...licensesOf(folder, 'main'), ...page].map((license) => [
      `${license.name} ${license.version}`,
      license,
    ]),
  )
  const noticesOf = (licenses, intro) => {
    const parts = licenses.map(({ name, version, identifier = '', text = '' }) => {
      if (identifier === '' && text === '') throw new BuildError(`${name} has no license.`)
      return `## ${name} - ${version}${identifier === '' ? '' : ` (${identifier})`}\n\n${text}`.trim()
    })
    return `# Licenses\n\n${intro}\n\n${parts.join('\n\n')}\n`
  }
  await writeFile(
    join(folder, 'renderer', 'licenses.txt'),
    noticesOf(page, 'The page contains these libraries and fonts.'),
  )
  const sorted = [...all.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  const intro =
    'Countersign contains these libraries and fonts. Electron and Chromium bring their own license files, beside the program.'
  await writeFile(join(folder, 'main', 'licenses.txt'), noticesOf(sorted, intro))
}

/** Runs a bundler in a separate process, because it sets variables like NODE_ENV. */
function runBundler([script, ...args]) {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [join(root, 'node_modules', script), ...args, '--logLevel', 'warn'],
      {
        cwd: root,
        env: { ...process.env, NODE_ENV: 'production' },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    const chunks = []
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.stderr.on('data', (chunk) => chunks.push(chunk))
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve()
      else
        reject(
          new BuildError(
            Buffer.concat(chunks).toString().trim() || `${script} exited with ${code}`,
          ),
        )
    })
  })
}

/** Removes leftovers of killed builds, for the holder of the lock. */
async function removeLeftovers() {
  const names = (await readdir(out)).filter((name) => /^\.(building|replaced)-/.test(name))
  for (const name of names)
    await rm(join(out, name), { recursive: true, force: true, maxRetries: 3 })
}

async function build(name) {
  const startedAt = Date.now()
  // A killed build's bundler may still write, so every build has separate folders.
  const fresh = join(out, `.building-${name}-${process.pid}`)
  const old = join(out, `.replaced-${name}-${process.pid}`)
  const stamp = stampOf(name)
  const { command, folders } = targets[name]
  await rm(stampFile(name), { force: true })
  await removeLeftovers()
  try {
    await runBundler(command(fresh))
    if ('renderer' in folders) {
      await writeNotices(fresh)
      await writeManifest(join(fresh, 'renderer'))
    }
    await mkdir(old, { recursive: true })
    for (const folder of Object.keys(folders)) {
      await rename(join(out, folder), join(old, folder)).catch((error) => {
        if (error.code !== 'ENOENT') throw error
      })
      await rename(join(fresh, folder), join(out, folder))
    }
    await writeFile(stampFile(name), stamp)
  } finally {
    for (const folder of [fresh, old]) await rm(folder, { recursive: true, force: true })
  }
  return Date.now() - startedAt
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/**
 * Removes the lock of a dead process, renamed first so that only one of two processes removes it.
 */
async function removeDeadLock(owner) {
  const aside = `${lockFile}-${process.pid}`
  try {
    await rename(lockFile, aside)
  } catch {
    return
  }
  // Restore the lock if another process took it between reading and renaming.
  const taken = await readFile(aside, 'utf8')
  if (taken === owner) await rm(aside)
  else await rename(aside, lockFile)
}

async function lock() {
  await mkdir(out, { recursive: true })
  for (;;) {
    try {
      await writeFile(lockFile, String(process.pid), { flag: 'wx' })
      return
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const owner = await readFile(lockFile, 'utf8').catch(() => '')
    const since = (await stat(lockFile).catch(() => null))?.mtimeMs ?? Date.now()
    const gone = /^\d+$/.test(owner) && !isAlive(Number(owner))
    // The process ID may have been reused: no build takes this long.
    if (gone || Date.now() - since > LONGEST_BUILD_MS) await removeDeadLock(owner)
    else await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function buildUnderLock(names, isNeeded) {
  await lock()
  try {
    for (const name of names) {
      if (!(await isNeeded(name))) continue
      process.stderr.write(`Building ${targets[name].what}…`)
      const ms = await build(name)
      process.stderr.write(` done in ${(ms / 1000).toFixed(1)} s.\n`)
    }
  } catch (error) {
    process.stderr.write(' failed.\n')
    throw error
  } finally {
    await rm(lockFile, { force: true })
  }
}

/** Builds the targets whose sources changed. Rejects with `BuildError` if the bundler fails. */
export async function buildIfStale({ targets: names = Object.keys(targets) } = {}) {
  const stale = []
  for (const name of names) if (!(await isFresh(name))) stale.push(name)
  // Checked again under the lock: its previous holder may have built the same targets.
  if (stale.length > 0) await buildUnderLock(stale, async (name) => !(await isFresh(name)))
}

export async function buildAll({ targets: names = Object.keys(targets) } = {}) {
  await buildUnderLock(names, async () => true)
}

if (
  process.argv[1] !== undefined &&
  import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href
) {
  const words = process.argv.slice(2)
  const names = words.filter((word) => word !== '--if-stale')
  const unknown = names.find((name) => !Object.hasOwn(targets, name))
  if (unknown !== undefined) {
    console.error(`Unknown target "${unknown}". Use one of: ${Object.keys(targets).join(', ')}.`)
    process.exit(2)
  }
  try {
    const buildTargets = words.includes('--if-stale') ? buildIfStale : buildAll
    await buildTargets(names.length > 0 ? { targets: names } : {})
  } catch (error) {
    if (!(error instanceof BuildError)) throw error
    console.error(error.message)
    process.exit(1)
  }
}
