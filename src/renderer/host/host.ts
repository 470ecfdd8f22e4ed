/**
 * The window's environment: one client that survives reconnections, the connection state, and the host's capabilities. The renderer
 * asks for capabilities, never for a platform.
 */
import { type Capabilities, NO_CAPABILITIES } from '../../shared/contract/native.ts'
import { type Client, createClient } from '../../shared/rpc/client.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { BRIDGE, type Transport, webSocketTransport } from '../../shared/rpc/transport.ts'
import type { EventName, PayloadOf } from '../../shared/contract/contract.ts'
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

interface LastingClient extends Client {
  /** Uses a new connection from now on. */
  attach(client: Client): void
}

interface Subscription {
  readonly event: EventName
  readonly listener: (payload: never) => void
  stop: (() => void) | null
}

/**
 * A client that survives its connections: listeners stay, and calls without a connection are rejected at once. Missed events are
 * left to the owner of the snapshots, which loads them again.
 */
export function createLastingClient(): LastingClient {
  let current: Client | null = null
  const subscriptions = new Set<Subscription>()
  const gapListeners = new Set<() => void>()

  const gone = () => new AppError('DISCONNECTED', 'Not connected to Countersign. Reconnecting…')
  const gap = () => {
    for (const listener of gapListeners) listener()
  }
  const subscribe = (client: Client, subscription: Subscription) => {
    subscription.stop = client.on(
      subscription.event,
      subscription.listener as (payload: PayloadOf<EventName>) => void,
    )
  }

  return {
    call: (command, input, options) =>
      current?.call(command, input, options) ?? Promise.reject(gone()),
    callNative: (command, input) => current?.callNative(command, input) ?? Promise.reject(gone()),
    on(event, listener) {
      const subscription: Subscription = { event, listener, stop: null }
      subscriptions.add(subscription)
      if (current !== null) subscribe(current, subscription)
      return () => {
        subscriptions.delete(subscription)
        subscription.stop?.()
      }
    },
    // A browser has no menus or notifications of ours.
    onNative: () => () => undefined,
    onGap(listener) {
      gapListeners.add(listener)
      return () => gapListeners.delete(listener)
    },
    disconnect(reason) {
      current?.disconnect(reason)
      current = null
      for (const subscription of subscriptions) subscription.stop = null
    },
    attach(client) {
      current = client
      for (const subscription of subscriptions) subscribe(client, subscription)
      client.onGap(gap)
    },
  }
}

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
  const client = createLastingClient()
  const listeners = new Set<(state: ConnectionState) => void>()
  let state: ConnectionState = { phase: 'connecting' }
  let failures = 0

  const become = (next: ConnectionState) => {
    state = next
    for (const listener of listeners) listener(next)
  }

  const lose = () => {
    client.disconnect('Lost the connection to Countersign.')
    become({ phase: 'lost', reason: 'Lost the connection to Countersign. Reconnecting…' })
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
      client.attach(createClient(webSocketTransport(socket)))
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
