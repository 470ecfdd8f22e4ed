/**
 * `npm run package`: builds the app and creates installers for this platform in `dist/`. Arguments
 * after `--` are electron-builder's: `--dir` stops before the installers. Exits with 3 and one
 * sentence if it fails.
 *
 * Environment variables turn signing on (`lib/packaging.ts`). ELECTRON_OVERRIDE_DIST_PATH is a copy
 * of Electron to use instead of the download, COUNTERSIGN_UPDATE_URL where the installed app looks
 * for updates (https; by default it doesn't).
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { chmod, copyFile, mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import electronBuilder from 'electron-builder/out/builder.js'
import { buildIfStale } from './build.mjs'
import { electronVersion } from './lib/electron-binary.ts'
import {
  keyringPackages,
  nodePackage,
  PackagingError,
  packagingFailure,
  signingOf,
} from './lib/packaging.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const run = promisify(execFile)

/** Returns electron-builder's options for the URL of updates, which it writes into the app. */
function updateOptions() {
  const url = process.env.COUNTERSIGN_UPDATE_URL ?? ''
  if (url === '') return {}
  if (!URL.canParse(url) || new URL(url).protocol !== 'https:')
    throw new PackagingError('COUNTERSIGN_UPDATE_URL must be a complete https URL.')
  return { publish: { provider: 'generic', url } }
}

/** Returns the system to package for, whose own tools are needed, except for `--dir`. */
function targetOf(args) {
  if (args.mac !== undefined) return 'darwin'
  if (args.win !== undefined) return 'win32'
  return args.linux === undefined ? process.platform : 'linux'
}

/** Returns a folder with an unpacked Electron, instead of the download. */
function ownElectron(target) {
  const folder = process.env.ELECTRON_OVERRIDE_DIST_PATH
  if (!folder) return null
  const names = { darwin: 'Electron.app', win32: 'electron.exe', linux: 'electron' }
  const binary = join(folder, names[target])
  if (!existsSync(binary))
    throw new PackagingError(
      `ELECTRON_OVERRIDE_DIST_PATH is ${folder}, but ${binary} doesn't exist.`,
    )
  return folder
}

/** Removes what Electron starts without an app. */
async function removeDefaultApp({ appOutDir }) {
  for (const resources of ['resources', 'Electron.app/Contents/Resources'])
    await rm(join(appOutDir, resources, 'default_app.asar'), { force: true })
  await rm(join(appOutDir, 'version'), { force: true })
}

const architectures = { 1: 'x64', 3: 'arm64' }

/** Returns the packages with Node and its license, equal in both halves of a universal app. */
function nodeAndLicense(target, arch) {
  return [nodePackage(target, arch), nodePackage(target, target === 'darwin' ? 'x64' : arch)]
}

/** Fetches the binaries of package-lock.json for another computer, which npm didn't install. */
async function fetchBinaries({ electronPlatformName, arch: number }) {
  const arch = architectures[number]
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const names = [
    ...keyringPackages(electronPlatformName, arch),
    ...nodeAndLicense(electronPlatformName, arch),
  ]
  for (const name of names) {
    const folder = join(root, 'node_modules', name)
    if (existsSync(folder)) continue
    const { version, integrity } = packages[`node_modules/${name}`]
    const temporary = mkdtempSync(join(tmpdir(), 'countersign-package-'))
    try {
      const options = { cwd: temporary, shell: process.platform === 'win32' }
      const { stdout } = await run('npm', ['pack', '--json', `${name}@${version}`], options)
      const archive = join(temporary, JSON.parse(stdout)[0].filename)
      const hash = createHash('sha512').update(readFileSync(archive)).digest('base64')
      if (integrity !== `sha512-${hash}`)
        throw new PackagingError(`${name} isn't the package that package-lock.json names.`)
      await mkdir(folder)
      await run('tar', ['-xzf', archive, '-C', folder, '--strip-components=1'])
    } finally {
      rmSync(temporary, { recursive: true, force: true, maxRetries: 3 })
    }
  }
}

/** Adds the command line's Node. A universal app's is merged from its two halves. */
async function addNode({ appOutDir, arch: number, electronPlatformName, packager }) {
  const arch = architectures[number]
  if (arch === undefined) return
  const [node, license] = nodeAndLicense(electronPlatformName, arch).map((name) =>
    join(root, 'node_modules', name),
  )
  const file = electronPlatformName === 'win32' ? 'node.exe' : 'node'
  const cli = join(packager.getResourcesDir(appOutDir), 'cli')
  await copyFile(join(node, 'bin', file), join(cli, file))
  await chmod(join(cli, file), 0o755)
  await copyFile(join(license, 'LICENSE'), join(cli, 'LICENSE.node.txt'))
}

const args = electronBuilder
  .configureBuildCommand(electronBuilder.createYargs())
  .strict()
  .parseSync(process.argv.slice(2))
try {
  const target = targetOf(args)
  const { sign, notarize } = signingOf(target, process.env)
  const electronDist = ownElectron(target)
  const updates = updateOptions()
  await buildIfStale()
  // By default, electron-builder signs with any certificate that it finds on a Mac.
  process.env.CSC_IDENTITY_AUTO_DISCOVERY = String(sign)
  const decided = {
    ...updates,
    ...(electronDist === null ? {} : { electronDist }),
    beforePack: fetchBinaries,
    afterExtract: removeDefaultApp,
    afterPack: addNode,
    forceCodeSigning: sign,
    // Only a signed app replaces itself: src/main/updates.ts.
    extraMetadata: { isSigned: sign },
    mac: { notarize },
  }
  const given = typeof args.config === 'object' ? args.config : {}
  await electronBuilder.build({
    publish: 'never',
    ...args,
    projectDir: root,
    config: [join(root, 'electron-builder.yml'), decided, given],
  })
} catch (error) {
  if (process.env.DEBUG) console.error(error)
  console.error(packagingFailure(error, electronVersion()))
  process.exitCode = 3
}
