/** The signed parts of a delivery in order: body, URL and timestamp, with their sizes. */
import { ALTERED_BODY, type Delivery } from '../../../shared/model/delivery.ts'
import { utf8Text } from '../../../shared/body/encoding.ts'
import type { SignatureReport } from '../../../shared/model/signature.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { byteCount, exactTime } from '../../ui/moment.ts'
import type { DeliveryView } from './use-delivery.ts'
import { hexRow } from '../../ui/hex-rows.ts'

const MAX_CHARACTER_BYTES = 4

interface TextEnds {
  readonly start: string
  /** End of the body; null if `start` is the whole body or the end isn't loaded. */
  readonly end: string | null
}

/**
 * Returns at most `atStart` and `atEnd` characters of a body; null if they aren't UTF-8.
 * @param whole Whether `bytes` is the complete body instead of its start.
 */
export function textEnds(
  bytes: Uint8Array,
  whole: boolean,
  atStart: number,
  atEnd: number,
): TextEnds | null {
  const most = (atStart + atEnd) * MAX_CHARACTER_BYTES
  const head = utf8Text(bytes.subarray(0, most), !whole || bytes.length > most)
  if (head === null) return null
  if (bytes.length <= most && head.length <= atStart + atEnd) return { start: head, end: null }
  const start = head.slice(0, atStart)
  if (!whole) return { start, end: null }
  let from = Math.max(0, bytes.length - atEnd * MAX_CHARACTER_BYTES)
  // Skip the rest of a character.
  while (from < bytes.length && ((bytes[from] ?? 0) & 0b1100_0000) === 0b1000_0000) from++
  const tail = utf8Text(bytes.subarray(from), false)
  return tail === null ? null : { start, end: tail.slice(-atEnd) }
}

const SHOWN_AT_START = 220

const SHOWN_AT_END = 60

interface PartProps {
  readonly name: string
  /** Size in bytes; `lost` if a damaged database lost the part, null if it is missing. */
  readonly size: number | 'lost' | null
  readonly className: string
  readonly children: React.ReactNode
  readonly note?: string | undefined
}

function Part({ name, size, className, children, note }: PartProps) {
  return (
    <div
      className={`grid grid-cols-[96px_minmax(0,1fr)] gap-x-3 gap-y-0.5 border-l-2 @max-[480px]:grid-cols-1 px-3 py-1.5 ${className}`}
    >
      <dt>
        <span className="block text-small font-medium @max-[480px]:inline">{name}</span>
        <span className="block text-tiny whitespace-nowrap tabular-nums @max-[480px]:inline @max-[480px]:pl-2">
          {typeof size === 'number' ? byteCount(size) : (size ?? 'missing')}
        </span>
      </dt>
      <dd className="data min-w-0 self-center leading-[18px] break-all whitespace-pre-wrap text-text">
        {children}
        {note !== undefined && (
          <span className="block font-sans text-small break-normal text-subtle">{note}</span>
        )}
      </dd>
    </div>
  )
}

function cutNote({ truncated, bodyLost, bodyAltered }: Delivery): string | undefined {
  if (bodyLost) return 'Body lost: its database page was damaged.'
  if (bodyAltered) return ALTERED_BODY
  return truncated ? "Only the start was kept, so the signature can't be recomputed." : undefined
}

export function SignedParts({
  shown: { body, delivery },
  signature,
}: {
  readonly shown: Pick<DeliveryView, 'body' | 'delivery'>
  readonly signature: SignatureReport
}) {
  const url = signature.url
  const timestamp = signature.timestamp
  const urlBytes = url === null ? null : new TextEncoder().encode(url).length
  const timestampBytes = timestamp?.length ?? null
  const total = signature.bodySize + (urlBytes ?? 0) + (timestampBytes ?? 0)
  return (
    <div className="overflow-hidden rounded-control border border-line">
      <dl>
        <Part
          name="Body"
          size={delivery.bodyLost ? 'lost' : signature.bodySize}
          className="border-l-part-body bg-part-body-wash text-part-body"
          note={cutNote(delivery)}
        >
          {delivery.bodyLost ? null : signature.bodySize === 0 ? (
            <span className="text-subtle">empty</span>
          ) : (
            <BodyEnds bytes={body.bytes} size={body.size} />
          )}
        </Part>
        <Part
          name="URL"
          size={urlBytes}
          className="border-l-part-url bg-part-url-wash text-part-url"
        >
          {url === null ? (
            <span className="font-sans break-normal text-muted">
              No hook matches this path, so the registered URL is unknown.
            </span>
          ) : (
            <ExactText text={url} />
          )}
        </Part>
        <Part
          name="Timestamp"
          size={timestampBytes}
          className="border-l-part-time bg-part-time-wash text-part-time"
        >
          {timestamp === null ? (
            <span className="font-sans break-normal text-muted">
              {signature.inTrailer.includes('timestamp')
                ? 'Sent as a trailer, not as a header.'
                : 'No timestamp header.'}
            </span>
          ) : (
            <>
              <ExactText text={timestamp} />
              {signature.ageMs !== null && <ReadAsTime value={timestamp} />}
            </>
          )}
        </Part>
      </dl>
      {url !== null && timestamp !== null && !delivery.bodyLost && (
        <div className="flex justify-between border-t border-line bg-ground px-3 py-1 text-small text-subtle tabular-nums">
          <span>Total</span>
          <span>{byteCount(total)}</span>
        </div>
      )}
    </div>
  )
}

function ReadAsTime({ value }: { readonly value: string }) {
  const time = Number(value)
  if (!/^\d{1,15}$/.test(value) || !Number.isFinite(new Date(time).getTime())) return null
  return (
    <span className="pl-3 break-normal whitespace-nowrap text-subtle">
      {exactTime(new Date(time).toISOString())}
    </span>
  )
}

function BodyEnds({
  bytes,
  size,
}: {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly size: number
}) {
  const ends = textEnds(bytes, bytes.length === size, SHOWN_AT_START, SHOWN_AT_END)
  if (ends === null) return hexRow(bytes, 0).hex.trimEnd() + (size > 16 ? ' …' : '')
  const { start, end } = ends
  if (end === null && bytes.length === size) return <ExactText text={start} />
  return (
    <>
      <ExactText text={start} />
      <span className="px-1 text-subtle">…</span>
      {end !== null && <ExactText text={end} />}
    </>
  )
}
