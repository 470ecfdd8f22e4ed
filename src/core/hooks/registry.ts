/**
 * The hooks in memory, for the receiver's thread. A hook is found by path, then by secret, so a
 * valid signature proves which hook it is.
 */
import type { KeyObject } from 'node:crypto'
import type { AnsweringRule } from '../../shared/model/hook.ts'
import type { Freshness, Mode, RawHeaders, Verdict } from '../../shared/model/delivery.ts'
import { DEFAULT_PREFIX, signedPrefixes } from '../../shared/service/header-names.ts'
import {
  judgeFreshness,
  isSignedBy,
  createStreamedVerification,
  type Candidate,
  type StreamedVerification,
} from '../signature/verify.ts'
import {
  isComplete,
  NO_SIGNATURE,
  readSignatureHeaders,
  type SignatureHeaders,
  type SignaturePair,
} from '../signature/signature-headers.ts'
import { pathsOfTarget, escapedPath, pathOfUrl } from './hook-paths.ts'

export interface RegisteredHook {
  readonly id: string
  readonly event: string
  readonly url: string
  readonly environment: string
  readonly mode: Mode
  readonly prefix: string
  readonly createdAt: number
  /** Active hooks are tried first; deleted hooks only explain what no active hook does. */
  readonly isActive: boolean
  /** Whether it came with a shareable capture: it verifies only shared deliveries. */
  readonly isShared: boolean
  readonly keys: readonly KeyObject[]
  readonly answering: AnsweringRule
}

export const hookColumns = (
  hook: Pick<RegisteredHook, 'id' | 'environment' | 'mode'> | null | undefined,
) => ({
  hookId: hook?.id ?? null,
  environment: hook?.environment ?? null,
  mode: hook?.mode ?? null,
})

export interface Judgement {
  readonly verdict: Verdict
  readonly freshness: Freshness
  /** Hook whose key verified the request, else the only hook with this path, else null. */
  readonly hook: RegisteredHook | null
  readonly timestamp: string | null
  readonly signature: string | null
  readonly messageId: string | null
}

/** Bytes to hash before the event loop gets a turn. */
const BYTES_PER_TURN = 4 * 1_048_576
/** Maximum number of keys to try for a streamed body. */
const MAX_STREAMED_KEYS = 32

/**
 * Returns the candidate of the hook whose event the payload implies, if several hooks share URL and
 * secret.
 */
async function impliedHook(
  pathHooks: readonly RegisteredHook[],
  candidate: Candidate,
  body: Uint8Array,
): Promise<Candidate> {
  const { url, key } = candidate
  const sameKeyHooks = pathHooks.filter(
    (hook) => hook.url === url && hook.keys.some((hookKey) => hookKey.equals(key)),
  )
  if (sameKeyHooks.length < 2) return candidate
  return { url, key, hookId: (await likeliestFirst(sameKeyHooks, body))[0]?.id ?? candidate.hookId }
}

/** Sorts active hooks first, then those whose event the payload implies. */
export async function likeliestFirst(
  hooks: readonly RegisteredHook[],
  body: Uint8Array,
): Promise<RegisteredHook[]> {
  // Loaded on demand: few paths have several hooks, and the schemas take longer than a whole
  // command.
  const { guessEvents } = await import('../../shared/service/payload.ts')
  const events = guessEvents(body)
  const rank = ({ isActive, event }: RegisteredHook) =>
    2 * Number(isActive) + Number(events.includes(event))
  return hooks.toSorted((a, b) => rank(b) - rank(a))
}

function candidatesOf(hook: RegisteredHook): Candidate[] {
  return hook.keys.map((key) => ({ hookId: hook.id, url: hook.url, key }))
}

export class Registry {
  /** Hooks, active ones first. */
  #hooks: readonly RegisteredHook[] = []
  #byId = new Map<string, RegisteredHook>()
  #byPath = new Map<string, RegisteredHook[]>()
  #prefixes: readonly string[] = [DEFAULT_PREFIX]

