/**
 * Who has been let in. Three kinds of secret, each of 256 random bits, each kept only as a digest:
 *
 * - a **token** stands once in an address that the user opens, and buys a session;
 * - a **session** is the browser's cookie: it shows the app, and alone it does nothing else, since browsers send cookies to
 *   every port of this machine whoever asks;
 * - a **ticket** is given to a page of our own that has a session, and opens one WebSocket.
 */
import { createHash, timingSafeEqual } from 'node:crypto'

const SECRET_BYTES = 32

/** How long a ticket may wait for its WebSocket. */
export const TICKET_LIFETIME_MS = 30_000

export interface Sessions {
  /** A new one-time token that expires after `lifetimeMs`. */
  issueToken(lifetimeMs: number): string
  /** Trades a token for a new session; null where it is not known, used or expired. */
  redeemToken(token: string): string | null
  hasSession(session: string | undefined): boolean
  /** A new one-time ticket of this session. */
  issueTicket(session: string): string
  /** Uses a ticket up; true where it belongs to this session and has not expired. */
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

/** Takes the entry out of the list where it is there; digests have one length, so the comparison takes constant time. */
function take(list: Pending[], secret: string, now: number): Pending | null {
  const digest = digestOf(secret)
  const index = list.findIndex((entry) => timingSafeEqual(entry.digest, digest))
  const [found] = index === -1 ? [] : list.splice(index, 1)
  return found === undefined || found.expiresAt <= now ? null : found
}

export interface SessionSources {
  /** Monotonic time in milliseconds: a wall clock that is set back must not bring a token back. */
  readonly monotonic: () => number
  readonly randomBytes: (count: number) => Uint8Array
}

/** Keeps sessions in memory: they end with the process. */
export function createSessions({ monotonic, randomBytes }: SessionSources): Sessions {
  const tokens: Pending[] = []
  const tickets: Pending[] = []
  const sessions: Buffer[] = []

  const newSecret = () => Buffer.from(randomBytes(SECRET_BYTES)).toString('base64url')
  const add = (list: Pending[], lifetimeMs: number, session?: Buffer) => {
    const secret = newSecret()
    const now = monotonic()
    const kept = list.filter((entry) => entry.expiresAt > now)
    list.splice(0, list.length, ...kept, { digest: digestOf(secret), expiresAt: now + lifetimeMs, ...(session && { session }) })
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
