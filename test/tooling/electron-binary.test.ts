/**
 * Tests the installation of Electron by its own script from a mirror on loopback, and the reasons
 * why a window can't be opened.
 */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { join, resolve } from 'node:path'
import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { listen } from '../support/listen.ts'
import { closeAtEnd, temporaryFolder } from '../support/temporary-folder.ts'
import {
  downloadElectron,
  downloadError,
  downloadInBackground,
  electronPath,
  findElectron,
  noDesktopReason,
  noDownloadReason,
  type SystemState,
} from '../../scripts/lib/electron-binary.ts'

const VERSION = '45.99.0'
const archiveName = `electron-v${VERSION}-${process.platform}-${process.arch}.zip`

/** Creates a ZIP archive of uncompressed files. */
function zip(files: Readonly<Record<string, string>>): Buffer {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(files)) {
    const [path, bytes] = [Buffer.from(name), Buffer.from(text)]
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(bytes.length, 14)
    common.writeUInt32LE(bytes.length, 18)
    common.writeUInt16LE(path.length, 22)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE((0o100755 << 16) >>> 0, 6)
    tail.writeUInt32LE(offset, 10)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, path, bytes])
    central.push(
      Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 3]), common, tail, path]),
    )
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(central.length, 4)
  end.writeUInt16LE(central.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), end])
}

const binaryName =
  process.platform === 'darwin'
    ? 'Electron.app/Contents/MacOS/Electron'
    : electronPath().split(/[\\/]/).at(-1)!
const archive = zip({
  version: `v${VERSION}`,
  [binaryName]: 'the binary',
  filler: 'x'.repeat(2_000_000),
})

/**
 * Creates Electron's package with its real install script, another version, and a mirror that
 * responds with `listener`.
 */
async function electronPackage(listener: RequestListener) {
  const server = createServer(listener)
  const port = await listen(server)
  closeAtEnd(() => {
    server.closeAllConnections()
    return new Promise<void>((done) => {
      server.close(() => {
        done()
      })
    })
  })
  const root = temporaryFolder()
  const folder = join(root, 'electron')
  mkdirSync(folder)
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'))
  cpSync('node_modules/electron/install.js', join(folder, 'install.js'))
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'electron', version: VERSION }),
  )
  const checksum = createHash('sha256').update(archive).digest('hex')
  writeFileSync(join(folder, 'checksums.json'), JSON.stringify({ [archiveName]: checksum }))
  const { PATH, SystemRoot, HOME } = process.env
  const env = {
    PATH,
    SystemRoot,
    HOME,
    ELECTRON_MIRROR: `http://127.0.0.1:${port}/`,
    electron_config_cache: join(root, 'cache'),
  }
  return { folder, env }
}

describe('the download of Electron', () => {
  test('a part of it is never the binary; ended and started again, it is, and each step is reported', async () => {
    const asked: (string | undefined)[] = []
    let isSlow = true
    const from = await electronPackage(({ url }, response) => {
      asked.push(url)
      response.writeHead(200, { 'content-length': archive.length })
      if (isSlow) response.write(archive.subarray(0, 1_500_000))
      else response.end(archive)
    })
    // Leftovers of an earlier version must not make an unpacked part look complete.
    writeFileSync(join(from.folder, 'path.txt'), binaryName)
    const first = downloadElectron(from)
    await expect.poll(() => first.bytes()).toBe(1_500_000)
    expect(findElectron(from)).toBeNull()
    first.stop()
    expect(await first.outcome).toBe('ended')
    expect(first.bytes()).toBe(0)
    expect(existsSync(join(from.folder, 'path.txt'))).toBe(false)

    isSlow = false
    const lines: string[] = []
    const stop = downloadInBackground((line) => lines.push(line), from, 5)
    await expect
      .poll(() => lines.at(-1))
      .toMatch(/ is ready\. The next start opens the desktop app\.$/)
    stop()
    expect(lines[0]).toBe(`Downloading Electron ${VERSION} in the background (about 110 MB).`)
    expect(findElectron(from)).toBe(join(from.folder, 'dist', binaryName))
    expect(readFileSync(findElectron(from) ?? '', 'utf8')).toBe('the binary')
    expect(asked).toEqual([`/v${VERSION}/${archiveName}`, `/v${VERSION}/${archiveName}`])
  })

  test('an archive with other bytes than expected is refused, in one line', async () => {
    const from = await electronPackage((_, response) =>
      response.end(zip({ version: VERSION, [binaryName]: 'something else' })),
    )
    const lines: string[] = []
    const stop = downloadInBackground((line) => lines.push(line), from, 5)
    await expect
      .poll(() => lines.at(-1))
      .toMatch(
        /^Couldn't download Electron 45\.99\.0: .*checksum.*\. The next start tries again\.$/i,
      )
    stop()
    expect(findElectron(from)).toBeNull()
    expect(existsSync(join(from.folder, 'dist'))).toBe(false)
  })

  test('ELECTRON_OVERRIDE_DIST_PATH names the binary, and nothing is downloaded if there is none', async () => {
    const override = temporaryFolder()
    const from = { folder: temporaryFolder(), env: { ELECTRON_OVERRIDE_DIST_PATH: override } }
    expect(findElectron(from)).toBeNull()
    expect(noDownloadReason(from)).toContain(`ELECTRON_OVERRIDE_DIST_PATH is ${override}`)
    const binary = electronPath(from)
    expect(binary.startsWith(override)).toBe(true)
    mkdirSync(join(binary, '..'), { recursive: true })
    writeFileSync(binary, '')
    expect(findElectron(from)).toBe(binary)
    expect(noDownloadReason({ ...from, env: {} })).toContain('npm ci')
    expect(noDownloadReason({ folder: 'node_modules/electron', env: {} })).toBeNull()
  })

  test('an error of the script is reported in one line', () => {
    const stack =
      'Downloading Electron binary...\nTypeError: fetch failed\n    at node:internal/deps/undici/undici:14902:13\n'
    expect(downloadError(`${stack}  [cause]: Error: getaddrinfo ENOTFOUND github.com {\n`)).toBe(
      'getaddrinfo ENOTFOUND github.com',
    )
    expect(downloadError('')).toBe('no reason given')
  })
})