  replace(hooks: readonly RegisteredHook[], knownPrefixes: readonly string[]): void {
    this.#hooks = hooks.toSorted((a, b) => Number(b.isActive) - Number(a.isActive))
    this.#byId = new Map(hooks.map((hook) => [hook.id, hook]))
    this.#byPath = Map.groupBy(
      this.#hooks,
      ({ url, isShared }) => `${isShared} ${escapedPath(Buffer.from(pathOfUrl(url)))}`,
    )
    this.#prefixes = [...new Set([DEFAULT_PREFIX, ...knownPrefixes])]
  }

  byId(id: string): RegisteredHook | undefined {
    return this.#byId.get(id)
  }

  hooksAt(target: string, isShared = false): readonly RegisteredHook[] {
    for (const path of pathsOfTarget(target)) {
      const escaped = escapedPath(Buffer.from(path, 'latin1'))
      const hooksOfPath = this.#byPath.get(`${isShared} ${escaped}`)
      if (hooksOfPath !== undefined) return hooksOfPath
    }
    return []
  }

  signatureHeaders(target: string, headers: RawHeaders, isShared = false): SignatureHeaders[] {
    return readSignatureHeaders(
      headers,
      this.#prefixes,
      this.hooksAt(target, isShared).map(({ prefix }) => prefix),
    )
  }

  /** Returns the prefix of a signature that no environment uses, in lower case, or null. */
  unknownPrefix(headers: RawHeaders): string | null {
    const usedPrefixes = new Set(this.#prefixes.map((prefix) => prefix.toLowerCase()))
    return signedPrefixes(headers).find((prefix) => !usedPrefixes.has(prefix)) ?? null
  }

  /**
   * Verifies a complete body. Yields to the event loop if there is much to try.
   * @param isShared - whether to try the hooks of shareable captures, else only all others
   */
  async judge(
    target: string,
    headers: RawHeaders,
    body: Uint8Array,
    receivedAt: number,
    isShared = false,
  ): Promise<Judgement> {
    const signaturePairs = this.signatureHeaders(target, headers, isShared)
    const pathHooks = this.hooksAt(target, isShared)
    for (const pair of signaturePairs.filter(isComplete)) {
      const match = await this.#findMatch(pathHooks, isShared, body, pair)
      if (match !== null) return this.#conclude(pathHooks, pair, receivedAt, match)
    }
    return this.#conclude(pathHooks, signaturePairs[0] ?? NO_SIGNATURE, receivedAt, null)
  }

  readonly judgeStream = (
    target: string,
  ): {
    stream: StreamedVerification
    finish(headers: RawHeaders, receivedAt: number): Judgement
  } => {
    const pathHooks = this.hooksAt(target)
    const ordered = [
      ...pathHooks,
      ...this.#hooks.filter((hook) => !hook.isShared && !pathHooks.includes(hook)),
    ].flatMap(candidatesOf)
    const stream = createStreamedVerification(ordered.slice(0, MAX_STREAMED_KEYS))
    return {
      stream,
      finish: (headers, receivedAt) => {
        // The hashes of a streamed body can be finished for one pair only.
        const [pair = NO_SIGNATURE] = this.signatureHeaders(target, headers)
        const match = isComplete(pair) ? stream.finish(pair.timestamp, pair.signature) : null
        return this.#conclude(pathHooks, pair, receivedAt, match)
      },
    }
  }

  async #findMatch(
    pathHooks: readonly RegisteredHook[],
    isShared: boolean,
    body: Uint8Array,
    { timestamp, signature }: SignaturePair,
  ): Promise<Candidate | null> {
    for (const hook of pathHooks) {
      for (const candidate of candidatesOf(hook))
        if (isSignedBy(candidate, body, timestamp, signature))
          return impliedHook(pathHooks, candidate, body)
    }
    let bytes = 0
    for (const hook of this.#hooks) {
      if (hook.isShared !== isShared || pathHooks.includes(hook)) continue
      for (const candidate of candidatesOf(hook)) {
        if (isSignedBy(candidate, body, timestamp, signature)) return candidate
        // A key's fixed cost, about that of hashing a kilobyte.
        bytes += body.length + 1_024
        if (bytes < BYTES_PER_TURN) continue
        bytes = 0
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    return null
  }

  #conclude(
    pathHooks: readonly RegisteredHook[],
    headers: SignatureHeaders,
    receivedAt: number,
    match: Candidate | null,
  ): Judgement {
    const { signature, timestamp, messageId } = headers
    const freshness = judgeFreshness(timestamp, receivedAt)
    const common = { freshness, signature, timestamp, messageId }
    const matchedHook = match === null ? undefined : this.#byId.get(match.hookId)
    if (matchedHook !== undefined) return { ...common, verdict: 'valid', hook: matchedHook }
    // Contradictory headers are invalid on any path; else a path without a hook means an unknown
    // hook.
    const isInvalid = pathHooks.length > 0 || headers.conflict !== null
    const verdict =
      signature === null || timestamp === null ? 'unsigned' : isInvalid ? 'invalid' : 'unknown-hook'
    return { ...common, verdict, hook: pathHooks.length === 1 ? pathHooks[0]! : null }
  }
}
