/**
 * The hooks in memory, with prepared keys, for the receiver's thread. A hook is found by path, then by secret, so a valid signature
 * proves which hook it is.
 */
import type { KeyObject } from 'node:crypto'
import type { AnsweringRule } from '../../shared/model/hook.ts'
import type { Freshness, Mode, RawHeaders, Verdict } from '../../shared/model/delivery.ts'
import { DEFAULT_PREFIX, signedPrefixes } from '../../shared/service/header-rules.ts'
import {
  judgeFreshness,
  matches,
  streamMatches,
  type Candidate,
  type StreamedMatch,
} from '../signature/verify.ts'
import {
  isComplete,
  NO_SIGNATURE,
  readSignatureHeaders,
  type SignatureHeaders,
} from '../signature/signature-headers.ts'

/** A hook for the receiver. */
export interface RegisteredHook {
  readonly id: string
  readonly event: string
  readonly url: string
  readonly environment: string
  readonly mode: Mode
  /** Its environment's. */
  readonly prefix: string
  readonly createdAt: number
  /** Whether it isn't deleted: a deleted one explains only what no active one does. */
  readonly isActive: boolean
  /** Current key first, then previous ones. */
  readonly keys: readonly KeyObject[]
  readonly answering: AnsweringRule
}

/** What a delivery stores of its hook. */
export const belongingTo = (
  hook: Pick<RegisteredHook, 'id' | 'environment' | 'mode'> | null | undefined,
) => ({
  hookId: hook?.id ?? null,
  environment: hook?.environment ?? null,
  mode: hook?.mode ?? null,
})

export interface Judgement {
  readonly verdict: Verdict
  readonly freshness: Freshness
  /** The hook whose key verified the signature, else the only hook with this path, else null. */
  readonly hook: RegisteredHook | null
  readonly timestamp: string | null
  readonly signature: string | null
  readonly messageId: string | null
}

export type Registry = ReturnType<typeof createRegistry>

/** Trying keys over more bytes than this at once would delay other deliveries, so the event loop gets a turn in between. */
const BYTES_A_TURN = 4 * 1_048_576
/** A streamed body is verified with at most this many keys, those of its path first. */
const STREAMED_KEYS = 32

/** If hooks share a URL and secret, the one whose event the payload implies; an active one first. */
async function impliedTwin(
  here: readonly RegisteredHook[],
  candidate: Candidate,
  body: Uint8Array,
): Promise<Candidate> {
  const { url, key } = candidate
  const twins = here.filter((one) => one.url === url && one.keys.some((its) => its.equals(key)))
  if (twins.length < 2) return candidate
  return { url, key, hookId: (await likeliestFirst(twins, body))[0]?.id ?? candidate.hookId }
}

/** Active hooks before deleted ones, then those whose event the payload implies. */
export async function likeliestFirst(
  hooks: readonly RegisteredHook[],
  body: Uint8Array,
): Promise<RegisteredHook[]> {
  // Loaded on demand: few paths have several hooks, and the schemas take longer to load than a whole command.
  const { guessEvents } = await import('../../shared/service/payload.ts')
  const events = guessEvents(body)
  const rank = ({ isActive, event }: RegisteredHook) =>
    2 * Number(isActive) + Number(events.includes(event))
  return hooks.toSorted((a, b) => rank(b) - rank(a))
}

function candidatesOf(hook: RegisteredHook): Candidate[] {
  return hook.keys.map((key) => ({ hookId: hook.id, url: hook.url, key }))
}

