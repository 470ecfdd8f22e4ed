/**
 * This process's tunnel: started on request, restarted when it ends by itself, and ended with the process. Its URL is the public
 * URL until the user sets another.
 */
import { AppError } from '../../shared/contract/errors.ts'
import {
  TUNNEL_PATIENCE_SECONDS,
  type AddressTest,
  type TunnelProgram,
  type TunnelProvider,
  type TunnelStatus,
} from '../../shared/model/tunnel.ts'
import type { ReceiverStatus } from '../../shared/model/status.ts'
import { createMutex } from '../base/mutex.ts'
import { createRuns, failureSentence, type ActiveRun } from '../base/runs.ts'
import type { Clock, Log } from '../base/deps.ts'
import {
  TunnelRefused,
  type OpenTunnel,
  type ProviderAdapter,
  type TunnelTarget,
} from './provider.ts'
import type { TunnelMemory } from './memory.ts'

export interface TunnelsDeps {
  readonly clock: Clock
  readonly log: Log
  readonly memory: TunnelMemory
  readonly adapters: readonly ProviderAdapter[]
  /** CA that signed the receiver's certificate. */
  readonly caFile: string
  receiver(): ReceiverStatus
  setPublicUrl(url: string | null): Promise<ReceiverStatus>
  /** Sends a request to a URL and tells whether it arrives here. Never rejects. */
  test(url: string, signal: AbortSignal): Promise<AddressTest>
  onChanged(status: TunnelStatus): void
}

export interface Tunnels {
  status(): TunnelStatus
  programs(): Promise<TunnelProgram[]>
  setToken(token: string | null): Promise<TunnelProgram[]>
  /** Rejects with `TUNNEL_UNAVAILABLE`, `INVALID_INPUT` or `RECEIVER_FAILED`, and changes nothing then. */
  start(input: {
    readonly provider: TunnelProvider
    readonly domain: string | null
  }): Promise<TunnelStatus>
  stop(): Promise<TunnelStatus>
  /** Tests the current public URL. Rejects with `NOT_FOUND` if there is none. */
  test(): Promise<AddressTest>
  /** Call after the computer slept: tests the public URL, because its tunnel may have ended meanwhile. Never rejects. */
  woke(): Promise<void>
  /** Call on every change of the public URL. */
  addressChanged(): void
  close(): Promise<void>
}

/** How long a tool may take to report its URL. */
const START_LIMIT_MS = 45_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000
/** After this long a tunnel counts as working, so the next failure is a first failure again. */
const WORKED_MS = 60_000
/**
 * A tunnel that was up is stopped after this many consecutive failures, because no one is watching. Until it is up someone is
 * waiting, so time counts.
 */
const MOST_FAILURES = 10
/** A new name takes time to spread, so the first test is repeated after these delays, in milliseconds. */
const TEST_WAITS_MS = [0, 2_000, 4_000, 8_000]

/** A requested tunnel, until it is stopped or fails. There is only one at a time. */
type Run = ActiveRun<ProviderAdapter>
const ONLY = 'tunnel'

const NOTHING = { url: null, target: null, problem: null, nextTryAt: null }

