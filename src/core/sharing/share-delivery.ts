/** Replaces personal values and secrets of a delivery. */
import { hash } from 'node:crypto'
import { contentEncodings, encodingInBytes } from '../../shared/body/encoding.ts'
import { BLANK_DELIVERY, type Delivery, type RawHeaders } from '../../shared/model/delivery.ts'
import type { Omission, ReplacedKind } from '../../shared/model/sharing.ts'
import { isEventType } from '../../shared/service/event-type.ts'
import { writeRecord } from '../import-export/record.ts'
import { rulesFor, type EventRules } from './path-rules.ts'
import { resign, withSignature, type DeliverySigning, type Resigned } from './resign.ts'
import { shareBody } from './share-body.ts'
import type { createHeaderSharing } from './share-headers.ts'
import { sharedUrl } from './shared-urls.ts'

export interface DeliverySharing extends DeliverySigning {
  readonly prefixes: readonly string[]
  readonly paths: EventRules
  readonly shareHeaders: ReturnType<typeof createHeaderSharing>
}

/** Line of a delivery, and the hooks whose lines must come before it. */
interface SharedLine {
  readonly hookIds: readonly string[] | 'all'
  readonly record: string
}

const METHOD = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/
/** Returns the line of a delivery, or why it is left out. */
export async function shareDelivery(
  sharing: DeliverySharing,
  delivery: Delivery,
  body: Uint8Array,
): Promise<SharedLine | Omission> {
  const { deps, paths, tools } = sharing
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
  return {
    hookIds: used === 'all' ? used : [...here, ...used],
    record: writeRecord(sharedDelivery(sharing, delivery, shared, resigned), shared),
  }
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
  const { path, method, note, merchant, environment } = delivery
  const { httpVersion, mode, verdict, freshness, attempt, schema, schemaErrors } = delivery
  const event = delivery.event !== null && isEventType(delivery.event) ? delivery.event : null
  return {
    ...BLANK_DELIVERY,
    origin: 'shared',
    id: idFor(delivery.id) ?? '',
    receivedAt: new Date(Date.parse(delivery.receivedAt) + shiftMs).toISOString(),
    method: method !== null && METHOD.test(method) ? method : textFor(method),
    path: replaced('path', path, path && sharedUrl(path, placeholders)),
    headers: headersOf(delivery.headers),
    trailers: headersOf(delivery.trailers),
    bodySize: body.length,
    bodySha256: hash('sha256', body, 'hex'),
    event,
    eventSource: event === null ? null : delivery.eventSource,
    eventCandidates: delivery.eventCandidates.filter(isEventType),
    environment: environment && signers.environmentFor(environment),
    ...{ httpVersion, mode, verdict, freshness, attempt, schema, schemaErrors },
    attemptOf: idFor(delivery.attemptOf),
    duplicateOf: idFor(delivery.duplicateOf),
    replayOf: idFor(delivery.replayOf),
    answer: delivery.answer,
    merchant: textFor(merchant),
    pinned: delivery.pinned,
    note: replaced('note', note, textFor(note)),
  }
}

/** Returns an ID of the same time, moved with all times; other IDs are replaced whole. */
function sharedId(id: string, shiftMs: number, hex: string): string {
  const time = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
  const moved = Number.isNaN(time) ? 0 : Math.max(0, time + shiftMs)
  const digits = moved.toString(16).padStart(12, '0').slice(-12)
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7${hex.slice(0, 3)}-8${hex.slice(3, 6)}-${hex.slice(6, 18)}`
}
