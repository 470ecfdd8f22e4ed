/** The Headers tab, and the table of headers. */
import type { RawHeaders } from '../../../shared/model/delivery.ts'
import { termOf } from '../../../shared/query/edit-query.ts'
import { timestampUnit } from '../../../shared/service/timestamp-unit.ts'
import { readableHeader } from '../../../shared/text/printable.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { duration, exactTime } from '../../ui/moment.ts'
import { NameValueTable } from '../../ui/name-value-table.tsx'
import type { DeliveryView } from './use-delivery.ts'

/** Returns the mark of a header that the signature was computed with. */
function markOf(value: string, signature: DeliveryView['signature']) {
  if (value === '' || signature === null) return {}
  if (value === signature.received)
    return { mark: { word: 'Signature', colors: 'bg-selected text-accent' } }
  return value === signature.timestamp
    ? { mark: { word: 'Signed', colors: 'bg-part-time-wash text-part-time' } }
    : {}
}

/** Explains the time in a timestamp header; returns null for any other header or unit. */
export function headerTime(name: string, value: string, receivedAt: string): string | null {
  if (!/-timestamp$/i.test(name)) return null
  const unit = timestampUnit(value)
  if (unit !== null) return `${unit.text}, not ${unit.expected}`
  if (!/^\d{1,15}$/.test(value)) return null
  const ms = Number(value)
  const distance = ms - Date.parse(receivedAt)
  const when =
    distance === 0
      ? 'at receipt'
      : `${duration(distance)} ${distance < 0 ? 'before' : 'after'} receipt`
  return `${exactTime(new Date(ms).toISOString())} · ${when}`
}

export function HeadersTab({ shown: { delivery, signature } }: { readonly shown: DeliveryView }) {
  const { headers, receivedAt, trailers } = delivery
  if (headers.length === 0) return <p className="px-5 py-4 text-muted">No headers received</p>
  const table = <HeaderTable label="Headers" {...{ headers, receivedAt, signature }} searched />
  if (trailers.length === 0) return table
  return (
    <div className="h-full overflow-auto">
      <div>{table}</div>
      <h3 className="px-5 pt-3 pb-1 text-small font-medium">Trailers</h3>
      <p className="px-5 pb-2 text-small text-muted">
        Sent after the body. A signature in a trailer doesn't count.
      </p>
      <div>
        <HeaderTable label="Trailers" headers={trailers} receivedAt={receivedAt} />
      </div>
    </div>
  )
}

/** Returns the filter term for deliveries with a header. */
function headerTerm(name: string, value: string): string {
  return /^[\w-]+$/.test(name)
    ? termOf(`header.${name.toLowerCase()}`, value)
    : termOf('header', `${name}: ${value}`)
}

export function HeaderTable({
  label,
  headers,
  receivedAt,
  signature = null,
  searched = false,
}: {
  readonly label: string
  readonly headers: RawHeaders
  /** Time of receipt, ISO 8601; timestamps are shown relative to it. */
  readonly receivedAt: string
  readonly signature?: DeliveryView['signature']
  /** Whether the filter finds deliveries by these headers. */
  readonly searched?: boolean
}) {
  const counts = new Map<string, number>()
  for (const [name] of headers)
    counts.set(name.toLowerCase(), (counts.get(name.toLowerCase()) ?? 0) + 1)
  const rows = headers.map(([name, stored]) => {
    const value = readableHeader(stored)
    const count = counts.get(name.toLowerCase()) ?? 0
    return {
      name,
      value,
      warning: count > 1 ? `sent ${count} times` : null,
      note: headerTime(name, value, receivedAt),
      ...markOf(stored, signature),
      copied: `${name}: ${value}`,
      menu: { name, text: value, term: searched ? headerTerm(name, stored) : null },
    }
  })
  return (
    <NameValueTable label={label} rows={rows} copyLabel="Copy header">
      <div className="px-4 py-2">
        <CopyButton
          text={() => rows.map(({ copied }) => copied).join('\r\n')}
          label={`Copy all ${label.toLowerCase()}`}
          caption="Copy all"
        />
      </div>
    </NameValueTable>
  )
}
