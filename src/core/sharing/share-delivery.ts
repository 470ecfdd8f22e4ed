/** Replaces personal values and secrets of a delivery, and signs it with the same mistakes. */
import { hash } from 'node:crypto'
import { contentEncodings, encodingInBytes } from '../../shared/body/encoding.ts'
import { BLANK_DELIVERY, type Delivery, type RawHeaders } from '../../shared/model/delivery.ts'
import type { Omission, ReplacedKind } from '../../shared/model/sharing.ts'
import { isEventType } from '../../shared/service/event-type.ts'
import { headerNames } from '../../shared/service/header-names.ts'
import type { RegisteredHook, Registry } from '../hooks/registry.ts'
import { writeRecord } from '../import-export/record.ts'
import type { DiagnosisInput } from '../signature/diagnosis/diagnosis-input.ts'
import type { DiagnosisService } from '../signature/diagnosis-service.ts'
import type { AlikeInput } from '../signature/sign-alike.ts'
import { signDelivery } from '../signature/sign.ts'
import { isSignedBy } from '../signature/verify.ts'
import { rulesFor, type EventRules } from './path-rules.ts'
import { shareBody, type SharingTools } from './share-body.ts'
import { sharedTimestamp, type createHeaderSharing } from './share-headers.ts'
import { sharedUrl } from './shared-urls.ts'
import type { SignersDeps, ThrowAwaySigners } from './throw-away-signers.ts'

/** Hooks to compare an invalid signature with, and what a diagnosis of it reads. */
export interface DiagnosisAttempt {
  readonly hooks: readonly (RegisteredHook | null)[]
  readonly inputs: readonly DiagnosisInput[]
  readonly depth: AlikeInput['depth']
}

export interface DeliverySharingDeps extends SignersDeps {
  readonly registry: Pick<Registry, 'judge' | 'hooksAt'>
  readonly diagnosis: Pick<DiagnosisService, 'signAlike'>
  attemptsOf(delivery: Delivery, body: Uint8Array): AsyncIterable<DiagnosisAttempt>
  /** Resolves with whether a diagnosis with the present keys found no mistake. */
  isUnexplained(delivery: Delivery): Promise<boolean>
}

export interface DeliverySharing {
  readonly deps: DeliverySharingDeps
  readonly prefixes: readonly string[]
  readonly paths: EventRules
  readonly tools: SharingTools
  readonly shareHeaders: ReturnType<typeof createHeaderSharing>
  readonly signers: ThrowAwaySigners
}

interface Resigned {
  readonly old: { readonly signature: string; readonly timestamp: string }
  readonly signature: string
  readonly timestamp: string
  readonly hookIds: readonly string[] | 'all'
}

const METHOD = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/
/** Causes that another hook's or environment's secret or URL explains. */
const BY_OTHERS = /^(?:secret:(?:other|deleted|api)|url:other-hook)/

/** Returns the lines of a delivery and of the hooks it needs, or why it is left out. */
export async function shareDelivery(
  sharing: DeliverySharing,
  delivery: Delivery,
  body: Uint8Array,
): Promise<readonly string[] | Omission> {
  const { deps, paths, tools, signers } = sharing
  const omitted = omissionOf(delivery, body)
  if (omitted !== null) return omitted
  const event = delivery.event ?? delivery.eventCandidates[0] ?? null
  const shared =
    body.length === 0 ? Buffer.alloc(0) : shareBody(body, event, rulesFor(paths, event), tools)
  if (shared === null) return 'not-json'
  const resigned = await resign(sharing, delivery, body, shared)
  if (typeof resigned === 'string') return resigned
  const isShared = delivery.origin === 'shared'
  const here = deps.registry.hooksAt(delivery.path ?? '/', isShared).map(({ id }) => id)
  const used = resigned?.hookIds ?? []
  const lines = await signers.linesOf(used === 'all' ? used : [...here, ...used])
  return [...lines, writeRecord(sharedDelivery(sharing, delivery, shared, resigned), shared)]
}

function omissionOf(
  { malformed, method, path, truncated, headers }: Delivery,
  body: Uint8Array,
): Omission | null {
  if (malformed !== null || method === null || path === null) return 'malformed'
  if (truncated) return 'truncated'
  const isCompressed = contentEncodings(headers).length > 0 || encodingInBytes(body) !== null
  return isCompressed ? 'compressed' : null
}

/** Signs as the original was signed; null if its signature has no known secret or mistake. */
async function resign(
  { deps, tools, signers }: DeliverySharing,
  delivery: Delivery,
  body: Uint8Array,
  shared: Uint8Array,
): Promise<Resigned | Omission | null> {
  const { verdict, path, headers, receivedAt, origin } = delivery
  if (verdict === 'valid') {
    const [at, isShared] = [Date.parse(receivedAt), origin === 'shared']
    const judged = await deps.registry.judge(path ?? '/', headers, body, at, isShared)
    const { hook, signature, timestamp } = judged
    if (hook === null || judged.verdict !== 'valid' || signature === null || timestamp === null)
      return 'unproved'
    const key = hook.keys.find((one) =>
      isSignedBy({ key: one, url: hook.url }, body, timestamp, signature),
    )
    if (key === undefined) return 'unproved'
    const parts = {
      body: shared,
      url: sharedUrl(hook.url, tools.placeholders),
      timestamp: sharedTimestamp(timestamp, tools),
      key: signers.keyFor(key),
    }
    const old = { signature, timestamp }
    return { old, ...parts, signature: signDelivery(parts).signature, hookIds: [hook.id] }
  }
  if (verdict === 'unsigned' || !delivery.verifiedHere) return null
  if (await deps.isUnexplained(delivery)) return null
  for await (const attempt of deps.attemptsOf(delivery, body)) {
    const [first] = attempt.inputs
    const after = attempt.inputs.map((input) => sharedInput(input, shared, tools, signers))
    const alike = await deps.diagnosis.signAlike({
      before: attempt.inputs,
      after,
      depth: attempt.depth,
      words: wordsOf(first?.received ?? '', tools),
    })
    if (alike === null || first === undefined) continue
    if (alike.signed === null) return 'unlike'
    const hookId = attempt.hooks[alike.index]?.id
    const isByOthers = alike.causes.some((cause) => BY_OTHERS.test(cause))
    return {
      old: { signature: first.received, timestamp: first.timestamp },
      ...alike.signed,
      hookIds: isByOthers ? 'all' : hookId === undefined ? [] : [hookId],
    }
  }
  return null
}

