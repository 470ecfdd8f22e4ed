/**
 * Signs browsers in. Three kinds of secret, each 256 random bits, each stored only as a digest:
 *
 * - a **token** is part of a one-time link and creates a session;
 * - a **session** is the browser's cookie. It only shows the app, because browsers send cookies to every port of this computer,
 *   for requests from any page;
 * - a **ticket** opens one WebSocket. Our page gets it with its session.
 */
import { createHash, timingSafeEqual } from 'node:crypto'

const SECRET_BYTES = 32

/** Milliseconds until an unused ticket expires. */
export const TICKET_LIFETIME_MS = 30_000

export interface Sessions {
  /** Creates a one-time token that expires after `lifetimeMs`. */
  issueToken(lifetimeMs: number): string
  /** Exchanges a token for a new session; null if it is unknown, used or expired. */
  redeemToken(token: string): string | null
  hasSession(session: string | undefined): boolean
  /** Creates a one-time ticket for this session. */
  issueTicket(session: string): string
  /** Uses up a ticket; true if it belongs to this session and has not expired. */
  redeemTicket(session: string, ticket: string): boolean
}

interface Pending {
  readonly digest: Buffer
  readonly expiresAt: number
  readonly session?: Buffer
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** Removes the entry from the list. Digests have the same length, so the comparison takes constant time. */
function take(list: Pending[], secret: string, now: number): Pending | null {
  const digest = digestOf(secret)
  const index = list.findIndex((entry) => timingSafeEqual(entry.digest, digest))
  const [found] = index === -1 ? [] : list.splice(index, 1)
  return found === undefined || found.expiresAt <= now ? null : found
}

export interface SessionSources {
  /** Monotonic milliseconds: setting the system clock back must not revive a token. */
  readonly monotonic: () => number
  readonly randomBytes: (count: number) => Uint8Array
}

/** Keeps sessions in memory, so they end with the process. */
export function createSessions({ monotonic, randomBytes }: SessionSources): Sessions {
  const tokens: Pending[] = []
  const tickets: Pending[] = []
  const sessions: Buffer[] = []

  const newSecret = () => Buffer.from(randomBytes(SECRET_BYTES)).toString('base64url')
  const add = (list: Pending[], lifetimeMs: number, session?: Buffer) => {
    const secret = newSecret()
    const now = monotonic()
    const kept = list.filter((entry) => entry.expiresAt > now)
    list.splice(0, list.length, ...kept, {
      digest: digestOf(secret),
      expiresAt: now + lifetimeMs,
      ...(session && { session }),
    })
    return secret
  }

  return {
    issueToken: (lifetimeMs) => add(tokens, lifetimeMs),
    redeemToken(token) {
      if (take(tokens, token, monotonic()) === null) return null
      const session = newSecret()
      sessions.push(digestOf(session))
      return session
    },
    hasSession(session) {
      if (session === undefined) return false
      const digest = digestOf(session)
      return sessions.some((known) => timingSafeEqual(known, digest))
    },
    issueTicket: (session) => add(tickets, TICKET_LIFETIME_MS, digestOf(session)),
    redeemTicket(session, ticket) {
      const owner = take(tickets, ticket, monotonic())?.session
      return owner !== undefined && timingSafeEqual(owner, digestOf(session))
    },
  }
}