const BINARY = '/home/me/countersign/node_modules/electron/dist/electron'
const profile = (path: string, rules = 'userns,') =>
  `abi <abi/4.0>,\ninclude <tunables/global>\n\nprofile countersign "${path}" flags=(unconfined) {\n  ${rules}\n}\n`

function desktop(
  replaced: Partial<SystemState> = {},
  files: Readonly<Record<string, string>> = {},
): SystemState {
  return {
    platform: 'linux',
    env: { DISPLAY: ':0' },
    userId: 1000,
    binary: BINARY,
    readText: (file) => files[file] ?? null,
    profiles: () => [],
    isSetuidRoot: () => false,
    ...replaced,
  }
}

const apparmor = { '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1\n' }
const withProfiles = (...profiles: string[]) =>
  desktop({ profiles: () => profiles.map((path) => profile(path)) }, apparmor)

test.each([
  ['with a display', desktop()],
  ['with Wayland', desktop({ env: { WAYLAND_DISPLAY: 'wayland-0' } })],
  ['on macOS', desktop({ platform: 'darwin', env: {}, userId: 0 })],
  ['on Windows', desktop({ platform: 'win32', env: {}, userId: null })],
  [
    'with user namespaces',
    desktop(
      {},
      {
        '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '0',
        '/proc/sys/kernel/unprivileged_userns_clone': '1',
        '/proc/sys/user/max_user_namespaces': '63000',
      },
    ),
  ],
  ['with an AppArmor profile of the binary', withProfiles('/usr/bin/x', BINARY)],
  [
    'with a profile whose path has a star',
    withProfiles('/home/*/countersign/node_modules/electron/dist/electron'),
  ],
  ['with a profile whose path has alternatives', withProfiles('/{home,opt}/**/electron')],
  [
    'with the older sandbox helper beside the binary',
    desktop({ isSetuidRoot: (file) => file === join(BINARY, '..', 'chrome-sandbox') }, apparmor),
  ],
])('a desktop window can be opened %s', (_where, system) => {
  expect(noDesktopReason(system)).toBeNull()
})

test.each([
  ['DISPLAY', desktop({ env: { DISPLAY: '' } })],
  ['root', desktop({ userId: 0 })],
  [
    "the system setting kernel.apparmor_restrict_unprivileged_userns = 1 prevents Electron's sandbox; docs/desktop.md#linux says how to allow it",
    desktop({}, apparmor),
  ],
  [
    'unprivileged_userns_clone = 0',
    desktop({}, { '/proc/sys/kernel/unprivileged_userns_clone': '0' }),
  ],
  ['user.max_user_namespaces = 0', desktop({}, { '/proc/sys/user/max_user_namespaces': '0' })],
  ['apparmor', withProfiles('/opt/Countersign/countersign', `${BINARY}-other`)],
  ['apparmor', desktop({ profiles: () => [profile(BINARY, '# nothing')] }, apparmor)],
])('no desktop window can be opened, and the reason names %s', (reason, system) => {
  expect(noDesktopReason(system)).toContain(reason)
})
