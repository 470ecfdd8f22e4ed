/**
 * Runs an installed tunnel tool, whose printed URL becomes the public URL, until Countersign ends.
 */
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import type { ReceiverStatus } from '../../shared/model/status.ts'
import type { AddressTest, TunnelProvider, TunnelStatus } from '../../shared/model/tunnel.ts'
import { createMutex } from '../base/async.ts'
import type { EventHub } from '../base/event-hub.ts'
import { readJsonSetting } from '../store/settings.ts'
import type { Store } from '../store/store.ts'
import {
  openTunnel,
  writeConfigFile,
  type ProgramEnvironment,
  type TunnelTarget,
} from './tunnel-tools.ts'

const ADDRESSES = 'tunnels.addresses'
const MOST_ADDRESSES = 10

interface TunnelsDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly dataFolder: string
  readonly caFile: string
  readonly env: ProgramEnvironment
  readonly capture: {
    status(): ReceiverStatus
    setPublicUrl(url: string | null): Promise<ReceiverStatus>
  }
  test(url: string): Promise<AddressTest>
  readonly hub: Pick<EventHub, 'emit' | 'on'>
}

type Shown = Omit<TunnelStatus, 'earlier' | 'test'>

const NOTHING_OPEN = { url: null, target: null, problem: null }

export class Tunnels {
  readonly #deps: TunnelsDeps
  readonly #exclusive = createMutex()
  /** URLs of this and earlier tunnels, newest first. */
  #addresses: readonly string[]
  #opening = new AbortController()
  #open: Awaited<ReturnType<typeof openTunnel>> | null = null
  #lastTest: AddressTest | null = null
  #shown: Shown = { state: 'off', provider: null, ...NOTHING_OPEN }

  constructor(deps: TunnelsDeps, addresses: readonly string[]) {
    this.#deps = deps
    this.#addresses = addresses
  }

  status(): TunnelStatus {
    const { publicUrl } = this.#deps.capture.status()
    const earlier = this.#addresses.filter((url) => url !== publicUrl)
    const test = this.#lastTest?.url === publicUrl ? this.#lastTest : null
    return { ...this.#shown, earlier, test }
  }

  /** Opens a tunnel, whose URL becomes the public URL; resolves once it is up. */
  start(provider: TunnelProvider, domain: string | null): Promise<TunnelStatus> {
    this.#opening.abort()
    return this.#exclusive(() => this.#openNext(provider, domain))
  }

  /** Closes the tunnel, and clears the public URL if it is the tunnel's. */
  stop(): Promise<TunnelStatus> {
    this.#opening.abort()
    return this.#exclusive(async () => {
      await this.#closeOpen()
      await this.withdraw()
      return this.#shown.state === 'off' ? this.status() : this.#show({ state: 'stopped' })
    })
  }

  /** Tests the public URL. Rejects with `NOT_FOUND` if there is none. */
  async test(): Promise<AddressTest> {
    const { publicUrl } = this.#deps.capture.status()
    if (publicUrl === null)
      throw new AppError('NOT_FOUND', 'No public URL to test. Start a tunnel, or set a URL.')
    const testResult = await this.#deps.test(publicUrl)
    this.#lastTest = testResult
    this.announce()
    return testResult
  }

  readonly close = (): Promise<void> => {
    this.#opening.abort()
    return this.#exclusive(() => this.#closeOpen())
  }

  /** Clears the public URL if it leads to a tunnel. */
  async withdraw(): Promise<void> {
    const { capture } = this.#deps
    const { publicUrl } = capture.status()
    if (publicUrl !== null && this.#addresses.includes(publicUrl)) await capture.setPublicUrl(null)
  }

  readonly announce = (): void => this.#deps.hub.emit('tunnels.changed', this.status())

  async #openNext(provider: TunnelProvider, domain: string | null): Promise<TunnelStatus> {
    const { capture, dataFolder, env } = this.#deps
    this.#opening = new AbortController()
    const target = this.#readTarget()
    await this.#closeOpen()
    const configFile = await writeConfigFile(dataFolder)
    this.#show({ state: 'starting', provider, target: target.url })
    try {
      const options = { target, domain, configFile }
      const tunnel = await openTunnel(provider, options, env, this.#opening.signal)
      this.#open = tunnel
      void tunnel.ended.then(async (problem) => {
        if (this.#open !== tunnel) return
        this.#open = null
        await this.withdraw()
        this.#show({ state: 'stopped', problem })
      })
      await this.#remember(tunnel.url)
      await capture.setPublicUrl(tunnel.url)
      return this.#show({ state: 'up', url: tunnel.url, target: target.url })
    } catch (error) {
      await this.#closeOpen()
      this.#show({ state: 'stopped', problem: (error as Error).message })
      throw error
    }
  }

  #readTarget(): TunnelTarget {
    const { caFile, capture } = this.#deps
    const { url, httpUrl, problem } = capture.status()
    if (httpUrl !== null) return { url: httpUrl, caFile: null }
    if (url !== null) return { url, caFile }
    const none = "The receiver isn't running, so a tunnel would lead nowhere."
    throw new AppError('RECEIVER_FAILED', problem ?? none)
  }

  async #remember(url: string): Promise<void> {
    this.#addresses = [...new Set([url, ...this.#addresses])].slice(0, MOST_ADDRESSES)
    const value = JSON.stringify(this.#addresses)
    await this.#deps.store.write('writeSetting', { name: ADDRESSES, value })
  }

  async #closeOpen(): Promise<void> {
    const tunnel = this.#open
    this.#open = null
    await tunnel?.close()
  }

  #show(change: Partial<Shown>): TunnelStatus {
    this.#shown = { ...this.#shown, ...NOTHING_OPEN, ...change }
    this.announce()
    return this.status()
  }
}

export async function openTunnels(deps: TunnelsDeps): Promise<Tunnels> {
  const addresses = (await readJsonSetting(deps.store, ADDRESSES, z.array(z.string()))) ?? []
  const tunnels = new Tunnels(deps, addresses)
  // A tunnel ends with its process, so the last run's URL leads nowhere.
  await tunnels.withdraw()
  // A changed public URL is no longer the tested one.
  deps.hub.on('receiver.changed', tunnels.announce)
  return tunnels
}
