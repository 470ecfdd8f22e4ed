/**
 * The window's environment: one client that survives reconnections, the connection state, and the host's capabilities. The renderer
 * asks for capabilities, never for a platform.
 */
import { type Capabilities, NO_CAPABILITIES } from '../../shared/contract/native.ts'
import { type Client, createClient } from '../../shared/rpc/client.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { BRIDGE, type Transport, webSocketTransport } from '../../shared/rpc/transport.ts'
import { type Challenge, createNonce, keepKey, readKey, ticketFor } from './browser-key.ts'

export type ConnectionState =
  | { readonly phase: 'connecting' }
  /** The desktop app's window is open, and its core isn't yet. */
  | { readonly phase: 'starting' }
  /** The core can't open. `reason` is what happened and what to do, `details` a text for a bug report. */
  | { readonly phase: 'failed'; readonly reason: string; readonly details: string }
  | { readonly phase: 'open' }
  /** Lost, with automatic retries. `reason` is a sentence. */
  | { readonly phase: 'lost'; readonly reason: string }
  /** This page can't connect again: its session has ended, and only a new URL opens another. */
  | { readonly phase: 'over' }

export interface Host {
  readonly capabilities: Capabilities
  /** The same object through every reconnection. Calls reject with `DISCONNECTED` while there is no connection. */
  readonly client: Client
  /** Called with the current state and on each change. Returns a function that unsubscribes. */
  onConnection(listener: (state: ConnectionState) => void): () => void
}

// Chooses this window's host: the desktop app's bridge or the loopback host. The only place that decides this.

export interface Bridge extends Transport {
  readonly capabilities: Capabilities
}

/** The text that a failed start sends along. */
function detailsOf({ details, message }: AppError): string {
  const text =
    typeof details === 'object' && details !== null && 'text' in details ? details.text : null
  return typeof text === 'string' ? text : message
}

/**
 * The desktop app: the preload's bridge is the transport, available as long as the window exists. The first response shows that the
 * core is open, whatever it says, or that it can't open.
 */
export function createBridgeHost(bridge: Bridge): Host {
  const client = createClient(bridge)
  return {
    capabilities: bridge.capabilities,
    client,
    onConnection(listener) {
      let isHeard = true
      const tell = (state: ConnectionState) => {
        if (isHeard) listener(state)
      }
      tell({ phase: 'starting' })
      client.call('app.status', {}).then(
        () => tell({ phase: 'open' }),
        (error: unknown) => {
          if (!(error instanceof AppError) || error.code !== 'START_FAILED') tell({ phase: 'open' })
          else tell({ phase: 'failed', reason: error.message, details: detailsOf(error) })
        },
      )
      return () => {
        isHeard = false
      }
    },
  }
}

export function chooseHost(): Host {
  const bridge = (window as unknown as Record<string, unknown>)[BRIDGE]
  return bridge === undefined ? createBrowserHost() : createBridgeHost(bridge as Bridge)
}

// The app in a browser: a ticket for this page's session, then a WebSocket. A lost connection is retried with growing delays,
// each time with a new ticket. The session has ended if there is no ticket.

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

/** Milliseconds before try number `attempt` (from 0): doubling, up to five seconds. */
export function pauseBefore(attempt: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt)
}

async function fetchTicket(): Promise<{ readonly ticket: string } | 'over' | 'lost'> {
  const key = readKey()
  if (key === null) return 'over'
  const nonce = createNonce()
  try {
    const response = await fetch('/session', {
      method: 'POST',
      headers: { 'x-countersign': nonce },
      cache: 'no-store',
    })
    if (response.status === 401 || response.status === 403) return 'over'
    if (!response.ok) return 'lost'
    const ticket = await ticketFor(key, nonce, (await response.json()) as Challenge)
    if (ticket === null) return 'over'
    keepKey(key)
    return { ticket }
  } catch {
    // No response: Countersign stopped or is starting. The next try will show.
    return 'lost'
  }
}

function createBrowserHost(): Host {
  const client = createClient()
  const listeners = new Set<(state: ConnectionState) => void>()
  let state: ConnectionState = { phase: 'connecting' }
  let failures = 0

  const become = (next: ConnectionState) => {
    state = next
    for (const listener of listeners) listener(next)
  }

  const lose = () => {
    const reason = 'Lost the connection to Countersign. Reconnecting…'
    client.disconnect(reason)
    become({ phase: 'lost', reason })
    setTimeout(() => void connect(), pauseBefore(failures++))
  }

  const connect = async () => {
    const answer = await fetchTicket()
    if (answer === 'over') {
      become({ phase: 'over' })
      return
    }
    if (answer === 'lost') {
      lose()
      return
    }
    const socket = new WebSocket(`ws://${location.host}/rpc`, [
      'countersign',
      `ticket.${answer.ticket}`,
    ])
    socket.addEventListener('open', () => {
      failures = 0
      client.connect(webSocketTransport(socket))
      become({ phase: 'open' })
    })
    socket.addEventListener('close', lose)
  }

  // Another tab of this browser has signed in again.
  window.addEventListener('storage', () => {
    if (state.phase === 'over') void connect()
  })
  void connect()
  return {
    capabilities: NO_CAPABILITIES,
    client,
    onConnection(listener) {
      listeners.add(listener)
      listener(state)
      return () => listeners.delete(listener)
    },
  }
}
