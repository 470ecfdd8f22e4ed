/** The composer's draft: the request to send, how it differs from the captured one, and as a command to copy. */
import { z } from 'zod'
import { pathText } from '../../../shared/body/json-path.ts'
import type { InputOf, OutputOf } from '../../../shared/contract/contract.ts'
import { isOfConnection, targetKind } from '../../../shared/http.ts'
import { childOf, readJson, stepsOf, type JsonNode } from '../../../shared/json/tree.ts'
import { DEFAULT_PREFIX } from '../../../shared/service/header-rules.ts'
import { curlCertificateOptions, replayCurl, shellArgument } from '../../../shared/snippets/curl.ts'
import { SECRET_VARIABLE } from '../../../shared/snippets/snippet.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import type { AppStatus } from '../../../shared/model/status.ts'
import { fromBase64 } from '../../ui/bytes.ts'
import type { Delivery, RawHeaders } from '../../../shared/model/delivery.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import {
  signatureModeSchema,
  tamperSchema,
  timestampModeSchema,
} from '../../../shared/model/send.ts'
import { handlerRef } from '../../ui/endpoint-offers.ts'

/** The captured request; `text` is the body if it can be edited, otherwise null. */
export interface Original {
  readonly method: string
  readonly headers: RawHeaders
  readonly text: string | null
}

/** Longer bodies are sent unchanged: a text field can't handle them well. */
export const LONGEST_EDITED = 262_144

export interface Captured {
  readonly delivery: Delivery
  readonly original: Original
}

export const draftSchema = z
  .object({
    /** Empty for the registered URL. */
    target: z.string(),
    method: z.string(),
    /** One `Name: value` per line, without connection headers. */
    headers: z.string(),
    text: z.string().nullable(),
    signature: signatureModeSchema,
    timestamp: timestampModeSchema,
    tamper: tamperSchema.nullable(),
    /** Empty for each delivery's own hook. */
    hookId: z.string(),
    /** Empty for the hook's registered URL. */
    signedUrl: z.string(),
    repeat: z.string(),
    concurrency: z.string(),
    rate: z.string(),
  })
  .readonly()
export type Draft = z.infer<typeof draftSchema>

/** Editable headers in order: all except connection headers. */
export function headersText(headers: RawHeaders): string {
  return headers
    .filter(([name]) => !isOfConnection(name))
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

interface HeaderLine {
  readonly at: number
  readonly name: string
  readonly value: string
}

/** The headers of a text. A line without a colon has a name only. */
export function headerLines(text: string): readonly HeaderLine[] {
  return Array.from(text.matchAll(/[^\r\n]+/g), ({ 0: line, index: at }) => {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    return { at, name, value }
  })
}

export function newDraft(original: Original | null, target: string): Draft {
  return {
    target,
    method: original?.method ?? '',
    headers: headersText(original?.headers ?? []),
    text: original?.text ?? null,
    signature: 'recompute',
    timestamp: 'now',
    tamper: null,
    hookId: '',
    signedUrl: '',
    repeat: '1',
    concurrency: '1',
    rate: '',
  }
}

/**
 * What a replay offers first: the current handler, else the endpoint used last, else the only saved handler. Empty asks; this app's
 * receiver is never offered.
 */
export function firstEndpoint({
  handlers,
  ofHook,
  recent,
  receiver,
}: {
  readonly handlers: readonly Pick<SavedHandler, 'name' | 'current'>[]
  /** The last target of the deliveries' hook; null for its registered URL, undefined for none. */
  readonly ofHook: string | null | undefined
  /** Targets of other replays, latest first. */
  readonly recent: readonly string[]
  readonly receiver: string | null
}): string {
  const current = handlers.find((handler) => handler.current)
  if (current !== undefined) return handlerRef(current)
  const used = [ofHook, ...recent].find(
    (url) => typeof url === 'string' && targetKind(url, receiver) !== 'receiver',
  )
  const [only] = handlers.length === 1 ? handlers : []
  return used ?? (only === undefined ? '' : handlerRef(only))
}

type RequestInput = Omit<InputOf<'replay.preview'>, 'id'>

function toBase64(text: string): string {
  return btoa(
    Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''),
  )
}