export function createTunnels(deps: TunnelsDeps): Tunnels {
  const { clock, memory, adapters } = deps
  const exclusive = createMutex()
  const runs = createRuns<ProviderAdapter, void>({
    onFailed: (error) =>
      show({ state: 'stopped', ...NOTHING, problem: failureSentence(error, deps.log, 'a tunnel') }),
  })
  let testing = 0
  let test: AddressTest | null = null
  let shown: Omit<TunnelStatus, 'earlier' | 'test' | 'testing'> = {
    state: 'off',
    provider: null,
    since: null,
    ...NOTHING,
  }

  const status = (): TunnelStatus => ({
    ...shown,
    earlier: memory.addresses().filter((url) => url !== deps.receiver().publicUrl),
    test: test?.url === deps.receiver().publicUrl ? test : null,
    testing: testing > 0,
  })
  const tell = () => {
    deps.onChanged(status())
  }
  const isoNow = (later = 0) => new Date(clock.now() + later).toISOString()
  const show = (change: Partial<typeof shown>) => {
    shown = { ...shown, ...change, ...(change.state === undefined ? {} : { since: isoNow() }) }
    tell()
  }

  async function runTest(url: string, signal: AbortSignal): Promise<AddressTest> {
    testing++
    tell()
    try {
      const found = await deps.test(url, signal)
      if (!signal.aborted) test = found
      return found
    } finally {
      testing--
      tell()
    }
  }

  /** An automatic test, so its result is only shown. */
  async function testAtFirst(url: string, signal: AbortSignal): Promise<void> {
    for (const wait of TEST_WAITS_MS) {
      await clock.sleep(wait, signal)
      if (signal.aborted || deps.receiver().publicUrl !== url) return
      const { outcome } = await runTest(url, signal)
      if (outcome === 'reached' || outcome === 'altered') return
    }
  }

  function targetOf(): TunnelTarget {
    const { url, httpUrl, problem } = deps.receiver()
    if (httpUrl !== null) return { url: httpUrl, caFile: null }
    if (url !== null) return { url, caFile: deps.caFile }
    throw new AppError(
      'RECEIVER_FAILED',
      problem ?? "The receiver isn't running, so a tunnel would lead nowhere.",
    )
  }

  /** The URL becomes the public one: the first always, later ones only if the user hasn't set another. */
  async function publish(url: string, before: string | null): Promise<void> {
    await memory.remember(url)
    const { publicUrl } = deps.receiver()
    if (publicUrl !== url && (before === null || publicUrl === before)) await deps.setPublicUrl(url)
  }

  async function openOnce(
    { state: adapter, stopped }: Run,
    path: string,
    domain: string | null,
    target: TunnelTarget,
    limitMs: number,
  ): Promise<OpenTunnel> {
    const limit = AbortSignal.any([stopped, AbortSignal.timeout(limitMs)])
    const token = adapter.needsToken ? await memory.token() : null
    return adapter.open(path, target, { domain, token, signal: limit, limitMs })
  }

  async function keepUp(mine: Run, path: string, domain: string | null): Promise<void> {
    const { stopped: signal } = mine
    let before: string | null = null
    let failures = 0
    const giveUpAt = clock.monotonic() + TUNNEL_PATIENCE_SECONDS * 1_000
    while (!signal.aborted) {
      const target = targetOf()
      show({ state: 'starting', ...NOTHING, target: target.url })
      const startedAt = clock.monotonic()
      const left = before === null ? Math.max(1, Math.ceil(giveUpAt - startedAt)) : START_LIMIT_MS
      let reason: string
      try {
        const tunnel = await openOnce(mine, path, domain, target, Math.min(START_LIMIT_MS, left))
        const close = () => void tunnel.close()
        signal.addEventListener('abort', close, { once: true })
        if (signal.aborted) close()
        tunnel.onDisturbed((problem) => {
          if (!signal.aborted && shown.state === 'up') show({ problem })
        })
        try {
          if (!signal.aborted) {
            await publish(tunnel.url, before)
            before = tunnel.url
            show({ state: 'up', url: tunnel.url })
            void testAtFirst(tunnel.url, signal)
          }
        } catch (error) {
          await tunnel.close()
          throw error
        }
        reason = await tunnel.ended
        signal.removeEventListener('abort', close)
      } catch (error) {
        if (error instanceof TunnelRefused) {
          show({ state: 'stopped', ...NOTHING, problem: error.message })
          return
        }
        reason = (error as Error).message
      }
      if (signal.aborted) return
      failures = clock.monotonic() - startedAt > WORKED_MS ? 1 : failures + 1
      const wait = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS)
      const isOver =
        before === null ? clock.monotonic() + wait >= giveUpAt : failures >= MOST_FAILURES
      if (isOver) {
        const problem = `Stopped after ${failures} consecutive failures: ${reason} Fix the cause, then start it again.`
        show({ state: 'stopped', ...NOTHING, problem })
        return
      }
      show({ state: 'failing', ...NOTHING, problem: reason, nextTryAt: isoNow(wait) })
      await clock.sleep(wait, signal)
    }
  }

  async function programs(): Promise<TunnelProgram[]> {
    return Promise.all(
      adapters.map(async (adapter): Promise<TunnelProgram> => {
        const { name, needsToken, install, page } = adapter
        const tokenHint = needsToken ? await memory.tokenHint() : null
        return { provider: name, path: await adapter.find(), install, page, tokenHint, needsToken }
      }),
    )
  }

  /** Removes the tunnel's URL if it is the public one, because nothing is behind it now. */
  async function withdraw(): Promise<void> {
    const { publicUrl } = deps.receiver()
    if (publicUrl !== null && memory.addresses().includes(publicUrl)) await deps.setPublicUrl(null)
  }

  async function find(
    provider: TunnelProvider,
  ): Promise<{ readonly adapter: ProviderAdapter; readonly path: string }> {
    const adapter = adapters.find(({ name }) => name === provider)
    const path = (await adapter?.find()) ?? null
    if (adapter === undefined || path === null) {
      throw new AppError(
        'TUNNEL_UNAVAILABLE',
        `${provider} isn't installed on this computer. Install it: ${adapter?.install ?? ''} (${adapter?.page ?? ''}). Then start the tunnel again.`,
      )
    }
    if (adapter.needsToken && (await memory.tokenHint()) === null) {
      throw new AppError(
        'INVALID_INPUT',
        `${provider} needs your account's auth token. Copy it from ${adapter.page} and enter it once. It is stored encrypted.`,
        { details: { field: 'token' } },
      )
    }
    return { adapter, path }
  }

  return {
    status,
    programs,
    async setToken(token) {
      await memory.setToken(token)
      return programs()
    },
    start: ({ provider, domain }) =>
      exclusive(async () => {
        const { adapter, path } = await find(provider)
        targetOf()
        await runs.cancel(ONLY)
        shown = { ...shown, provider }
        runs.start(ONLY, adapter, (run) => keepUp(run, path, domain))
        return status()
      }),
    async stop() {
      await runs.cancel(ONLY)
      await withdraw()
      if (shown.state !== 'off') show({ state: 'stopped', ...NOTHING })
      return status()
    },
    async test() {
      const { publicUrl } = deps.receiver()
      if (publicUrl === null)
        throw new AppError('NOT_FOUND', 'No public URL to test. Start a tunnel, or set a URL.')
      return runTest(publicUrl, new AbortController().signal)
    },
    async woke() {
      const { publicUrl } = deps.receiver()
      if (publicUrl !== null) await testAtFirst(publicUrl, runs.closing)
    },
    addressChanged: tell,
    close: runs.close,
  }
}
