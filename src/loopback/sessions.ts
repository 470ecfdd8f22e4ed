/**
 * Signs browsers in. Each secret has 256 random bits and is stored only as a digest:
 *
 * - a **token** is part of a one-time link and creates a session;
 * - a **cookie** names the session. It gives access only to the app's files, because browsers send
 *   cookies to every port of this computer;
 * - a **key** is in the link's fragment, which no server gets. The page keeps it in its origin's
 *   storage;
 * - a **ticket** opens one WebSocket. It proves that the page has the key.
 */
import { timingSafeEqual } from 'node:crypto'
import { digestOf, isSameSecret, proofOf } from '../core/base/proof.ts'

/** Milliseconds until an unused ticket expires. */
const TICKET_LIFETIME_MS = 30_000
/** Sessions at once; the least recently used one ends first. */
const MOST_SESSIONS = 20

export interface BrowserSession {
  readonly id: string
  readonly key: string
}

/** Keeps sessions for the next process. */
export interface SessionStore {
  /** Sessions of an earlier process. */
  readonly kept: readonly BrowserSession[]
  save(sessions: readonly BrowserSession[]): void
  close(): Promise<void>
}

export interface SessionSources {
  /** Returns monotonic milliseconds: setting the system clock back must not revive a token. */
  readonly monotonic: () => number
  readonly randomBytes: (count: number) => Uint8Array
  /** Storage of sessions; without it, they end with the process. */
  readonly store?: SessionStore
}

const digestText = (secret: string) => digestOf(secret).toString('base64url')

/** Secrets that work once, until they expire. Each has a value. */
class OneTimeSecrets {
  readonly #monotonic: () => number
  #entries: { readonly digest: Buffer; readonly expiresAt: number; readonly value: string }[] = []

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  add(secret: string, lifetimeMs: number, value: string): void {
    const now = this.#monotonic()
    this.#entries = this.#entries.filter(({ expiresAt }) => expiresAt > now)
    this.#entries.push({ digest: digestOf(secret), expiresAt: now + lifetimeMs, value })
  }

  /** Uses a secret up; returns null if it is unknown, used or expired. */
  take(secret: string): string | null {
    const digest = digestOf(secret)
    // Digests have the same length, so the comparison takes constant time.
    const index = this.#entries.findIndex((entry) => timingSafeEqual(entry.digest, digest))
    const [entry] = index === -1 ? [] : this.#entries.splice(index, 1)
    return entry === undefined || entry.expiresAt <= this.#monotonic() ? null : entry.value
  }
}

export class Sessions {
  readonly #sources: SessionSources
  /** Tokens with the digest of the link's key. */
  readonly #tokens: OneTimeSecrets
  /** Tickets with the session's ID. */
  readonly #tickets: OneTimeSecrets
  /** Sessions, last used first. */
  #sessions: readonly BrowserSession[]

  constructor(sources: SessionSources) {
    this.#sources = sources
    this.#tokens = new OneTimeSecrets(sources.monotonic)
    this.#tickets = new OneTimeSecrets(sources.monotonic)
    this.#sessions = sources.store?.kept ?? []
  }

  issueLink(lifetimeMs: number) {
    const [token, key] = [this.#newSecret(), this.#newSecret()]
    this.#tokens.add(token, lifetimeMs, digestText(key))
    return { token, key }
  }

  /** Exchanges a token for the cookie of a new session; null if it is unknown, used or expired. */
  redeemToken(token: string): string | null {
    const key = this.#tokens.take(token)
    if (key === null) return null
    const cookie = this.#newSecret()
    this.#moveToFront({ id: digestText(cookie), key })
    return cookie
  }

  find(cookie: string | undefined): BrowserSession | null {
    const id = digestText(cookie ?? '')
    return this.#sessions.find((session) => isSameSecret(session.id, id)) ?? null
  }

  /**
   * Creates a ticket. Returns what a page needs to compute it, and the proof that this is the
   * server it signed in to.
   */
  challenge({ id, key }: BrowserSession, origin: string, clientNonce: string) {
    const nonce = this.#newSecret()
    const ticket = proofOf(key, 'client', origin, clientNonce, nonce)
    this.#tickets.add(ticket, TICKET_LIFETIME_MS, id)
    return { nonce, proof: proofOf(key, 'server', origin, clientNonce, nonce) }
  }

  /**
   * Uses up a ticket; returns whether it is valid for this session. Accepts the key itself too:
   * over plain HTTP from another computer, pages have no cryptography.
   */
  redeemTicket(session: BrowserSession, ticket: string): boolean {
    const isOwn =
      this.#tickets.take(ticket) === session.id || isSameSecret(session.key, digestText(ticket))
    if (isOwn) this.#moveToFront(session)
    return isOwn
  }

  signOut(kept: string | null): void {
    this.#replaceSessions(this.#sessions.filter(({ id }) => id === kept))
  }

  #newSecret(): string {
    return Buffer.from(this.#sources.randomBytes(32)).toString('base64url')
  }

  #moveToFront(session: BrowserSession): void {
    const others = this.#sessions.filter(({ id }) => id !== session.id)
    this.#replaceSessions([session, ...others].slice(0, MOST_SESSIONS))
  }

  #replaceSessions(sessions: readonly BrowserSession[]): void {
    this.#sessions = sessions
    this.#sources.store?.save(sessions)
  }
}
