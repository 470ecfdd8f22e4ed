/**
 * Signs browsers in. Each secret has 256 random bits and is stored only as a digest:
 *
 * - a **token** is part of a one-time link and creates a session;
 * - a **session** is the browser's cookie. It only shows the app, because browsers send cookies to every port of this computer;
 * - a **key** is in the fragment of the same link, which no server gets. The page keeps it in its origin's storage;
 * - a **ticket** opens one WebSocket. It is a proof that the page knows the key, over a nonce that is used once.
 */
import { timingSafeEqual } from 'node:crypto'
import { digestOf, isSameSecret, proofOf } from '../core/base/proof.ts'

const SECRET_BYTES = 32

/** Milliseconds until an unused ticket expires. */
const TICKET_LIFETIME_MS = 30_000

/** Milliseconds until a session that isn't used ends. */
const UNUSED_LIFETIME_MS = 30 * 86_400_000
/** Sessions at once; beyond it, the one that was used longest ago ends. */
const MOST_SESSIONS = 20

/** A signed-in browser. */
export interface Session {
  /** Digest of the cookie, in base64url. */
  readonly id: string
  /** Digest of the key, in base64url. */
  readonly key: string
  /** When it last opened a WebSocket, in milliseconds since the epoch. */
  readonly usedAt: number
}

/** Where sessions outlast this process. */
export interface SessionStore {
  /** The sessions of an earlier process. */
  readonly kept: readonly Session[]
  save(sessions: readonly Session[]): void
  /** Resolves when everything is saved. */
  close(): Promise<void>
}

/** A link's two secrets. */
export interface Link {
  readonly token: string
  readonly key: string
}

export interface Challenge {
  /** The server's nonce. */
  readonly nonce: string
  /** Shows the page that this is still the server that it signed in to. */
  readonly proof: string
  /** What the page computes with its key. */
  readonly ticket: string
}

export interface SessionSources {
  /** Monotonic milliseconds: setting the system clock back must not revive a token. */
  readonly monotonic: () => number
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly randomBytes: (count: number) => Uint8Array
  /** Absent: sessions end with the process. */
  readonly store?: SessionStore
}

const nameOf = (secret: string) => digestOf(secret).toString('base64url')

/** One-time secrets that expire, and what each is for. */
class OneTimeSecrets<Purpose> {
  readonly #monotonic: () => number
  #entries: readonly {
    readonly digest: Buffer
    readonly expiresAt: number
    readonly purpose: Purpose
  }[] = []

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  add(secret: string, lifetimeMs: number, purpose: Purpose): void {
    const now = this.#monotonic()
    this.#entries = [
      ...this.#entries.filter(({ expiresAt }) => expiresAt > now),
      { digest: digestOf(secret), expiresAt: now + lifetimeMs, purpose },
    ]
  }

  /** Uses a secret up; null if it is unknown, used or expired. */
  take(secret: string): Purpose | null {
    const digest = digestOf(secret)
    // Digests have the same length, so the comparison takes constant time.
    const entry = this.#entries.find((each) => timingSafeEqual(each.digest, digest))
    this.#entries = this.#entries.filter((each) => each !== entry)
    return entry === undefined || entry.expiresAt <= this.#monotonic() ? null : entry.purpose
  }
}

export class Sessions {
  readonly #sources: SessionSources
  /** Each for the name of its link's key. */
  readonly #tokens: OneTimeSecrets<string>
  /** Each for the ID of its session. */
  readonly #tickets: OneTimeSecrets<string>
  #sessions: readonly Session[]

  constructor(sources: SessionSources) {
    this.#sources = sources
    this.#tokens = new OneTimeSecrets(sources.monotonic)
    this.#tickets = new OneTimeSecrets(sources.monotonic)
    this.#sessions = sources.store?.kept ?? []
  }

  /** Creates the secrets of a one-time link that expires after `lifetimeMs`. */
  issueLink(lifetimeMs: number): Link {
    const link = { token: this.#newSecret(), key: this.#newSecret() }
    this.#tokens.add(link.token, lifetimeMs, nameOf(link.key))
    return link
  }

  /** Exchanges a token for the cookie of a new session; null if it is unknown, used or expired. */
  redeemToken(token: string): string | null {
    const key = this.#tokens.take(token)
    if (key === null) return null
    const cookie = this.#newSecret()
    this.#keep({ id: nameOf(cookie), key, usedAt: this.#sources.now() })
    return cookie
  }

  /** Returns the session of a cookie. */
  find(cookie: string | undefined): Session | null {
    if (cookie === undefined) return null
    const id = nameOf(cookie)
    const oldest = this.#sources.now() - UNUSED_LIFETIME_MS
    const session = this.#sessions.find((each) => isSameSecret(each.id, id))
    return session === undefined || session.usedAt < oldest ? null : session
  }

  /** Creates a one-time ticket for a page at `origin` that sent `clientNonce`. */
  challenge({ id, key }: Session, origin: string, clientNonce: string): Challenge {
    const nonce = this.#newSecret()
    const prove = (end: 'client' | 'server') => proofOf(key, end, origin, [clientNonce, nonce])
    const ticket = prove('client')
    this.#tickets.add(ticket, TICKET_LIFETIME_MS, id)
    return { nonce, proof: prove('server'), ticket }
  }

  /** Uses up a ticket; returns whether it belongs to this session and has not expired. */
  redeemTicket(session: Session, ticket: string): boolean {
    if (this.#tickets.take(ticket) !== session.id) return false
    this.#keep({ ...session, usedAt: this.#sources.now() })
    return true
  }

  /** Ends all sessions but the one with the ID `kept`; returns how many. */
  signOut(kept: string | null): number {
    const before = this.#sessions.length
    this.#replace(this.#sessions.filter(({ id }) => id === kept))
    return before - this.#sessions.length
  }

  #newSecret(): string {
    return Buffer.from(this.#sources.randomBytes(SECRET_BYTES)).toString('base64url')
  }

  #keep(session: Session): void {
    const others = this.#sessions.filter(({ id }) => id !== session.id)
    const newest = [session, ...others].toSorted((one, other) => other.usedAt - one.usedAt)
    this.#replace(newest.slice(0, MOST_SESSIONS))
  }

  #replace(sessions: readonly Session[]): void {
    this.#sessions = sessions
    this.#sources.store?.save(sessions)
  }
}

/** Returns whether a page's key, sent as it is, belongs to the session. */
export function isKeyOf(session: Session, key: string): boolean {
  return isSameSecret(session.key, nameOf(key))
}
