/** The browser's host: a ticket for this page, then a WebSocket; each retry takes a new ticket. */
import { NO_CAPABILITIES } from '../../shared/contract/native.ts'
import { RpcClient } from '../../shared/rpc/client.ts'
import { webSocketTransport } from '../../shared/rpc/web-socket-transport.ts'
import { type Challenge, createNonce, keepKey, readKey, ticketFor } from './browser-key.ts'
import type { ConnectionState, Host } from './host.ts'

const FIRST_PAUSE_MS = 250

const LONGEST_PAUSE_MS = 5_000

/**
 * Returns the milliseconds before attempt number `attempt` (from 0): doubling, at most five
 * seconds.
 */
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
    // Countersign stopped or is starting, which the next attempt tells.
    return 'lost'
  }
}

export function createBrowserHost(): Host {
  const client = new RpcClient()
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
