/**
 * The hooks that a delivery may be for, in memory, with their keys made ready: what the receiver's thread asks at each
 * request. The hook is found by path, then by secret, so that the key proves which hook it was.
 */
import type { KeyObject } from 'node:crypto'
import type { AnsweringRule } from '../../shared/model/hook.ts'
import type { Freshness, Mode, RawHeaders, Verdict } from '../../shared/model/delivery.ts'
import { headerNames } from '../../shared/service/header-names.ts'
import { judgeFreshness, matches, streamMatches, type Candidate, type StreamedMatch } from '../signature/verify.ts'
import { readSignatureHeaders, type SignatureHeaders } from '../signature/signature-headers.ts'

/** A hook as the receiver needs it. */
export interface RegisteredHook {
  readonly id: string
  readonly event: string
  readonly url: string
  readonly environment: string
  readonly mode: Mode
  readonly createdAt: number
  /** Present key first, then the previous ones. */
  readonly keys: readonly KeyObject[]
  /** What its deliveries are answered. */
  readonly answering: AnsweringRule
}

export interface Judgement {
  readonly verdict: Verdict
  readonly freshness: Freshness
  /** The hook that the key proves; else the only one whose path it is; else null. */
  readonly hook: RegisteredHook | null
  /** Whether the key proves the hook. */
  readonly proved: boolean
  readonly timestamp: string | null
  readonly signature: string | null
  readonly messageId: string | null
}

export interface Registry {
  replace(hooks: readonly RegisteredHook[], prefixes: readonly string[]): void
  signatureHeaders(headers: RawHeaders): SignatureHeaders
  /** Judges a delivery whose body is at hand. Gives the loop a turn now and then where much is to be tried. */
  judge(target: string, headers: RawHeaders, body: Uint8Array, receivedAt: number): Promise<Judgement>
  /** Begins to judge a delivery whose body is too large to keep. */
  judgeStream(target: string): { stream: StreamedMatch; finish(headers: RawHeaders, receivedAt: number): Judgement }
  /** The hooks whose path a target is. */
  hooksAt(target: string): readonly RegisteredHook[]
  byId(id: string): RegisteredHook | undefined
}

/** Trying keys over this many bytes in one go would hold up other deliveries: the loop gets a turn in between. */
const BYTES_A_TURN = 4 * 1_048_576
/** A streamed body is fed to so many keys at most, those of its path first. */
const STREAMED_KEYS = 32

function candidatesOf(hook: RegisteredHook): Candidate[] {
  return hook.keys.map((key) => ({ hookId: hook.id, url: hook.url, key }))
}

export function createRegistry(): Registry {
  let hooks: readonly RegisteredHook[] = []
  let byId = new Map<string, RegisteredHook>()
  let byPath = new Map<string, RegisteredHook[]>()
  let names = [headerNames('service')]

  function hooksAt(target: string): readonly RegisteredHook[] {
    for (const path of pathsOfTarget(target)) {
      const found = byPath.get(path)
      if (found !== undefined) return found
    }
    return []
  }

  const signatureHeaders = (headers: RawHeaders): SignatureHeaders => readSignatureHeaders(headers, names)

  function conclude(target: string, found: SignatureHeaders, receivedAt: number, match: Candidate | null): Judgement {
    const { signature, timestamp, messageId } = found
    const freshness = judgeFreshness(timestamp, receivedAt)
    const proved = match === null ? undefined : byId.get(match.hookId)
    if (proved !== undefined) return { verdict: 'valid', freshness, hook: proved, proved: true, signature, timestamp, messageId }
    const here = hooksAt(target)
    // A delivery that contradicts itself is invalid wherever it goes; else nobody's path has nobody's verdict.
    const isInvalid = here.length > 0 || found.contradictory
    const verdict = signature === null || timestamp === null ? 'unsigned' : isInvalid ? 'invalid' : 'unknown-hook'
    return { verdict, freshness, hook: here.length === 1 ? here[0]! : null, proved: false, signature, timestamp, messageId }
  }

  async function findMatch(target: string, body: Uint8Array, timestamp: string, signature: string): Promise<Candidate | null> {
    const here = hooksAt(target)
    for (const hook of here) {
      for (const candidate of candidatesOf(hook)) if (matches(candidate, body, timestamp, signature)) return candidate
    }
    let bytes = 0
    for (const hook of hooks) {
      if (here.includes(hook)) continue
      for (const candidate of candidatesOf(hook)) {
        if (matches(candidate, body, timestamp, signature)) return candidate
        // A key costs something on an empty body too: about what a kilobyte costs.
        bytes += body.length + 1_024
        if (bytes < BYTES_A_TURN) continue
        bytes = 0
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    return null
  }

  return {
    replace(next, prefixes) {
      hooks = next
      byId = new Map(next.map((hook) => [hook.id, hook]))
      byPath = new Map()
      for (const hook of next) {
        const path = pathOfUrl(hook.url)
        const there = byPath.get(path)
        if (there === undefined) byPath.set(path, [hook])
        else there.push(hook)
      }
      names = [...new Set(['service', ...prefixes])].map(headerNames)
    },
    signatureHeaders,
    async judge(target, headers, body, receivedAt) {
      const found = signatureHeaders(headers)
      const { signature, timestamp, contradictory } = found
      const match =
        signature === null || timestamp === null || contradictory ? null : await findMatch(target, body, timestamp, signature)
      return conclude(target, found, receivedAt, match)
    },
    judgeStream(target) {
      const here = hooksAt(target)
      const ordered = [...here, ...hooks.filter((hook) => !here.includes(hook))].flatMap(candidatesOf)
      const stream = streamMatches(ordered.slice(0, STREAMED_KEYS))
      return {
        stream,
        finish(headers, receivedAt) {
          const found = signatureHeaders(headers)
          const { signature, timestamp, contradictory } = found
          const match = signature === null || timestamp === null || contradictory ? null : stream.finish(timestamp, signature)
          return conclude(target, found, receivedAt, match)
        },
      }
    },
    hooksAt,
    byId: (id) => byId.get(id),
  }
}

// Where the receiver expects a hook's deliveries, and which hooks a request's path belongs to.

/** Path and query of a registered URL, verbatim: what a sender writes into its request line. `/` where there is none. */
export function pathOfUrl(url: string): string {
  const path = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^#]*)/i.exec(url)?.[1] ?? ''
  return path.startsWith('/') ? path : `/${path}`
}

/**
 * The paths under which a request's target may belong to a hook, most exact first: as it stands, without its query, and the
 * same of an absolute-form target.
 */
export function pathsOfTarget(target: string): readonly string[] {
  const path = target.startsWith('/') ? target : pathOfUrl(target)
  const query = path.indexOf('?')
  return query === -1 ? [path] : [path, path.slice(0, query)]
}
