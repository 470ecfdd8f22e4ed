/**
 * The installed app: the configuration, by electron-builder's own schema; and what `npm run package
 * -- --dir` makes of it, offline and with a stub in place of Electron: packaged once for every file
 * and fuse.
 */
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { deflateSync } from 'node:zlib'
import { extractFile, listPackage, statFile } from '@electron/asar'
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { beforeAll, describe, expect, test } from 'vitest'
import { FILE_EXTENSIONS } from '../../src/shared/model/file-kind.ts'
import { APP_ID, PRODUCT_NAME } from '../../src/shared/product.ts'
import { createDeliverer, signedHeaders } from '../support/deliver.ts'
import { closeAtEnd, temporaryFolder } from '../support/temporary-folder.ts'

const run = promisify(execFile)

/** Files that go where they come from. */
interface FileSet {
  readonly from: string
  readonly to: string
  readonly filter: string
}

interface FileAssociation {
  readonly ext: string | readonly string[]
  readonly rank?: string
}

interface Configuration {
  readonly appId: string
  readonly productName: string
  readonly files: readonly string[]
  readonly asarUnpack: readonly string[]
  readonly npmRebuild: boolean
  readonly electronFuses: Readonly<Record<string, boolean>>
  readonly fileAssociations?: unknown
  readonly win: { readonly files: readonly FileSet[]; readonly fileAssociations?: unknown }
  readonly mac: {
    readonly files: readonly FileSet[]
    readonly fileAssociations?: readonly FileAssociation[]
    readonly entitlements: string
    readonly entitlementsInherit: string
  }
  readonly linux: {
    readonly files: readonly FileSet[]
    readonly fileAssociations?: readonly FileAssociation[]
  }
  readonly deb: { readonly mimeTypes: readonly string[] }
  readonly nsis: { readonly include: string }
}

// Internals of electron-builder, which doesn't export its validation.
const fromBuilder = createRequire(createRequire(import.meta.url).resolve('electron-builder'))
const { load } = fromBuilder('js-yaml') as { load: (text: string) => unknown }
const { minimatch } = fromBuilder('minimatch') as {
  minimatch: (path: string, pattern: string) => boolean
}
const { validateConfiguration } = fromBuilder('app-builder-lib/out/util/config/config') as {
  validateConfiguration: (
    configuration: unknown,
    logger: { isEnabled: boolean; add: () => void },
  ) => Promise<void>
}

const read = () => load(readFileSync('electron-builder.yml', 'utf8')) as Configuration
const logger = { isEnabled: false, add: () => undefined }