/** The draft as input for the core: only what differs from the original. */
export function requestOf(draft: Draft, original: Original | null): RequestInput {
  const { target, method, headers, text, signature, timestamp, tamper, hookId, signedUrl } = draft
  const base = {
    to: target.trim() === '' ? null : target.trim(),
    registeredUrl: signature === 'recompute' && signedUrl !== '' ? signedUrl : null,
    hookId: hookId === '' ? null : hookId,
    tamper: signature === 'recompute' ? tamper : null,
  }
  const proof = { signature, timestamp: signature === 'keep' ? ('now' as const) : timestamp }
  if (original === null) return { ...base, edits: proof }
  return {
    ...base,
    edits: {
      ...proof,
      ...(method === original.method ? {} : { method }),
      ...(headers === headersText(original.headers)
        ? {}
        : {
            headers: headerLines(headers).map(({ name, value }): [string, string] => [name, value]),
          }),
      ...(text === null || text === original.text ? {} : { base64: toBase64(text) }),
    },
  }
}

interface Pace {
  readonly repeat: number
  readonly concurrency: number
  readonly rate: number | null
}

export function paceOf({ repeat, concurrency, rate }: Draft): Pace | null {
  const whole = (text: string, most: number) =>
    /^\d{1,4}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= most ? Number(text) : null
  const times = whole(repeat, 1_000)
  const atOnce = whole(concurrency, 64)
  const speed = rate.trim() === '' ? null : Number(rate)
  if (times === null || atOnce === null || (speed !== null && !(speed > 0 && speed <= 100_000)))
    return null
  return { repeat: times, concurrency: atOnce, rate: speed }
}

export interface DraftChange {
  /** Names the change and distinguishes it from the others. */
  readonly name: string
  /** The position of a changed value in the body; null for any other change. */
  readonly at: number | null
  readonly before: string | null
  readonly after: string | null
  undo(draft: Draft): Draft
}

/** Most places in the body that are listed individually. */
const MOST_PLACES = 30

export function changesOfDraft(draft: Draft, original: Original): readonly DraftChange[] {
  return [
    ...methodChange(draft, original),
    ...headerChanges(draft, original),
    ...bodyChanges(draft, original),
  ]
}

function methodChange({ method }: Draft, original: Original): readonly DraftChange[] {
  if (method === original.method) return []
  return [
    {
      name: 'Method',
      at: null,
      before: original.method,
      after: method,
      undo: (draft) => ({ ...draft, method: original.method }),
    },
  ]
}

/** The headers as one change, with the lines that are only on one side. */
function headerChanges({ headers }: Draft, original: Original): readonly DraftChange[] {
  const was = headersText(original.headers)
  if (headers === was) return []
  const only = (text: string, other: string) => {
    const lines = new Set(other.split('\n'))
    return text
      .split('\n')
      .filter((line) => line !== '' && !lines.has(line))
      .join(', ')
  }
  const [before, after] = [only(was, headers), only(headers, was)]
  return [
    {
      name: 'Headers',
      at: null,
      before: before === '' ? null : before,
      after: after === '' ? null : after,
      undo: (draft) => ({ ...draft, headers: was }),
    },
  ]
}

/** The changes of the body: its formatting and each value, or the whole. Their positions are in this text. */
export function bodyChanges(
  { text }: Pick<Draft, 'text'>,
  original: Pick<Original, 'text'>,
): readonly DraftChange[] {
  const was = original.text
  if (text === null || text === was) return []
  if (was === null)
    return [
      {
        name: 'Body: replaced',
        at: null,
        before: null,
        after: null,
        undo: (draft) => ({ ...draft, text: null }),
      },
    ]
  const whole = (name: string): readonly DraftChange[] => [
    { name, at: null, before: null, after: null, undo: (draft) => ({ ...draft, text: was }) },
  ]
  const before = readJson(was)
  const after = readJson(text)
  if (before === null || after === null)
    return whole(after === null && before !== null ? 'Body: no longer JSON' : 'Body')
  const at: Walk = { was, places: [], text: '', upTo: 0 }
  const isWhole = walk(at, before, after)
  const { places } = at
  if (!isWhole || places.length > MOST_PLACES)
    return whole(`Body: ${places.length > MOST_PLACES ? 'many places' : 'structure'}`)
  const unformatted = at.text + was.slice(at.upTo)
  if (unformatted === text) return places
  return [
    {
      name: 'Body: formatting',
      at: null,
      before: null,
      after: null,
      undo: (draft) => ({ ...draft, text: unformatted }),
    },
    ...places,
  ]
}

