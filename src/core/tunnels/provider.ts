/** The interface of a tunnel tool: whether it is installed, and opening a tunnel. */
import type { TunnelProvider } from '../../shared/model/tunnel.ts'

/** The tunnel's destination: the receiver over plain HTTP if available, else over HTTPS with its own CA. */
export interface TunnelTarget {
  readonly url: string
  /** File of the CA that signed the receiver's certificate; null for plain HTTP. */
  readonly caFile: string | null
}

export interface OpenTunnel {
  /** The public URL without a trailing slash. */
  readonly url: string
  /** Resolves with the reason, as a sentence, when the tunnel has ended for any reason. */
  readonly ended: Promise<string>
  /** Called with a problem that the tool fixes itself, as a sentence, and with null when it is fixed. */
  onDisturbed(listener: (problem: string | null) => void): void
  /** Closes the tunnel. Resolves when nothing of it is running. */
  close(): Promise<void>
}

/** An error that a retry can't fix, such as a rejected token or a broken program. */
export class TunnelRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TunnelRefused'
  }
}

export interface TunnelOptions {
  readonly domain: string | null
  /** The stored token; null without one. */
  readonly token: string | null
  /** Aborts waiting for a URL. */
  readonly signal: AbortSignal
  /** Time limit for a URL, in milliseconds. */
  readonly limitMs: number
}

/** The message for a tool that we ended because it gave no URL. */
export function toldNothing(name: TunnelProvider, limitMs: number): string {
  return `${name} didn't report a URL within ${Math.ceil(limitMs / 1_000)} s, so it was stopped. Check this computer's internet connection.`
}

export interface ProviderAdapter {
  readonly name: TunnelProvider
  readonly needsToken: boolean
  /** The install command, and a page with more. */
  readonly install: string
  readonly page: string
  /** The program's path; null if not found. */
  find(): Promise<string | null>
  /**
   * Opens a tunnel and resolves once it has a URL. Rejects with `TunnelRefused` if a retry can't help, else with an error whose
   * message is a sentence; nothing is left running.
   */
  open(path: string, target: TunnelTarget, options: TunnelOptions): Promise<OpenTunnel>
}