describe('the packaging configuration', () => {
  test('matches the schema, which rejects anything else', async () => {
    await validateConfiguration(read(), logger)
    await expect(validateConfiguration({ ...read(), asarUnpacked: [] }, logger)).rejects.toThrow(
      /asarUnpacked/,
    )
  })

  test('compiles nothing, and each target gets its own two binaries', () => {
    const configuration = read()
    expect([configuration.npmRebuild, configuration.asarUnpack]).toEqual([false, ['**/*.node']])
    expect(configuration.files).toEqual(
      expect.arrayContaining([
        '!node_modules/better-sqlite3/prebuilds/**',
        '!node_modules/@napi-rs/keyring-*/**',
      ]),
    )
    const prebuilds = readdirSync('node_modules/better-sqlite3/prebuilds')
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, unknown>
    }
    const keyrings = Object.keys(packages)
      .filter((path) => path.includes('@napi-rs/keyring-'))
      .map((path) => `${path.split('@napi-rs/')[1] ?? ''}/x.node`)
    const binariesOf = (platform: 'mac' | 'win' | 'linux', arch: string) =>
      configuration[platform].files.flatMap(({ from, to, filter }) => {
        expect(to).toBe(from)
        const files = from.endsWith('prebuilds') ? prebuilds : keyrings
        return files.filter((file) => minimatch(file, filter.replace('${arch}', arch))).toSorted()
      })
    expect(
      Object.fromEntries(
        (['mac', 'win', 'linux'] as const).map((name) => [name, binariesOf(name, 'arm64')]),
      ),
    ).toEqual({
      // Both, because a universal app merges two archives that must be equal.
      mac: [
        'darwin-arm64.node',
        'darwin-x64.node',
        'keyring-darwin-arm64/x.node',
        'keyring-darwin-x64/x.node',
      ],
      win: ['win32-arm64.node', 'keyring-win32-arm64-msvc/x.node'],
      linux: ['linux-arm64.node', 'keyring-linux-arm64-gnu/x.node'],
    })
  })

  test('the names that stored secrets depend on are the same everywhere', () => {
    const names = JSON.parse(readFileSync('package.json', 'utf8')) as { productName: string }
    expect([read().productName, names.productName]).toEqual([PRODUCT_NAME, PRODUCT_NAME])
    expect(read().appId).toBe(APP_ID)
    // A change loses every stored secret: these two lines are the only place where it may be
    // considered.
    expect([PRODUCT_NAME, APP_ID]).toEqual(['Countersign', 'app.countersign.workbench'])
  })

  test('files open with the app on every system, and it never takes them from the editor', () => {
    const { fileAssociations, win, mac, linux, deb, nsis } = read()
    const extensions = [...FILE_EXTENSIONS.capture, ...FILE_EXTENSIONS.flow]
    // On Windows, electron-builder would write the default of the extension.
    expect([fileAssociations, win.fileAssociations]).toEqual([undefined, undefined])
    expect(mac.fileAssociations?.flatMap(({ ext }) => ext)).toEqual(extensions)
    expect(linux.fileAssociations?.map(({ ext }) => ext)).toEqual(FILE_EXTENSIONS.capture)
    expect([deb.mimeTypes, FILE_EXTENSIONS.flow]).toEqual([['application/json'], ['json']])
    expect(mac.fileAssociations?.map(({ rank }) => rank)).toEqual(['Alternate', 'Alternate'])
    const script = readFileSync(nsis.include, 'utf8')
    expect(script).not.toMatch(/WriteReg\w+ SHELL_CONTEXT "Software\\Classes\\\.\w+"/)
    for (const macro of ['customInstall', 'customUnInstall']) {
      const lines = script.split(`!macro ${macro}\n`)[1]?.split('!macroend')[0] ?? ''
      const named = [...lines.matchAll(/"Software\\Classes\\\.(\w+)\\OpenWithProgids"/g)].map(
        ([, extension]) => extension,
      )
      expect(named, macro).toEqual(extensions)
    }
  })
})

/**
 * Returns the environment of an npm script: no network, an empty home, and the stub instead of
 * Electron.
 */
const offline = (home: string, electron: string) => ({
  ...process.env,
  HOME: home,
  XDG_CACHE_HOME: '',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  HTTP_PROXY: 'http://127.0.0.1:9',
  ELECTRON_MIRROR: 'http://127.0.0.1:9/',
  npm_config_offline: 'true',
  ELECTRON_OVERRIDE_DIST_PATH: electron,
})

/**
 * Creates a folder like Electron's, with a text for a binary: the place of the fuses is real, and
 * each is the opposite of ours.
 */
function stubElectron(): string {
  const folder = temporaryFolder()
  const files = {
    electron: `stub dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX\x01\x09101100010`,
    'chrome-sandbox': '',
    LICENSE: "Electron's license",
    'LICENSES.chromium.html': "Chromium's licenses",
    version: 'v0.0.0',
    'locales/en-US.pak': '',
    // A download of Electron has one.
    'resources/default_app.asar': '',
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text, { mode: 0o755 })
  }
  return folder
}

function has(program: string, version = ''): boolean {
  const { stdout, error } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  return error === undefined && (/ (\d+)\./.exec(stdout)?.[1] ?? '') >= version
}

/**
 * Computes what electron-builder does for the installers of Linux, before it would download the
 * tools that write them.
 */