export function createRegistry() {
  let hooks: readonly RegisteredHook[] = []
  let byId = new Map<string, RegisteredHook>()
  let byPath = new Map<string, RegisteredHook[]>()
  let prefixes: readonly string[] = [DEFAULT_PREFIX]

  function hooksAt(target: string): readonly RegisteredHook[] {
    for (const path of pathsOfTarget(target)) {
      const found = byPath.get(escapedPath(Buffer.from(path, 'latin1')))
      if (found !== undefined) return found
    }
    return []
  }

  /** Under each known prefix, those of the path's hooks first. */
  const signatureHeaders = (target: string, headers: RawHeaders): SignatureHeaders[] =>
    readSignatureHeaders(
      headers,
      prefixes,
      hooksAt(target).map(({ prefix }) => prefix),
    )

  function conclude(
    target: string,
    found: SignatureHeaders,
    receivedAt: number,
    match: Candidate | null,
  ): Judgement {
    const { signature, timestamp, messageId } = found
    const freshness = judgeFreshness(timestamp, receivedAt)
    const common = { freshness, signature, timestamp, messageId }
    const proved = match === null ? undefined : byId.get(match.hookId)
    if (proved !== undefined) return { ...common, verdict: 'valid', hook: proved }
    const here = hooksAt(target)
    // A delivery with contradictory headers is invalid on any path. Otherwise, a path without a hook means an unknown hook.
    const isInvalid = here.length > 0 || found.conflict !== null
    const verdict =
      signature === null || timestamp === null ? 'unsigned' : isInvalid ? 'invalid' : 'unknown-hook'
    return { ...common, verdict, hook: here.length === 1 ? here[0]! : null }
  }

  async function findMatch(
    target: string,
    body: Uint8Array,
    timestamp: string,
    signature: string,
  ): Promise<Candidate | null> {
    const here = hooksAt(target)
    for (const hook of here) {
      for (const candidate of candidatesOf(hook))
        if (matches(candidate, body, timestamp, signature))
          return impliedTwin(here, candidate, body)
    }
    let bytes = 0
    for (const hook of hooks) {
      if (here.includes(hook)) continue
      for (const candidate of candidatesOf(hook)) {
        if (matches(candidate, body, timestamp, signature)) return candidate
        // Fixed cost of a key, about that of hashing a kilobyte.
        bytes += body.length + 1_024
        if (bytes < BYTES_A_TURN) continue
        bytes = 0
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    return null
  }

  return {
    replace(next: readonly RegisteredHook[], known: readonly string[]) {
      hooks = next.toSorted((a, b) => Number(b.isActive) - Number(a.isActive))
      byId = new Map(next.map((hook) => [hook.id, hook]))
      byPath = Map.groupBy(hooks, ({ url }) => escapedPath(Buffer.from(pathOfUrl(url))))
      prefixes = [...new Set([DEFAULT_PREFIX, ...known])]
    },
    signatureHeaders,
    /** The prefix of a complete pair of signature headers that no environment uses, in lower case; null if there is none. */
    unknownPrefix(headers: RawHeaders): string | null {
      const known = new Set(prefixes.map((prefix) => prefix.toLowerCase()))
      return signedPrefixes(headers).find((prefix) => !known.has(prefix)) ?? null
    },
    /** Verifies a delivery with its complete body. Yields to the event loop if there is much to try. */
    async judge(
      target: string,
      headers: RawHeaders,
      body: Uint8Array,
      receivedAt: number,
    ): Promise<Judgement> {
      const found = signatureHeaders(target, headers)
      for (const pair of found.filter(isComplete)) {
        const match = await findMatch(target, body, pair.timestamp, pair.signature)
        if (match !== null) return conclude(target, pair, receivedAt, match)
      }
      return conclude(target, found[0] ?? NO_SIGNATURE, receivedAt, null)
    },
    /** Starts to verify a delivery whose body is too large to keep. */
    judgeStream(target: string): {
      stream: StreamedMatch
      finish(headers: RawHeaders, receivedAt: number): Judgement
    } {
      const here = hooksAt(target)
      const ordered = [...here, ...hooks.filter((hook) => !here.includes(hook))].flatMap(
        candidatesOf,
      )
      const stream = streamMatches(ordered.slice(0, STREAMED_KEYS))
      return {
        stream,
        finish(headers, receivedAt) {
          // The hashes of a streamed body can be finished for one pair only.
          const [found = NO_SIGNATURE] = signatureHeaders(target, headers)
          const match = isComplete(found) ? stream.finish(found.timestamp, found.signature) : null
          return conclude(target, found, receivedAt, match)
        },
      }
    },
    /** The hooks that a request target may belong to. */
    hooksAt,
    byId: (id: string): RegisteredHook | undefined => byId.get(id),
  }
}

// Which paths the receiver expects a hook's deliveries on, and which hooks a path belongs to.

/** Path and query of a registered URL, verbatim, as a sender writes them in the request line. `/` if empty. */
export function pathOfUrl(url: string): string {
  const path = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^#]*)/i.exec(url)?.[1] ?? ''
  return path.startsWith('/') ? path : `/${path}`
}

/** Escapes a path as clients do, so that `/h/café` and `/h/caf%c3%a9` are one path. */
function escapedPath(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replaceAll(/[^\x21-\x7e]|%[\da-f]{2}/gi, (one) =>
      one.length === 1
        ? `%${one.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`
        : one.toUpperCase(),
    )
}

/**
 * The paths under which a request target may belong to a hook, most exact first: as sent, without its query, and both for an
 * absolute-form target.
 */
export function pathsOfTarget(target: string): readonly string[] {
  const path = target.startsWith('/') ? target : pathOfUrl(target)
  const query = path.indexOf('?')
  return query === -1 ? [path] : [path, path.slice(0, query)]
}
