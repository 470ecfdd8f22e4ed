/**
 * Finds or installs a Chromium for the end-to-end tests: Playwright's own, or the system's browser.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Arguments for a quiet browser: nothing but the page under test uses the network. */
export const chromiumArguments = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * Arguments that keep V8's line table: Playwright asks for stacks often, for which V8 would compile
 * the whole script again.
 */
export const testChromiumArguments = [
  ...chromiumArguments,
  '--js-flags=--no-enable-lazy-source-positions',
]

const commandNames = [
  'chromium',
  'google-chrome',
  'google-chrome-stable',
  'chromium-browser',
  'chrome',
  'microsoft-edge',
]

function platformPaths(): string[] {
  if (process.platform === 'darwin')
    return [
      '/Applications/Chromium.app/Contents/MacOS/Chromium',
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
      '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
    ]
  if (process.platform === 'win32')
    return [
      process.env['PROGRAMFILES'],
      process.env['PROGRAMFILES(X86)'],
      process.env['LOCALAPPDATA'],
    ]
      .filter((folder) => folder !== undefined)
      .flatMap((folder) => [
        join(folder, 'Chromium', 'Application', 'chrome.exe'),
        join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe'),
        join(folder, 'Microsoft', 'Edge', 'Application', 'msedge.exe'),
      ])
  return [
    '/usr/bin/chromium',
    '/usr/bin/google-chrome',
    '/usr/bin/chromium-browser',
    '/snap/bin/chromium',
  ]
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return existsSync(path)
  } catch {
    return false
  }
}

/** Returns the path of a Chromium on this computer, or null; `CHROMIUM` overrides it. */
export function findChromium(): string | null {
  const named = process.env['CHROMIUM']
  if (named !== undefined && named !== '') return isExecutable(named) ? named : null
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const onPath = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .flatMap((folder) => commandNames.map((name) => join(folder, name + suffix)))
  return [...platformPaths(), ...onPath].find(isExecutable) ?? null
}

/**
 * Returns the path of the headless shell, or null: it takes half the processor time for pages in a
 * tab. Not used if `CHROMIUM` is set.
 */
export function findHeadlessShell(): string | null {
  if ((process.env['CHROMIUM'] ?? '') !== '') return null
  return ['/usr/bin/chromium-headless-shell'].find(isExecutable) ?? null
}

async function findPlaywrightChromium(): Promise<string | null> {
  const { chromium } = await import('@playwright/test')
  const path = chromium.executablePath()
  return path !== '' && isExecutable(path) ? path : null
}

function run(command: string, args: string[]): boolean {
  console.error(`> ${command} ${args.join(' ')}`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return (
    spawnSync(command, args, {
      stdio: ['ignore', 'inherit', 'inherit'],
      env,
      shell: process.platform === 'win32',
    }).status === 0
  )
}

const hasApt = () =>
  process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

function installWithApt(name: string): boolean {
  const quiet = ['-y', '-qq', '-o', 'Dpkg::Use-Pty=0', '--no-install-recommends']
  const install = () => run('apt-get', ['install', ...quiet, name])
  return install() || (run('apt-get', ['update', '-qq']) && install())
}

/**
 * Finds the headless shell, or installs it as root in CI on Debian. Returns null if unavailable.
 */
export function ensureHeadlessShell(): string | null {
  const present = findHeadlessShell()
  if (
    present !== null ||
    process.env['CI'] === undefined ||
    (process.env['CHROMIUM'] ?? '') !== '' ||
    !hasApt()
  )
    return present
  return installWithApt('chromium-headless-shell') ? findHeadlessShell() : null
}

/**
 * Finds a Chromium, else installs one: Debian's as root, Playwright's otherwise. Resolves with null
 * if both fail.
 */
export async function ensureChromium(): Promise<string | null> {
  const present = findChromium() ?? (await findPlaywrightChromium())
  if (present !== null) return present
  if (process.env['CHROMIUM'] !== undefined && process.env['CHROMIUM'] !== '') {
    console.error(`Couldn't run the CHROMIUM binary ${process.env['CHROMIUM']}.`)
    return null
  }
  console.error('No Chromium found. Installing one for the end-to-end tests.')
  if (hasApt() && installWithApt('chromium')) return findChromium()
  run('npx', ['playwright', 'install', 'chromium'])
  return findPlaywrightChromium()
}