async function linuxInstallers(app: string) {
  const { build } = createRequire(import.meta.url)('electron-builder') as {
    build: (options: unknown) => Promise<unknown>
  }
  const found: { deb?: Deb; appImage?: { fileName: string; entry: string } } = {}
  await build({
    linux: ['deb', 'AppImage'],
    prepackaged: app,
    publish: 'never',
    config: { extends: 'electron-builder.yml', directories: { output: temporaryFolder() } },
    effectiveOptionComputed(
      options: [string[], string] | { desktop: string; desktopFileName: string },
    ) {
      if (Array.isArray(options)) found.deb = readDeb(options[0], app)
      else found.appImage = { fileName: options.desktopFileName, entry: options.desktop }
      return Promise.resolve(true)
    },
  })
  const { deb, appImage } = found
  if (deb === undefined || appImage === undefined)
    throw new Error('electron-builder computed only one of the two.')
  return { deb, appImage }
}

interface Deb {
  readonly afterInstall: string
  readonly afterRemove: string
  readonly entry: string
  readonly mimeTypes: string
  readonly profile: string
  readonly targets: readonly string[]
}

/** Reads the arguments for the tool that writes a deb; its files are gone later. */
function readDeb(args: readonly string[], app: string): Deb {
  const mapped = args
    .filter((arg) => /^\/.*=\//.test(arg))
    .map((arg) => arg.split('=') as [string, string])
  const textAt = (end: string) =>
    readFileSync(mapped.find(([, to]) => to.endsWith(end))?.[0] ?? '', 'utf8')
  const script = (name: string) => readFileSync(args[args.indexOf(name) + 1] ?? '', 'utf8')
  return {
    afterInstall: script('--after-install'),
    afterRemove: script('--after-remove'),
    entry: textAt('.desktop'),
    mimeTypes: textAt('.xml'),
    profile: readFileSync(join(app, 'resources/apparmor-profile'), 'utf8'),
    targets: mapped.map(([, to]) => to),
  }
}

/**
 * Creates a folder as the root of a system with the files of the deb, and an AppArmor that only
 * writes down its arguments.
 */
function debRoot({
  profile,
  files,
  refuses,
}: Pick<Deb, 'profile'> & { files: object; refuses: boolean }) {
  const root = temporaryFolder()
  const calls = join(root, 'calls')
  const all = {
    'opt/Countersign/chrome-sandbox': '',
    'usr/bin/other': '',
    'opt/Countersign/resources/apparmor-profile': profile,
    'etc/apparmor.d/other': '',
    'bin/apparmor_parser': `#!/bin/sh\necho "$@" >> ${calls}\nexit ${refuses ? 1 : 0}\n`,
    ...files,
  }
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text, { mode: 0o755 })
  }
  const env = { PATH: `${join(root, 'bin')}:/usr/bin:/bin`, DPKG_ROOT: root }
  return {
    root,
    /** Runs a script of the deb; returns the arguments of AppArmor's parser. */
    script(text: string, action: string, said = ''): string[] {
      writeFileSync(calls, '')
      const { status, stderr } = spawnSync('sh', ['-s', action], {
        input: text,
        env,
        encoding: 'utf8',
      })
      expect([status, stderr]).toEqual([0, said])
      return readFileSync(calls, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    },
  }
}

/** Names without the hashes that change with every build. */
const plain = (path: string) => path.replace(/-[\w-]{8}(?=\.(js|css|svg|woff2)$)/, '-HASH')