function wordsOf(received: string, { placeholders }: SharingTools): Record<string, string> {
  const words = received.length > 200 ? [] : (received.match(/[\p{L}\p{N}]+/gu) ?? [])
  return Object.fromEntries(words.map((word) => [word, placeholders.text(word)]))
}

function sharedInput(
  input: DiagnosisInput,
  body: Uint8Array,
  tools: SharingTools,
  signers: ThrowAwaySigners,
): DiagnosisInput {
  const { placeholders } = tools
  return {
    ...input,
    body,
    url: sharedUrl(input.url, placeholders),
    timestamp: sharedTimestamp(input.timestamp, tools),
    key: signers.keyFor(input.key),
    otherSecrets: input.otherSecrets.map((one) => ({ ...one, key: signers.keyFor(one.key) })),
    otherUrls: input.otherUrls.map((one) => ({ ...one, url: sharedUrl(one.url, placeholders) })),
    otherTimestamps: input.otherTimestamps.map(({ kind, text, where }) => ({
      kind,
      where,
      text: kind === 'other-header' ? placeholders.text(text) : sharedTimestamp(text, tools),
    })),
    otherBodies: [],
  }
}

/** Returns the delivery with only replaced values, and those that say nothing about anyone. */
function sharedDelivery(
  sharing: DeliverySharing,
  delivery: Delivery,
  body: Uint8Array,
  resigned: Resigned | null,
): Delivery {
  const { prefixes, tools, shareHeaders, signers } = sharing
  const { placeholders, shiftMs } = tools
  const replaced = (kind: ReplacedKind, before: string | null, after: string | null) => {
    if (before !== null && after !== null && after !== before)
      tools.note({ kind, where: () => kind, before, after })
    return after
  }
  const headersOf = (headers: RawHeaders) =>
    withSignature(headers, shareHeaders(headers), prefixes, resigned)
  const idFor = (id: string | null) => id && sharedId(id, shiftMs, placeholders.hex(`id ${id}`, 32))
  const textFor = (text: string | null) => text && placeholders.text(text)
  const { path, method, note, merchant, event, environment } = delivery
  return {
    ...BLANK_DELIVERY,
    origin: 'shared',
    id: idFor(delivery.id) ?? '',
    receivedAt: new Date(Date.parse(delivery.receivedAt) + shiftMs).toISOString(),
    method: method !== null && METHOD.test(method) ? method : textFor(method),
    path: replaced('path', path, path && sharedUrl(path, placeholders)),
    httpVersion: delivery.httpVersion,
    headers: headersOf(delivery.headers),
    trailers: headersOf(delivery.trailers),
    bodySize: body.length,
    bodySha256: hash('sha256', body, 'hex'),
    event: event !== null && isEventType(event) ? event : null,
    eventSource: event !== null && isEventType(event) ? delivery.eventSource : null,
    eventCandidates: delivery.eventCandidates.filter(isEventType),
    environment: environment && signers.environmentFor(environment),
    mode: delivery.mode,
    verdict: delivery.verdict,
    freshness: delivery.freshness,
    attempt: delivery.attempt,
    attemptOf: idFor(delivery.attemptOf),
    duplicateOf: idFor(delivery.duplicateOf),
    replayOf: idFor(delivery.replayOf),
    schema: delivery.schema,
    schemaErrors: delivery.schemaErrors,
    answer: delivery.answer,
    merchant: textFor(merchant),
    pinned: delivery.pinned,
    note: replaced('note', note, textFor(note)),
  }
}

/** Returns the replaced headers with the new signature and timestamp in place of the old. */
function withSignature(
  before: RawHeaders,
  after: RawHeaders,
  prefixes: readonly string[],
  resigned: Resigned | null,
): [string, string][] {
  const names = prefixes.map((prefix) => headerNames(prefix))
  return after.map(([name, value], index) => {
    const [lower, old] = [name.toLowerCase(), before[index]?.[1] ?? '']
    const part = (['signature', 'timestamp'] as const).find((one) =>
      names.some((own) => own[one] === lower),
    )
    return resigned !== null && part !== undefined && old.includes(resigned.old[part])
      ? [name, old.replaceAll(resigned.old[part], () => resigned[part])]
      : [name, value]
  })
}

/** Returns an ID of the same time, moved with all times; other IDs are replaced whole. */
function sharedId(id: string, shiftMs: number, hex: string): string {
  const time = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
  const moved = Number.isNaN(time) ? 0 : Math.max(0, time + shiftMs)
  const digits = moved.toString(16).padStart(12, '0').slice(-12)
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7${hex.slice(0, 3)}-8${hex.slice(3, 6)}-${hex.slice(6, 18)}`
}
