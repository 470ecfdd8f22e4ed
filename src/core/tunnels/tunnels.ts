/**
 * Runs an installed tunnel tool, whose printed URL becomes the public URL, until Countersign ends.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import type { ReceiverStatus } from '../../shared/model/status.ts'
import type { AddressTest, TunnelProvider, TunnelStatus } from '../../shared/model/tunnel.ts'
import { createMutex } from '../base/async.ts'
import type { EventHub } from '../base/event-hub.ts'
import { readJsonSetting } from '../store/settings.ts'
import type { Store } from '../store/store.ts'
import { replaceWholeFile } from '../base/whole-files.ts'

/** CA file is null for plain HTTP. */
interface Target {
  readonly url: string
  readonly caFile: string | null
}

interface Tool {
  /** `configFile` replaces the user's, which may name another tunnel. */
  args(target: Target, domain: string | null, configFile: string): string[]
  readonly url: RegExp
  readonly page: string
}

const tools: Readonly<Record<TunnelProvider, Tool>> = {
  cloudflared: {
    args: ({ url, caFile }, _, configFile) => [
      ...['tunnel', '--config', configFile, '--no-autoupdate', '--url', url],
      ...(caFile === null ? [] : ['--origin-ca-pool', caFile, '--origin-server-name', 'localhost']),
    ],
    url: /https:\/\/[a-z0-9][a-z0-9-]*\.trycloudflare\.com(?![\w.-])/,
    page: 'https://developers.cloudflare.com/cloudflare-one/networks/connectors/cloudflare-tunnel/downloads/',
  },
  ngrok: {
    args: ({ url }, domain) => [
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
const ADDRESSES = 'tunnels.addresses'
const MOST_ADDRESSES = 10

/** Ends `$@` when this process closes its pipe or is killed. Windows does so itself. */
const WATCH = `exec 3<&0
"$@" 3<&- </dev/null &
program=$!
{ while read -r _; do :; done; kill "$program"; } <&3 >/dev/null 2>&1 &
wait "$program"
code=$?
kill $! 2>/dev/null
exit "$code"`

type Environment = Readonly<Record<string, string | undefined>>

/** Starts a program without our environment variables, which include secrets. */
export function startProgram(name: string, args: readonly string[], given: Environment) {
  const isOurs = ([variable]: [string, unknown]) => variable.startsWith('COUNTERSIGN_')
  const env = Object.fromEntries(Object.entries(given).filter((entry) => !isOurs(entry)))
  const options = { env, stdio: 'pipe', windowsHide: true } as const
  if (process.platform === 'win32') return spawn(name, args, options)
  if (process.platform === 'darwin') env['PATH'] = [env['PATH'], ...MAC_PLACES].join(delimiter)
  return spawn('/bin/sh', ['-c', WATCH, 'sh', name, ...args], options)
}

/** Resolves once the tool prints its URL. Rejects with `TUNNEL_UNAVAILABLE`. */
async function openTunnel(
  name: TunnelProvider,
  args: readonly string[],
  env: Environment,
  stopped: AbortSignal,
) {
  const { url, page } = tools[name]
  const child = startProgram(name, args, env)
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

interface TunnelsDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly dataFolder: string
  readonly caFile: string
  readonly env: Environment
  readonly capture: {
    status(): ReceiverStatus
    setPublicUrl(url: string | null): Promise<ReceiverStatus>
  }
  test(url: string): Promise<AddressTest>
  readonly hub: Pick<EventHub, 'emit' | 'on'>
}

export type Tunnels = Awaited<ReturnType<typeof openTunnels>>

export async function openTunnels({ store, capture, hub, ...deps }: TunnelsDeps) {
  const exclusive = createMutex()
  let addresses = (await readJsonSetting(store, ADDRESSES, z.array(z.string()))) ?? []
  let opening = new AbortController()
  let open: Awaited<ReturnType<typeof openTunnel>> | null = null
  let lastTest: AddressTest | null = null
  const nothing = { url: null, target: null, problem: null }
  let shown: Omit<TunnelStatus, 'earlier' | 'test'> = { state: 'off', provider: null, ...nothing }

  const status = (): TunnelStatus => {
    const { publicUrl } = capture.status()
    const earlier = addresses.filter((url) => url !== publicUrl)
    return { ...shown, earlier, test: lastTest?.url === publicUrl ? lastTest : null }
  }
  const tell = () => hub.emit('tunnels.changed', status())
  const show = (change: Partial<typeof shown>) => {
    shown = { ...shown, ...nothing, ...change }
    tell()
    return status()
  }

  function targetOf(): Target {
    const { url, httpUrl, problem } = capture.status()
    if (httpUrl !== null) return { url: httpUrl, caFile: null }
    if (url !== null) return { url, caFile: deps.caFile }
    const none = "The receiver isn't running, so a tunnel would lead nowhere."
    throw new AppError('RECEIVER_FAILED', problem ?? none)
  }

  async function withdraw(): Promise<void> {
    const { publicUrl } = capture.status()
    if (publicUrl !== null && addresses.includes(publicUrl)) await capture.setPublicUrl(null)
  }

  async function close(): Promise<void> {
    const tunnel = open
    open = null
    await tunnel?.close()
  }

  async function openNext(provider: TunnelProvider, domain: string | null): Promise<TunnelStatus> {
    opening = new AbortController()
    const target = targetOf()
    await close()
    const configFile = join(deps.dataFolder, 'cloudflared.yml')
    await replaceWholeFile(configFile, 'no-autoupdate: true\n')
    show({ state: 'starting', provider, target: target.url })
    try {
      const args = tools[provider].args(target, domain, configFile)
      const tunnel = await openTunnel(provider, args, deps.env, opening.signal)
      open = tunnel
      void tunnel.ended.then(async (problem) => {
        if (open !== tunnel) return
        open = null
        await withdraw()
        show({ state: 'stopped', problem })
      })
      addresses = [...new Set([tunnel.url, ...addresses])].slice(0, MOST_ADDRESSES)
      await store.write('writeSetting', { name: ADDRESSES, value: JSON.stringify(addresses) })
      await capture.setPublicUrl(tunnel.url)
      return show({ state: 'up', url: tunnel.url, target: target.url })
    } catch (error) {
      await close()
      show({ state: 'stopped', problem: (error as Error).message })
      throw error
    }
  }

  // A tunnel ends with its process, so the last run's URL leads nowhere.
  await withdraw()
  // A changed public URL is no longer the tested one.
  hub.on('receiver.changed', tell)
  return {
    status,
    /** Resolves when the new tunnel is up, as the public URL. */
    start(provider: TunnelProvider, domain: string | null): Promise<TunnelStatus> {
      opening.abort()
      return exclusive(() => openNext(provider, domain))
    },
    /** Clears the public URL if it is the tunnel's. */
    stop(): Promise<TunnelStatus> {
      opening.abort()
      return exclusive(async () => {
        await close()
        await withdraw()
        return shown.state === 'off' ? status() : show({ state: 'stopped' })
      })
    },
    /** Rejects with `NOT_FOUND` without a public URL. */
    async test(): Promise<AddressTest> {
      const { publicUrl } = capture.status()
      if (publicUrl === null)
        throw new AppError('NOT_FOUND', 'No public URL to test. Start a tunnel, or set a URL.')
      const testResult = await deps.test(publicUrl)
      lastTest = testResult
      tell()
      return testResult
    },
    close(): Promise<void> {
      opening.abort()
      return exclusive(close)
    },
  }
}