// A stub for macOS or Windows would need a bundle or an executable that electron-builder can edit.
describe.skipIf(process.platform !== 'linux')(
  'the packaged app (on Linux, with a stub for Electron)',
  () => {
    let app: string
    let archive: string
    let stub: string

    beforeAll(async () => {
      stub = stubElectron()
      const output = temporaryFolder()
      const args = ['run', 'package', '--', '--dir', `-c.directories.output=${output}`]
      await run('npm', args, { env: offline(temporaryFolder(), stub) })
      app = join(output, 'linux-unpacked')
      archive = join(app, 'resources', 'app.asar')
    })

    let computing: ReturnType<typeof linuxInstallers> | null = null
    const computed = () => (computing ??= linuxInstallers(app))

    const filesIn = (folder: string) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => !statSync(join(folder, name)).isDirectory())
        .toSorted()
    const inArchive = () =>
      listPackage(archive, { isPack: false })
        .map((name) => name.slice(1))
        .filter((name) => !('files' in statFile(archive, name)))
    const bytesOf = (files: readonly string[]) =>
      files.reduce((sum, file) => sum + statSync(join(app, file)).size, 0)

    test('the archive has exactly these files, with the whole build among them, and only binaries beside it', async () => {
      const files = inArchive()
      // Parts of the main process come and go with its code.
      const names = new Set(
        files.map((file) =>
          file.startsWith('out/main/chunks/') ? 'out/main/chunks/*.js' : plain(file),
        ),
      )
      await expect(`${[...names].toSorted().join('\n')}\n`).toMatchFileSnapshot(
        '../golden/archive.txt',
      )
      const built = ['main', 'preload', 'renderer'].flatMap((part) =>
        filesIn(`out/${part}`).map((file) => `out/${part}/${file}`),
      )
      expect(files.filter((file) => file.startsWith('out/')).toSorted()).toEqual(
        built.filter((file) => file !== 'out/main/licenses.txt').toSorted(),
      )
      const unpacked = files.filter(
        (file) => (statFile(archive, file) as { unpacked?: boolean }).unpacked === true,
      )
      expect(unpacked.toSorted()).toEqual(filesIn(`${archive}.unpacked`))
      expect(unpacked.filter((file) => !file.endsWith('.node'))).toEqual([])
      expect(unpacked).toHaveLength(2)
    })

    test('beside the archive are exactly these files, with the docs and the build of the command line', async () => {
      const names = new Set(
        filesIn(app).map((file) =>
          file.replace(/^(resources\/(?:app\.asar\.unpacked|cli\/docs|cli\/out\/node)\/).*/, '$1*'),
        ),
      )
      await expect(`${[...names].join('\n')}\n`).toMatchFileSnapshot('../golden/beside-archive.txt')
      expect(filesIn(join(app, 'resources/cli/docs'))).toEqual(filesIn('docs'))
      expect(filesIn(join(app, 'resources/cli/out/node'))).toEqual(filesIn('out/node'))
    })

    test('the command line runs from anywhere, through a link, with its own Node and the page of the archive', async () => {
      const root = temporaryFolder()
      const moved = join(root, 'moved to a folder', 'resources')
      mkdirSync(moved, { recursive: true })
      for (const part of ['cli', 'app.asar', 'app.asar.unpacked'])
        spawnSync('cp', ['-al', join(app, 'resources', part), moved], { stdio: 'inherit' })
      const bin = join(root, 'bin')
      mkdirSync(bin)
      symlinkSync(
        join('..', 'moved to a folder', 'resources', 'cli', 'countersign'),
        join(bin, 'first'),
      )
      symlinkSync('first', join(bin, 'countersign'))
      // A new user: no Node, nothing of npm, no data.
      const env = { HOME: join(root, 'home'), PATH: `${bin}:/usr/bin:/bin` }
      mkdirSync(env.HOME)
      const name: string = 'countersign'
      const countersign = (args: readonly string[], input = '') => {
        const { status, stdout, stderr } = spawnSync(name, args, {
          env,
          cwd: root,
          input,
          encoding: 'utf8',
        })
        return { status, stdout, stderr }
      }
      const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
      expect(countersign(['--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' })

      const [vector] = JSON.parse(
        readFileSync('test/fixtures/signatures/openssl.json', 'utf8'),
      ) as [Record<string, string>]
      const {
        bodyBase64 = '',
        url: signedUrl = '',
        timestamp = '',
        signature = '',
        secret = '',
      } = vector
      const body = Buffer.from(bodyBase64, 'base64').toString()
      const verify = [
        'verify',
        '--url',
        signedUrl,
        '--timestamp',
        timestamp,
        '--signature',
        signature,
        '--secret',
        secret,
      ]
      expect(countersign(verify, body)).toMatchObject({ status: 0, stderr: '' })

      const ports = [
        '--ui-port',
        '0',
        '--receiver-port',
        '0',
        '--receiver-http-port',
        '0',
        '--sandbox-port',
        '0',
      ]
      const serve = spawn(name, ['serve', '--json', '--no-open', ...ports], {
        env,
        cwd: root,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      closeAtEnd(() => void serve.kill('SIGKILL'))
      const [line] = (await once(createInterface(serve.stdout), 'line')) as [string]
      const { ui, receiver, ca, pid } = JSON.parse(line) as {
        ui: string
        receiver: string
        ca: string
        pid: number
      }
      // The launcher became the command, so that signals reach it.
      expect([pid, readlinkSync(`/proc/${pid}/exe`)]).toEqual([serve.pid, join(moved, 'cli/node')])
      expect(readFileSync(`/proc/${pid}/maps`, 'utf8')).not.toContain(process.cwd())

      const entered = await fetch(ui, { redirect: 'manual' })
      const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
      const page = await fetch(new URL('/', ui), { headers: { cookie } })
      expect(await page.text()).toBe(extractFile(archive, 'out/renderer/index.html').toString())

      const hook = `${receiver}/h/one`
      expect(
        countersign([
          'hooks',
          'import',
          '--event',
          'transaction.auth',
          '--url',
          hook,
          '--secret',
          'whsec_one',
        ]),
      ).toMatchObject({ status: 0 })
      const deliverer = createDeliverer(ca)
      expect(
        (
          await deliverer.send(hook, {
            body: '{}',
            headers: signedHeaders('whsec_one', '{}', hook),
          })
        ).status,
      ).toBe(200)
      deliverer.close()
      const [delivery] = countersign(['deliveries', '--json']).stdout.split('\n')
      expect(JSON.parse(delivery ?? '')).toMatchObject({ method: 'POST', verdict: 'valid' })

      // Node reads the keyring's binary from the app, too.
      const classes =
        "import('@napi-rs/keyring').then(({ AsyncEntry }) => console.log(typeof AsyncEntry))"
      const inCli = { cwd: join(moved, 'cli'), env, encoding: 'utf8' } as const
      expect(spawnSync(join(moved, 'cli/node'), ['-e', classes], inCli).stdout).toBe('function\n')

      const ended = once(serve, 'exit')
      serve.kill('SIGTERM')
      expect(await ended).toEqual([0, null])
    })

    test('the fuses in the program are as configured', async () => {
      const wire = await getCurrentFuseWire(join(app, 'countersign'))
      const [off, on] = [48, 49]
      expect(wire).toEqual({
        version: '1',
        [FuseV1Options.RunAsNode]: off,
        [FuseV1Options.EnableCookieEncryption]: on,
        [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: off,
        [FuseV1Options.EnableNodeCliInspectArguments]: off,
        [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: on,
        [FuseV1Options.OnlyLoadAppFromAsar]: on,
        // As Electron ships them: its snapshot, and one that this version of the tool doesn't know.
        [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: off,
        [FuseV1Options.GrantFileProtocolExtraPrivileges]: off,
        8: off,
      })
    })

    test('the license of everything inside is readable, with its text', () => {
      const notices = readFileSync(join(app, 'resources/licenses.txt'), 'utf8')
      const texts = new Map(
        notices.split(/^## /m).map((part) => {
          const [title = '', ...text] = part.split('\n')
          return [title.replace(/ - .*/, ''), text.join('\n').trim()] as const
        }),
      )
      const modules = inArchive().flatMap(
        (file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [],
      )
      const fonts = inArchive().flatMap(
        (file) => /assets\/(inter|jetbrains-mono)-.*\.woff2$/.exec(file)?.[1] ?? [],
      )
      const expected = [
        ...new Set(modules),
        ...[...new Set(fonts)].map((font) => `@fontsource-variable/${font}`),
        ...[
          'fastify',
          'undici',
          'ws',
          'zod',
          'pino',
          '@peculiar/x509',
          'react',
          '@base-ui/react',
          'tailwindcss',
          'SQLite',
        ],
      ]
      expect(fonts.length).toBe(inArchive().filter((file) => file.endsWith('.woff2')).length)
      expect(expected.filter((name) => (texts.get(name) ?? '') === '')).toEqual([])
    })

    test("all but Electron and the command line's Node is at most 8 MB to download", () => {
      const ours = filesIn(app).filter(
        (file) => file.startsWith('resources/') && file !== 'resources/cli/node',
      )
      const packed = ours.reduce(
        (sum, file) => sum + deflateSync(readFileSync(join(app, file)), { level: 1 }).length,
        0,
      )
      const cli = ours.filter((file) => /^resources\/cli\/(?!docs\/)/.test(file))
      const binaries = ours.filter((file) => file.endsWith('.node'))
      expect(packed).toBeLessThan(8_000_000)
      expect(bytesOf(ours) - bytesOf(binaries) - bytesOf(cli)).toBeLessThan(8_700_000)
      expect(bytesOf(cli)).toBeLessThan(6_200_000)
    })

    test('the start of the main process has no whitespace and loads nothing that can wait', () => {
      const textOf = (file: string) => extractFile(archive, file).toString()
      const loaded = new Set<string>()
      const visit = (file: string) => {
        if (loaded.has(file)) return
        loaded.add(file)
        const folder = dirname(file)
        for (const [, path = ''] of textOf(file).matchAll(
          /(?:\bfrom|\bimport) ?"(\.\.?\/[\w./-]+\.js)"/g,
        ))
          visit(join(folder, path))
      }
      visit('out/main/index.js')
      const text = [...loaded].map(textOf).join('\n')
      expect(loaded.size).toBeGreaterThan(10)
      // Receivers, certificates, reports with their diagrams and the client for requests: each is
      // loaded when it is first used.
      const later = ['receiving', 'identity', 'undici', 'diagnostics', 'main', 'reports'].filter(
        (name) => [...loaded].some((file) => file.includes(`/${name}-`)),
      )
      expect(later).toEqual([])
      // 1,359,091 characters on November 24, 2026.
      expect(text.length).toBeLessThan(1_600_000)
      // Only texts of the program are indented; of code with whitespace, a fifth is indentation.
      const indentation = (text.match(/^[ \t]+/gm) ?? []).join('').length
      expect(indentation / text.length).toBeLessThan(0.02)
      expect(inArchive().filter((file) => file.endsWith('.map'))).toEqual([])
    })

    test('a deb and an AppImage open links and files, start sandboxed, and bring the AppArmor profile', async () => {
      const { deb, appImage } = await computed()
      expect(appImage.fileName).toBe('countersign.desktop')
      expect(appImage.entry.match(/^Exec=.*$/m)?.[0]).toBe('Exec=AppRun %U')
      const types =
        'application/json;application/jsonl;application/x-ndjson;x-scheme-handler/countersign;'
      for (const entry of [deb.entry, appImage.entry]) {
        expect(entry).toContain(`\nMimeType=${types}\n`)
        expect(entry).toContain('\nStartupWMClass=countersign\n')
        expect(entry).not.toContain('--no-sandbox')
      }
      expect(deb.entry).toContain('\nExec=/opt/Countersign/countersign %U\n')
      expect(deb.mimeTypes).toContain(
        '<mime-type type="application/jsonl">\n  <glob pattern="*.jsonl"/>',
      )
      expect(deb.mimeTypes).toContain(
        '<mime-type type="application/x-ndjson">\n  <glob pattern="*.ndjson"/>',
      )
      expect(deb.mimeTypes).not.toContain('"application/json"')
      expect(deb.targets).toEqual([
        '/opt/Countersign',
        ...[16, 32, 48, 64, 128, 256, 512].map(
          (size) => `/usr/share/icons/hicolor/${size}x${size}/apps/countersign.png`,
        ),
        '/usr/share/mime/packages/countersign.xml',
        '/usr/share/applications/countersign.desktop',
      ])
      expect(deb.profile).toMatch(
        /^profile "countersign" "\/opt\/Countersign\/countersign" flags=\(unconfined\) \{\n {2}userns,$/m,
      )
      expect(deb.profile).toMatch(/^abi <abi\/4\.0>,$/m)
    })

    test.each([
      {
        system: 'restricts namespaces and knows profiles for them',
        files: {
          'sys/kernel/security/apparmor/x': '',
          'proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1',
        },
        calls: [
          '--skip-kernel-load --skip-cache SOURCE',
          '--replace --write-cache --skip-read-cache PROFILE',
        ],
        sandbox: '755',
      },
      {
        system: 'is an image that is being built',
        files: {},
        calls: ['--skip-kernel-load --skip-cache SOURCE'],
        sandbox: '755',
      },
      {
        system: "restricts namespaces and doesn't know such profiles",
        files: { 'proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1' },
        refuses: true,
        calls: ['--skip-kernel-load --skip-cache SOURCE'],
        sandbox: '4755',
      },
      {
        system: 'has no namespaces for users',
        files: { 'proc/sys/kernel/unprivileged_userns_clone': '0' },
        refuses: true,
        calls: ['--skip-kernel-load --skip-cache SOURCE'],
        sandbox: '4755',
      },
    ])('a deb on a system that $system', async ({ files, calls, sandbox, refuses = false }) => {
      const { deb } = await computed()
      const { root, script } = debRoot({ ...deb, files, refuses })
      const link = join(root, 'usr/bin/countersign')
      const hasLink = () => readdirSync(dirname(link)).includes('countersign')
      const source = join(root, 'opt/Countersign/resources/apparmor-profile')
      const profile = join(root, 'etc/apparmor.d/countersign')
      const expected = calls.map((call) =>
        call.replace('SOURCE', source).replace('PROFILE', profile),
      )
      expect(script(deb.afterInstall, 'configure')).toEqual(expected)
      expect(
        (statSync(join(root, 'opt/Countersign/chrome-sandbox')).mode & 0o7777).toString(8),
      ).toBe(sandbox)
      const isInstalled = () => readdirSync(join(root, 'etc/apparmor.d')).includes('countersign')
      expect(isInstalled()).toBe(!refuses)
      expect(readlinkSync(link)).toBe('/opt/Countersign/resources/cli/countersign')
      script(deb.afterInstall, 'configure')
      // The update installs it again before anything can start.
      expect([script(deb.afterRemove, 'upgrade'), isInstalled(), hasLink()]).toEqual([
        [],
        !refuses,
        true,
      ])
      const unloads = calls.length === 2 ? [`--remove ${profile}`] : []
      expect([script(deb.afterRemove, 'remove'), isInstalled(), hasLink()]).toEqual([
        unloads,
        false,
        false,
      ])
    })

    test("a deb never replaces another program's /usr/bin/countersign, and says where the command line is", async () => {
      const { deb } = await computed()
      const { root, script } = debRoot({
        ...deb,
        files: { 'usr/bin/countersign': 'other' },
        refuses: false,
      })
      const warning =
        "/usr/bin/countersign is another program. Countersign's command line is /opt/Countersign/resources/cli/countersign.\n"
      script(deb.afterInstall, 'configure', warning)
      script(deb.afterRemove, 'remove')
      expect(readFileSync(join(root, 'usr/bin/countersign'), 'utf8')).toBe('other')
    })

    test.skipIf(!has('desktop-file-validate'))(
      'the desktop files are valid (if desktop-file-validate is installed)',
      async () => {
        const { deb, appImage } = await computed()
        const folder = temporaryFolder()
        for (const { entry } of [deb, appImage]) {
          writeFileSync(join(folder, 'countersign.desktop'), entry)
          expect(
            (await run('desktop-file-validate', [join(folder, 'countersign.desktop')])).stdout,
          ).toBe('')
        }
      },
    )

    test.skipIf(!has('apparmor_parser', '4'))(
      'AppArmor reads the profile (if version 4 is installed)',
      async () => {
        const { deb } = await computed()
        const file = join(temporaryFolder(), 'countersign')
        writeFileSync(file, deb.profile)
        await expect(
          run('apparmor_parser', ['--skip-kernel-load', '--skip-cache', file]),
        ).resolves.toBeDefined()
      },
    )

    test('without the program of Electron, one sentence says so and nothing is built', async () => {
      const missing = temporaryFolder()
      const failed = await run(process.execPath, ['scripts/package.mjs', '--dir'], {
        env: offline(missing, missing),
      }).catch((error: unknown) => error)
      expect(failed).toMatchObject({
        code: 3,
        stdout: '',
        stderr: `Couldn't package Countersign: ELECTRON_OVERRIDE_DIST_PATH is ${missing}, but ${missing}/electron doesn't exist.\n`,
      })
    })
  },
)
