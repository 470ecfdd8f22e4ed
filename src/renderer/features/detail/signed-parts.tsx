/**
 * The parts of a signature: body, URL and timestamp in signing order, each in its own color with its size; two digests with the first
 * difference marked; and the mistake that explains it.
 */
import { ALTERED_BODY, type Delivery } from '../../../shared/model/delivery.ts'
import { utf8Text } from '../../../shared/body/encoding.ts'
import type { SignatureReport } from '../../../shared/model/signature.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { hexRow } from '../../ui/bytes.ts'
import { byteCount, exactTime } from '../../ui/moment.ts'
import type { Shown } from './use-delivery.ts'

const MOST_BYTES_OF_CHARACTER = 4

interface TextEnds {
  readonly start: string
  /** Null if `start` is the whole body, or if the end isn't loaded. */
  readonly end: string | null
}

/**
 * At most this many characters of each end; null if they aren't UTF-8. `whole`: the bytes are complete; otherwise they are the
 * start of a longer body.
 */
export function textEnds(
  bytes: Uint8Array,
  whole: boolean,
  atStart: number,
  atEnd: number,
): TextEnds | null {
  const most = (atStart + atEnd) * MOST_BYTES_OF_CHARACTER
  const head = utf8Text(bytes.subarray(0, most), !whole || bytes.length > most)
  if (head === null) return null
  if (bytes.length <= most && head.length <= atStart + atEnd) return { start: head, end: null }
  const start = head.slice(0, atStart)
  if (!whole) return { start, end: null }
  let from = Math.max(0, bytes.length - atEnd * MOST_BYTES_OF_CHARACTER)
  // Skips a character that began earlier.
  while (from < bytes.length && ((bytes[from] ?? 0) & 0b1100_0000) === 0b1000_0000) from++
  const tail = utf8Text(bytes.subarray(from), false)
  return tail === null ? null : { start, end: tail.slice(-atEnd) }
}

const SHOWN_AT_START = 220
const SHOWN_AT_END = 60

interface PartProps {
  readonly name: string
  /** In bytes. */
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
  readonly shown: Pick<Shown, 'body' | 'delivery'>
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

interface Compared {
  readonly name: string
  readonly value: string | null
  /** Shown if there is no value. */
  readonly missing: string
}

export function ComparedSignatures({
  right,
  other,
  firstDifference,
  isRight = true,
}: {
  readonly right: Compared
  readonly other: Compared
  /** Index of the first character that differs. */
  readonly firstDifference: number | null
  /** Whether `right` is known to be correct. Otherwise it isn't shown in green. */
  readonly isRight?: boolean
}) {
  const both = right.value !== null && other.value !== null
  const equal = both && firstDifference === null
  return (
    <>
      <div className="rounded-control border border-line bg-ground">
        <Line {...right} at={firstDifference} tone={isRight ? 'ok' : 'plain'} />
        <div className="border-t border-line" />
        <Line {...other} at={firstDifference} tone={equal ? 'ok' : 'bad'} />
      </div>
      {both && (
        <p className={`mt-1.5 text-small ${equal ? 'text-ok' : 'text-bad'}`}>
          {firstDifference === null
            ? 'Identical.'
            : `First difference at character ${firstDifference + 1}.`}
        </p>
      )}
    </>
  )
}

interface LineProps extends Compared {
  readonly at: number | null
  readonly tone: keyof typeof tones
}

const tones = {
  ok: { rest: 'text-ok', mark: 'bg-ok-wash text-ok' },
  bad: { rest: 'text-bad', mark: 'bg-bad-wash text-bad' },
  plain: { rest: 'text-text', mark: 'bg-control text-text' },
} as const

function Line({ name, value, at, missing, tone }: LineProps) {
  return (
    <div className="flex min-h-8 items-center gap-3 py-1 pr-1 pl-3">
      <span className="w-[68px] shrink-0 text-small text-subtle">{name}</span>
      {value === null ? (
        <span className="flex-1 text-muted">{missing}</span>
      ) : (
        <>
          <span className="data min-w-0 flex-1 break-all">
            {at === null ? (
              <ExactText text={value} />
            ) : (
              <>
                <ExactText text={value.slice(0, at)} />
                <mark
                  className={`rounded-small px-px font-semibold underline underline-offset-2 ${tones[tone].mark}`}
                >
                  {at < value.length ? <ExactText text={value.charAt(at)} /> : '␃'}
                </mark>
                <span className={tones[tone].rest}>
                  <ExactText text={value.slice(at + 1)} />
                </span>
              </>
            )}
          </span>
          <CopyButton text={value} label={`Copy signature (${name.toLowerCase()})`} />
        </>
      )}
    </div>
  )
}

/** A mistake in words: the cause, the fix, and its name in the docs. */
export function ExplainedMistake({
  message,
  fix,
  causes,
}: {
  readonly message: string
  readonly fix: string
  /** Names of the mistakes, as in `docs/diagnosis.md`. */
  readonly causes: readonly string[]
}) {
  return (
    <>
      <p className="font-medium wrap-anywhere">
        <ExactText text={message} />
      </p>
      <p className="mt-0.5 text-muted wrap-anywhere">
        <QuotedText text={fix} />
      </p>
      {causes.length > 0 && <p className="data mt-1 text-tiny text-subtle">{causes.join('  ')}</p>}
    </>
  )
}
