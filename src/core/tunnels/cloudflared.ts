/** Cloudflare quick tunnels: runs `cloudflared` without an account and reads the URL that it prints, which differs each time. */
import { writeFile, access, constants } from 'node:fs/promises'
import { join, delimiter, isAbsolute } from 'node:path'
import { makeFolder } from '../base/data-folder.ts'
import { startGuarded } from './guarded-process.ts'
import {
  toldNothing,
  TunnelRefused,
  type OpenTunnel,
  type ProviderAdapter,
  type TunnelTarget,
} from './provider.ts'

export interface CloudflaredOptions extends ProgramSurroundings {
  /** A folder for the configuration to use instead of the user's own. */
  readonly folder: string
}

/** Maximum time between the URL and the first connection, in milliseconds. Then the URL is used anyway. */
const CONNECTION_PATIENCE_MS = 10_000
const LINES_KEPT = 5

const ADDRESS = /https:\/\/[a-z0-9][a-z0-9-]*\.trycloudflare\.com(?![\w.-])/
const CONNECTED = /\b(?:registered tunnel connection|connection [\w-]+ registered)\b/i
const LOST =
  /\b(?:unable to reach the edge|lost connection with the edge|serve tunnel error|connection terminated)\b/i

const INSTALL: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'brew install cloudflared',
  win32: 'winget install --id Cloudflare.cloudflared',
}

/**
 * The user's own configuration may name a tunnel or ingress rules, which prevents a quick tunnel, so ours is used instead. The
 * receiver's certificate is verified with the CA that signed it.
 */
export function cloudflaredArguments({ url, caFile }: TunnelTarget, configFile: string): string[] {
  const verified =
    caFile === null ? [] : ['--origin-ca-pool', caFile, '--origin-server-name', 'localhost']
  return ['tunnel', '--config', configFile, '--no-autoupdate', '--url', url, ...verified]
}

/** A log line without its time and level. */
function saidBy(line: string): string {
  return line.replace(/^\S+Z (?:INF|WRN|ERR|FTL|DBG) /, '').trim()
}

/** Our environment variables without those for Countersign, which include secrets. */
function withoutOurs(env: CloudflaredOptions['env']): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('COUNTERSIGN_')),
  )
}

export function createCloudflared(options: CloudflaredOptions): ProviderAdapter {
  const { folder, env, platform } = options
  return {
    name: 'cloudflared',
    needsToken: false,
    install: INSTALL[platform] ?? "see the download page for your system's package",
    page: 'https://developers.cloudflare.com/cloudflare-one/networks/connectors/cloudflare-tunnel/downloads/',
    find: () => findProgram('cloudflared', options),
    async open(path, target, { signal, limitMs }) {
      makeFolder(folder)
      const configFile = join(folder, 'cloudflared.yml')
      await writeFile(configFile, 'no-autoupdate: true\n', { mode: 0o600 })
      const program = startGuarded(path, cloudflaredArguments(target, configFile), {
        env: withoutOurs(env),
        platform,
      })
      const errors: string[] = []
      const disturbed: ((problem: string | null) => void)[] = []
      const lastWords = () => (errors.length === 0 ? '' : ` Its last output: ${errors.join(' ')}`)

      return new Promise<OpenTunnel>((resolve, reject) => {
        let url: string | null = null
        let patience: NodeJS.Timeout | undefined
        let isGivenUp = false
        const settle = () => {
          clearTimeout(patience)
          signal.removeEventListener('abort', giveUp)
        }
        const giveUp = () => {
          settle()
          isGivenUp = true
          void program.close().then(() => {
            reject(new Error(`${toldNothing('cloudflared', limitMs)}${lastWords()}`))
          })
        }
        const isUp = () => {
          if (url === null) return
          settle()
          resolve({
            url,
            ended: program.ended.then(
              ({ reason }) => `cloudflared stopped. ${reason}${lastWords()}`,
            ),
            onDisturbed: (listener) => disturbed.push(listener),
            close: () => program.close(),
          })
        }
        signal.addEventListener('abort', giveUp, { once: true })
        program.onLine((line) => {
          if (/ (?:ERR|FTL) /.test(line))
            errors.splice(0, Math.max(0, errors.push(saidBy(line)) - LINES_KEPT))
          if (url === null) {
            url = ADDRESS.exec(line)?.[0] ?? null
            // A name that is looked up before it exists may be cached as missing, so it is reported once a connection serves it.
            if (url !== null) patience = setTimeout(isUp, CONNECTION_PATIENCE_MS)
          }
          if (CONNECTED.test(line)) {
            isUp()
            for (const listener of disturbed) listener(null)
          } else if (LOST.test(line))
            for (const listener of disturbed) listener(`cloudflared says: ${saidBy(line)}`)
        })
        void program.ended.then(({ code, reason }) => {
          // If we ended it, there is no other reason.
          if (isGivenUp) return
          settle()
          const message = `cloudflared didn't report a URL. ${reason}${lastWords()}`
          // 126 and 127 are the shell's: the file can't be executed.
          reject(
            code === null || code === 126 || code === 127
              ? new TunnelRefused(message)
              : new Error(message),
          )
        })
        if (signal.aborted) giveUp()
      })
    },
  }
}

interface ProgramSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
}

const USUAL_PLACES: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['/opt/homebrew/bin', '/usr/local/bin', '/opt/local/bin'],
  linux: ['/usr/local/bin', '/usr/bin', '/snap/bin', '/home/linuxbrew/.linuxbrew/bin'],
  win32: [String.raw`C:\Program Files (x86)\cloudflared`, String.raw`C:\Program Files\cloudflared`],
}

/** Relative folders in PATH mean another program in every working folder, so they are skipped. */
function foldersOf({ env, platform }: ProgramSurroundings): string[] {
  const path = env['PATH'] ?? env['Path'] ?? ''
  return [...path.split(delimiter), ...(USUAL_PLACES[platform] ?? [])].filter(isAbsolute)
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The full path of a program; null if there is none with this name. */
async function findProgram(
  name: string,
  surroundings: ProgramSurroundings,
): Promise<string | null> {
  const file = surroundings.platform === 'win32' ? `${name}.exe` : name
  for (const folder of new Set(foldersOf(surroundings))) {
    const path = join(folder, file)
    if (await isExecutable(path)) return path
  }
  return null
}
