/** The headers, and the exchange as it happened: the request exactly as received, and what we returned. */
import { useMemo, useState, type ReactNode } from 'react'
import {
  isResponsePending,
  type Delivery,
  type RawHeaders,
} from '../../../shared/model/delivery.ts'
import { termOf } from '../../../shared/query/terms.ts'
import { timestampUnit } from '../../../shared/service/timestamp-unit.ts'
import { readableHeader } from '../../../shared/text/printable.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { concatenated, fromBase64, fromLatin1, hexText, saveBytes } from '../../ui/bytes.ts'
import { Code } from '../../ui/code.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { byteSize, duration, exactTime, milliseconds } from '../../ui/moment.ts'
import { NameValueTable, Quiet } from '../../ui/name-value-table.tsx'
import { Segments } from '../../ui/segments.tsx'
import { BodyBytes, decodeText, HexRows, readText, TextLimit } from '../body/index.ts'
import { answerWords } from './summary.ts'
import type { Shown } from './use-delivery.ts'

/** Null for any other header, and for a value in an unknown unit. */
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

export function HeadersTab({ shown: { delivery } }: { readonly shown: Shown }) {
  const { headers, receivedAt, trailers } = delivery
  if (headers.length === 0) return <p className="px-5 py-4 text-muted">No headers received</p>
  if (trailers.length === 0)
    return <HeaderTable label="Headers" headers={headers} receivedAt={receivedAt} searched />
  return (
    <div className="h-full overflow-auto">
      <div>
        <HeaderTable label="Headers" headers={headers} receivedAt={receivedAt} searched />
      </div>
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

/** Finds deliveries with this header. */
function headerTerm(name: string, value: string): string {
  return /^[\w-]+$/.test(name)
    ? termOf(`header.${name.toLowerCase()}`, value)
    : termOf('header', `${name}: ${value}`)
}

export function HeaderTable({
  label,
  headers,
  receivedAt,
  searched = false,
}: {
  readonly label: string
  readonly headers: RawHeaders
  /** Timestamps in headers are shown relative to this. */
  readonly receivedAt: string
  /** Whether the filter finds deliveries by these headers. */
  readonly searched?: boolean
}) {
  const times = new Map<string, number>()
  for (const [name] of headers)
    times.set(name.toLowerCase(), (times.get(name.toLowerCase()) ?? 0) + 1)
  const rows = headers.map(([name, stored]) => {
    const value = readableHeader(stored)
    const sent = times.get(name.toLowerCase()) ?? 0
    return {
      name,
      value,
      warning: sent > 1 ? `sent ${sent} times` : null,
      note: headerTime(name, value, receivedAt),
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

/** The bytes before the body; empty for a malformed request, so that nothing is invented. */
function requestHead(delivery: Delivery): string {
  if (delivery.method === null) return ''
  return headOf(
    `${delivery.method} ${delivery.path ?? ''} HTTP/${delivery.httpVersion}`,
    delivery.headers,
  )
}

/** A first line and headers, followed by the empty line. */
export function headOf(first: string, headers: RawHeaders): string {
  const lines = [first, ...headers.map(([name, value]) => `${name}: ${value}`)]
  return `${lines.join('\r\n')}\r\n\r\n`
}

function requestBytes(delivery: Delivery, body: Uint8Array): Uint8Array<ArrayBuffer> {
  return concatenated([fromLatin1(requestHead(delivery)), body])
}

const views = [
  { value: 'text', label: 'Text' },
  { value: 'hex', label: 'Hex' },
] as const

const sides = [
  { value: 'request', label: 'Request' },
  { value: 'response', label: 'Response' },
] as const

export function RawTab({ shown }: { readonly shown: Shown }) {
  const { rawSide, display } = useParts('detail', 'rawSide', 'display')
  const side = (
    <Segments
      label="Side"
      options={sides}
      value={rawSide}
      onChange={(chosen) => display({ rawSide: chosen })}
    />
  )
  return rawSide === 'request' ? (
    <RequestView shown={shown} side={side} />
  ) : (
    <ResponseView shown={shown} side={side} />
  )
}

interface SideProps {
  readonly shown: Shown
  /** Switches between request and response. */
  readonly side: ReactNode
}

/** Why there is no response to show. */
function absentWords(delivery: Delivery): string {
  if (isResponsePending(delivery)) return 'Delayed, held, or stopped before it was sent.'
  return delivery.origin === 'received'
    ? 'Not recorded. Received by an earlier version of Countersign.'
    : "Not recorded. The imported file doesn't include the response."
}

function ResponseView({ shown: { delivery }, side }: SideProps) {
  const { response, answer, receivedAt } = delivery
  const bytes = useMemo(() => fromBase64(response?.body ?? ''), [response?.body])
  const [view, setView] = useState<'body' | 'headers'>('body')
  return (
    <div className="flex h-full flex-col">
      <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line py-1 pr-3 pl-4">
        {side}
        <span className="min-w-0 flex-1 text-small text-muted">
          {answer.status !== null && 'Responded '}
          <span className="data text-text">{answerWords(delivery)}</span>
          {answer.ms !== null && (
            <>
              {' '}
              in <span className="data">{milliseconds(answer.ms)} ms</span>
            </>
          )}
        </span>
        {response !== null && response.status !== null && (
          <Segments
            label="Response view"
            options={[
              {
                value: 'body',
                label: response.truncated
                  ? `Body (first ${byteSize(bytes.length)})`
                  : `Body ${byteSize(bytes.length)}`,
              },
              { value: 'headers', label: `Headers ${response.headers.length}` },
            ]}
            value={view}
            onChange={setView}
          />
        )}
      </div>
      {response === null ? (
        <Quiet>{absentWords(delivery)}</Quiet>
      ) : response.status === null ? (
        <Quiet>No response: the connection was dropped.</Quiet>
      ) : view === 'headers' ? (
        response.headers.length === 0 ? (
          <Quiet>No headers.</Quiet>
        ) : (
          <HeaderTable
            label="Response headers"
            headers={response.headers}
            receivedAt={receivedAt}
          />
        )
      ) : bytes.length === 0 ? (
        <Quiet>Empty body.</Quiet>
      ) : (
        <div className="min-h-0 flex-1 pt-1.5">
          <BodyBytes label="Response" bytes={bytes} cut={response.truncated} />
        </div>
      )}
    </div>
  )
}

function RequestView({ shown: { body, delivery }, side }: SideProps) {
  const { rawView: view, display } = useParts('detail', 'rawView', 'display')
  const wrap = useApp((state) => state.preferences.wrap)
  const bytes = useMemo(() => requestBytes(delivery, body.bytes), [delivery, body.bytes])
  const cut = body.bytes.length < body.size
  const { text } = useMemo(() => readText(bytes, cut, null), [bytes, cut])
  return (
    <div className="flex h-full flex-col">
      <div className="flex h-10 shrink-0 items-center gap-2 border-b border-line pr-3 pl-4">
        {side}
        <Segments
          label="Request view"
          options={views}
          value={view}
          onChange={(rawView) => display({ rawView })}
        />
        <span className="min-w-0 flex-1 truncate text-small text-subtle @max-[560px]:invisible">
          {delivery.method === null
            ? 'Malformed request: only the received bytes'
            : 'Headers in the order, case and number received'}
        </span>
        {cut && (
          <Button
            kind="quiet"
            disabled={body.loading}
            onClick={() => display({ whole: delivery.id })}
          >
            {body.loading ? 'Loading…' : `Load all ${byteSize(body.size)}`}
          </Button>
        )}
        <CopyButton
          text={() => (view === 'text' ? decodeText(bytes, cut, null).text : hexText(bytes))}
          label="Copy request as shown"
          caption="Copy"
        />
        <Button
          kind="quiet"
          disabled={cut}
          title={cut ? 'Load the full body first' : 'Save exact bytes'}
          onClick={() => saveBytes(bytes, `delivery-${delivery.id}.http`)}
        >
          Save
        </Button>
      </div>
      {view === 'text' && <TextLimit size={bytes.length} hex />}
      <div className="min-h-0 flex-1">
        {view === 'hex' ? (
          <HexRows label="Request" bytes={bytes} />
        ) : (
          <Code label="Request" text={text} json={false} wrap={wrap} />
        )}
      </div>
    </div>
  )
}
