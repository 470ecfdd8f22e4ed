/** Installed tools that open tunnels: how to run them, and which URL they print. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { AppError } from '../../shared/contract/errors.ts'
import type { TunnelProvider } from '../../shared/model/tunnel.ts'
import { replaceWholeFile } from '../base/whole-files.ts'

/** Address that a tunnel leads to, with its CA file, null for plain HTTP. */
export interface TunnelTarget {
  readonly url: string
  readonly caFile: string | null
}

interface TunnelOptions {
  readonly target: TunnelTarget
  readonly domain: string | null
  /** Configuration that replaces the user's, which may name another tunnel. */
  readonly configFile: string
}

interface Tool {
  args: (options: TunnelOptions) => string[]
  /** Pattern of the output that has the tunnel's URL. */
  readonly url: RegExp
  /** Web page where the tool can be downloaded. */
  readonly page: string
}

const tools: Readonly<Record<TunnelProvider, Tool>> = {
  cloudflared: {
    args: ({ target: { url, caFile }, configFile }) => [
      ...['tunnel', '--config', configFile, '--no-autoupdate', '--url', url],
      ...(caFile === null ? [] : ['--origin-ca-pool', caFile, '--origin-server-name', 'localhost']),
    ],
    url: /https:\/\/[a-z0-9][a-z0-9-]*\.trycloudflare\.com(?![\w.-])/,
    page: 'https://developers.cloudflare.com/cloudflare-one/networks/connectors/cloudflare-tunnel/downloads/',
  },
  ngrok: {
    args: ({ target: { url }, domain }) => [
      ...['http', url, '--log', 'stdout', '--log-format', 'logfmt'],
      ...(domain === null ? [] : ['--url', `https://${domain}`]),
    ],
    url: /^(?=.*\bstarted tunnel\b).*\burl=(https:\/\/[^\s"]+)/,
    page: 'https://ngrok.com/download',
  },
}

/** Folders that aren't on the PATH of a Mac's desktop app. */
const MAC_PLACES = ['/opt/homebrew/bin', '/usr/local/bin']
const START_LIMIT_MS = 45_000
const LINES_KEPT = 5

/** Script that runs `$@` until this process closes its pipe or is killed; not for Windows. */
const WATCH = `exec 3<&0
"$@" 3<&- </dev/null &
program=$!
{ while read -r _; do :; done; kill "$program"; } <&3 >/dev/null 2>&1 &
wait "$program"
code=$?
kill $! 2>/dev/null
exit "$code"`

export type ProgramEnvironment = Readonly<Record<string, string | undefined>>

/** Starts a program without our environment variables, which include secrets. */
export function startProgram(name: string, args: readonly string[], given: ProgramEnvironment) {
  const isOurs = ([variable]: [string, unknown]) => variable.startsWith('COUNTERSIGN_')
  const env = Object.fromEntries(Object.entries(given).filter((entry) => !isOurs(entry)))
  const options = { env, stdio: 'pipe', windowsHide: true } as const
  if (process.platform === 'win32') return spawn(name, args, options)
  if (process.platform === 'darwin') env['PATH'] = [env['PATH'], ...MAC_PLACES].join(delimiter)
  return spawn('/bin/sh', ['-c', WATCH, 'sh', name, ...args], options)
}

/** Writes the tools' own configuration, and resolves with its path. */
export async function writeConfigFile(dataFolder: string): Promise<string> {
  const configFile = join(dataFolder, 'cloudflared.yml')
  await replaceWholeFile(configFile, 'no-autoupdate: true\n')
  return configFile
}

/** Resolves once the tool prints its URL. Rejects with `TUNNEL_UNAVAILABLE`. */
export async function openTunnel(
  name: TunnelProvider,
  options: TunnelOptions,
  env: ProgramEnvironment,
  stopped: AbortSignal,
) {
  const { args, url, page } = tools[name]
  const child = startProgram(name, args(options), env)
  const last: string[] = []
  const printedUrl = new Promise<string>((resolve) => {
    for (const input of [child.stdout, child.stderr])
      createInterface({ input }).on('line', (line) => {
        if (!/ INF |\blvl=info\b/.test(line))
          last.splice(0, Math.max(0, last.push(line.trim()) - LINES_KEPT))
        const address = url.exec(line)?.at(-1)
        if (address !== undefined) resolve(address)
      })
  })
  const ended = new Promise<string>((resolve) => {
    const missing = `${name} isn't installed on this computer. Get it from ${page}, then start the tunnel again.`
    child.once('error', () => resolve(missing))
    // 127 is the shell's: it found no program of this name.
    child.once('close', (code) =>
      resolve(code === 127 ? missing : `${name} stopped. Its last output: ${last.join(' ')}`),
    )
  })
  const close = async () => {
    child.stdin.destroy()
    if (process.platform === 'win32') child.kill()
    await ended
  }
  const limit = AbortSignal.any([stopped, AbortSignal.timeout(START_LIMIT_MS)])
  const late = once(limit, 'abort').then(() =>
    stopped.aborted
      ? 'The tunnel was stopped.'
      : `${name} didn't report a URL within ${START_LIMIT_MS / 1_000} s, so it was stopped. Check this computer's internet connection.`,
  )
  const failed = Promise.race([ended, late]).then((reason) => {
    throw new AppError('TUNNEL_UNAVAILABLE', reason)
  })
  try {
    return { url: await Promise.race([printedUrl, failed]), ended, close }
  } catch (error) {
    await close()
    throw error
  }
}
