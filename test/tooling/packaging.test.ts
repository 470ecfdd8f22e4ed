/**
 * Tests the decisions of `npm run package`: signing by environment variables, binaries of other
 * computers, its failures, and the icons.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  keyringPackages,
  nodePackage,
  PackagingError,
  packagingFailure,
  signingOf,
} from '../../scripts/lib/packaging.ts'

const set = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'x']))
const certificate = ['CSC_LINK', 'CSC_KEY_PASSWORD']
const key = ['APPLE_API_KEY', 'APPLE_API_KEY_ID', 'APPLE_API_ISSUER']
const account = ['APPLE_ID', 'APPLE_APP_SPECIFIC_PASSWORD', 'APPLE_TEAM_ID']

describe('signing', () => {
  test.each([
    ['darwin', [], { sign: false, notarize: false }],
    ['darwin', [...certificate, ...key], { sign: true, notarize: true }],
    ['darwin', [...certificate, ...account], { sign: true, notarize: true }],
    ['win32', [], { sign: false, notarize: false }],
    ['win32', certificate, { sign: true, notarize: false }],
    ['win32', ['WIN_CSC_LINK', 'WIN_CSC_KEY_PASSWORD'], { sign: true, notarize: false }],
    // Another system's variables mean nothing.
    ['win32', key, { sign: false, notarize: false }],
    ['linux', [...certificate, ...key], { sign: false, notarize: false }],
  ] as const)('on %s with %j is %j', (target, names, signing) => {
    expect(signingOf(target, set(...names))).toEqual(signing)
  })

  test.each([
    [
      'darwin',
      ['CSC_KEY_PASSWORD'],
      'CSC_KEY_PASSWORD is set without CSC_LINK. Set both to sign, or neither.',
    ],
    [
      'win32',
      ['WIN_CSC_LINK'],
      'WIN_CSC_LINK is set without WIN_CSC_KEY_PASSWORD. Set both to sign, or neither.',
    ],
    ...key.map((missing) => {
      const given = key.filter((name) => name !== missing)
      const sentence = `${given[0] ?? ''} is set without ${missing}. Set both to notarize, or neither.`
      return ['darwin', [...certificate, ...given], sentence] as const
    }),
    [
      'darwin',
      [...certificate, 'APPLE_ID', 'APPLE_TEAM_ID'],
      'APPLE_ID is set without APPLE_APP_SPECIFIC_PASSWORD. Set both to notarize, or neither.',
    ],
    [
      'darwin',
      certificate,
      'CSC_LINK is set without APPLE_API_KEY. macOS only opens apps that are both signed and notarized.',
    ],
  ] as const)(
    'on %s with only %j fails and names the missing variable',
    (target, names, sentence) => {
      expect(() => signingOf(target, set(...names))).toThrow(new PackagingError(sentence))
    },
  )

  test('an empty variable is a missing one', () => {
    expect(signingOf('win32', { CSC_LINK: '', CSC_KEY_PASSWORD: '' })).toEqual({
      sign: false,
      notarize: false,
    })
  })
})

test('every target has its own keyring, locked with a hash, and macOS has those of both architectures', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { os?: string[]; cpu?: string[]; integrity?: string; dev?: boolean }>
  }
  const cpus: string[] = []
  for (const [target, arch] of [
    ['linux', 'x64'],
    ['linux', 'arm64'],
    ['win32', 'x64'],
    ['win32', 'arm64'],
    ['darwin', 'x64'],
    ['darwin', 'universal'],
  ] as const)
    for (const name of keyringPackages(target, arch)) {
      const locked = packages[`node_modules/${name}`]
      expect(locked, name).toMatchObject({
        os: [target],
        integrity: expect.stringMatching(/^sha512-/),
      })
      expect(locked?.dev, name).toBeUndefined()
      cpus.push(`${target}-${locked?.cpu?.[0] ?? ''}`)
    }
  expect(cpus).toEqual([
    ...['linux-x64', 'linux-arm64', 'win32-x64', 'win32-arm64'],
    ...['darwin-x64', 'darwin-arm64', 'darwin-x64', 'darwin-arm64'],
  ])
})

test('the command line has a Node for every target, locked with a hash; without one, a sentence names the target', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<
      string,
      { os?: string; cpu?: string; version: string; bin?: object; integrity?: string }
    >
  }
  for (const [target, arch, file] of [
    ['linux', 'x64', 'bin/node'],
    ['linux', 'arm64', 'bin/node'],
    ['darwin', 'x64', 'bin/node'],
    ['darwin', 'arm64', 'bin/node'],
    ['win32', 'x64', 'bin/node.exe'],
  ] as const)
    expect(packages[`node_modules/${nodePackage(target, arch)}`]).toMatchObject({
      ...{ os: target, cpu: arch, bin: { node: file } },
      version: expect.stringMatching(/^2[46]\./),
      integrity: expect.stringMatching(/^sha512-/),
    })
  expect(() => nodePackage('win32', 'arm64')).toThrow(
    new PackagingError(
      'The command line has no Node for win32-arm64. Add an npm package with its binary to package.json.',
    ),
  )
})

test('a failure is a sentence without a stack, and a missing connection names the way out', () => {
  const refused = Object.assign(
    new Error('connect ECONNREFUSED 127.0.0.1:9\n    at TCPConnectWrap'),
    { code: 'ECONNREFUSED' },
  )
  expect(packagingFailure(refused, '45.0.0')).toBe(
    "Couldn't download Electron 45.0.0 or a tool for the installer: connect ECONNREFUSED 127.0.0.1:9. Check the internet connection, or set ELECTRON_OVERRIDE_DIST_PATH to a folder with Electron 45.0.0.",
  )
  expect(
    packagingFailure(new PackagingError('CSC_LINK is set without CSC_KEY_PASSWORD.'), '45.0.0'),
  ).toBe("Couldn't package Countersign: CSC_LINK is set without CSC_KEY_PASSWORD.")
})

test('every icon is made from the present resources/icon.svg (node scripts/icons.mjs)', () => {
  const stamp = createHash('sha256').update(readFileSync('resources/icon.svg')).digest('hex')
  /** Counts the pictures of a file that name the drawing as their source. */
  const pictures = (path: string) =>
    readFileSync(path, 'latin1').split(`tEXtSource\0${stamp}`).length - 1
  const sizes = (files: readonly string[]) =>
    files.map((name) => [name, readFileSync(name).readUInt32BE(16)])
  const icons = [16, 32, 48, 64, 128, 256, 512].map((size) => `resources/icons/${size}x${size}.png`)
  const trays = readdirSync('resources/tray').map((name) => `resources/tray/${name}`)
  expect(new Set(readdirSync('resources/icons', { encoding: 'utf8' }))).toEqual(
    new Set(icons.map((path) => basename(path))),
  )
  expect(sizes(icons)).toEqual(icons.map((path) => [path, Number.parseInt(basename(path))]))
  expect(sizes(trays)).toEqual(trays.map((path) => [path, path.includes('@2x') ? 32 : 16]))
  expect(trays).toHaveLength(8)
  for (const [path, count] of [
    ['resources/icon.ico', 7],
    ['resources/icon.icns', 10],
    ['src/renderer/public/favicon.ico', 1],
    ...[...icons, ...trays].map((png) => [png, 1] as const),
  ] as const)
    expect([path, pictures(path)]).toEqual([path, count])
  const drawing = (path: string) =>
    [...readFileSync(path, 'utf8').matchAll(/<(?:rect|path) [^>]*>/g)].map(([shape]) => shape)
  const page = drawing('src/renderer/icon.svg')
  expect(page).toHaveLength(3)
  expect(drawing('resources/icon.svg').slice(-3)).toEqual(page)
})
