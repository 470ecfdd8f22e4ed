/** What a program for tunnels has to offer: whether it is there, and a tunnel that is open until it ends. */
import type { TunnelProvider } from '../../shared/model/tunnel.ts'

/** Where a tunnel is to lead: the receiver over plain HTTP where it listens so, else over HTTPS with its own authority. */
export interface TunnelTarget {
  readonly url: string
  /** The authority that the receiver's certificate verifies with, as a file; null over plain HTTP. */
  readonly caFile: string | null
}

export interface OpenTunnel {
  /** The public address, without a slash at its end. */
  readonly url: string
  /** Resolves when it has ended, whoever ended it, with the reason as a sentence. */
  readonly ended: Promise<string>
  /** Hears of a disturbance that the program mends by itself, as a sentence; of null when it is mended. */
  onDisturbed(listener: (problem: string | null) => void): void
  /** Ends it; resolves when nothing of it runs any more. */
  close(): Promise<void>
}

/** It cannot be mended by trying again: a token that is refused, a program that is broken. */
export class TunnelRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TunnelRefused'
  }
}

export interface TunnelOptions {
  readonly domain: string | null
  /** The kept token; null where none is. */
  readonly token: string | null
  /** Gives up waiting for an address. */
  readonly signal: AbortSignal
  /** When it does by itself, in milliseconds. */
  readonly limitMs: number
}

/** Of a program that was waited for in vain: it is we who ended it. */
export function toldNothing(name: TunnelProvider, limitMs: number): string {
  return `${name} didn't report a URL within ${Math.ceil(limitMs / 1_000)} s, so it was stopped. Check this computer's internet connection.`
}

export interface ProviderAdapter {
  readonly name: TunnelProvider
  readonly needsToken: boolean
  /** One line that installs it, and the page that tells more. */
  readonly install: string
  readonly page: string
  /** Where it lies; null where it is not found. */
  find(): Promise<string | null>
  /**
   * Opens a tunnel and resolves when it has an address. Rejects with `TunnelRefused` where another try would end alike, else with an
   * error whose message is a sentence; nothing runs then.
   */
  open(path: string, target: TunnelTarget, options: TunnelOptions): Promise<OpenTunnel>
}