interface Walk {
  /** The captured text. */
  readonly was: string
  readonly places: DraftChange[]
  /** The captured text with the changed values, up to this position in the captured text. */
  text: string
  upTo: number
}

/** Records changed values present on both sides. False if a member or item was added, removed or moved. */
function walk(at: Walk, one: JsonNode, other: JsonNode): boolean {
  const [before, after] = [one.raw, other.raw]
  if (before === after) return true
  const namesOf = ({ children }: JsonNode) => children.map(({ rawName }) => rawName)
  const isAlike =
    one.isContainer &&
    one.kind === other.kind &&
    one.children.length === other.children.length &&
    namesOf(one).join() === namesOf(other).join()
  if (isAlike) return one.children.every((child, index) => walk(at, child, other.children[index]!))
  if (one.parent === null) return false
  const path = stepsOf(one)
  at.text += at.was.slice(at.upTo, one.start) + after
  at.upTo = one.end
  at.places.push({
    name: pathText(path),
    at: other.start,
    before,
    after,
    undo: (draft) => ({
      ...draft,
      text: draft.text === null ? null : withValue(draft.text, path, before),
    }),
  })
  return true
}

/** Replaces the value at a path and leaves the rest of the text unchanged. */
function withValue(text: string, path: readonly (string | number)[], value: string): string {
  const node = path.reduce(childOf, readJson(text))
  return node === null ? text : text.slice(0, node.start) + value + text.slice(node.end)
}

/** The replay as a command; null if its options can't express the changes. */
export function commandOf(draft: Draft, original: Original, id: string): string | null {
  const { edits, to, registeredUrl, hookId, tamper } = requestOf(draft, original)
  if (edits?.headers !== undefined) return null
  const places = bodyChanges(draft, original)
  if (places.some(({ at }) => at === null)) return null
  const pace = paceOf(draft)
  const options: readonly (readonly [
    name: string,
    value: string | number | null | undefined,
    otherwise?: string | number,
  ])[] = [
    ['to', to],
    ['method', edits?.method],
    ...places.map(({ name, after }) => ['set', `${name}=${after ?? ''}`] as const),
    ['signature', edits?.signature, 'recompute'],
    ['timestamp', edits?.timestamp, 'now'],
    ['hook', hookId],
    ['registered-url', registeredUrl],
    ['tamper', tamper],
    ['repeat', pace?.repeat, 1],
    ['concurrency', pace?.concurrency, 1],
    ['rate', pace?.rate],
  ]
  const given = options.filter(
    ([, value, otherwise]) => value !== null && value !== undefined && value !== otherwise,
  )
  return [
    'countersign replay',
    id,
    ...given.map(([name, value]) => `--${name} ${shellArgument(String(value))}`),
  ].join(' ')
}

export const CURL_HINT = `Signs when run, using the secret in ${SECRET_VARIABLE}.`

interface CurlOptions {
  readonly state: {
    readonly environments: readonly Environment[]
    readonly status: AppStatus | null
  }
  /** The timestamp to sign; null for the time of running. */
  readonly timestamp: string | null
  /** The secret in plain text; null reads it from the shell's environment. */
  readonly secret: string | null
}

/** A replay as a curl command that signs when run. */
export function curlOf(
  preview: OutputOf<'replay.preview'>,
  { state, timestamp, secret }: CurlOptions,
): string {
  const { target, method, headers, base64, signedUrl } = preview
  return replayCurl({
    target,
    method,
    headers,
    body: fromBase64(base64),
    signedUrl,
    timestamp,
    prefixes: [...new Set([DEFAULT_PREFIX, ...state.environments.map(({ prefix }) => prefix)])],
    secret,
    options: curlCertificateOptions(target, {
      receiver: state.status?.receiver.url ?? null,
      caFile: state.status?.caFile ?? null,
    }),
  })
}
