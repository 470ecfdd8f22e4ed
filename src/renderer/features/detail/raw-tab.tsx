/** The Raw tab: the request exactly as received, and Countersign's response. */
import { useMemo, useState, type ReactNode } from 'react'
import {
  isResponsePending,
  type Delivery,
  type RawHeaders,
} from '../../../shared/model/delivery.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { concatenated, fromBase64, fromLatin1 } from '../../core-data/bytes.ts'
import { Code } from '../../ui/code.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { byteSize, milliseconds } from '../../ui/moment.ts'
import { MutedNote } from '../../ui/name-value-table.tsx'
import { Segments } from '../../ui/segments.tsx'
import { BodyBytes, decodeText, HexRows, readText, TextLimit } from '../body/index.ts'
import { responseStatusText } from './fact-sentences.ts'
import type { DeliveryView } from './use-delivery.ts'
import { HeaderTable } from './headers-tab.tsx'
import { saveBytes } from '../../ui/save-file.ts'
import { hexText } from '../../ui/hex-rows.ts'

/** Returns the request line and headers; empty for a malformed request. */
function requestHead(delivery: Delivery): string {
  if (delivery.method === null) return ''
  return headOf(
    `${delivery.method} ${delivery.path ?? ''} HTTP/${delivery.httpVersion}`,
    delivery.headers,
  )
}

/** Joins a first line and headers, with the empty line after them. */
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

export function RawTab({ shown }: { readonly shown: DeliveryView }) {
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
  readonly shown: DeliveryView
  /** Switch between request and response. */
  readonly side: ReactNode
}

/** Explains why there is no response to show. */
function absenceWords(delivery: Delivery): string {
  if (isResponsePending(delivery)) return 'Delayed, held, or stopped before it was sent.'
  return delivery.origin === 'received'
    ? 'Not recorded. Received by an earlier version of Countersign.'
    : delivery.origin === 'shared'
      ? 'Not recorded. A shareable capture has no responses.'
      : "Not recorded. The imported file doesn't include the response."
}

function ResponseView({ shown: { delivery }, side }: SideProps) {
  const { response, answer, receivedAt } = delivery
  const bytes = useMemo(() => fromBase64(response?.body ?? ''), [response?.body])
  const [view, setView] = useState<'body' | 'headers'>('body')
  return (
    <div className="flex h-full flex-col">
      <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1">
        {side}
        <span className="min-w-0 flex-1 text-small text-muted">
          {answer.status !== null && 'Responded '}
          <span className="data text-text">{responseStatusText(delivery)}</span>
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
        <MutedNote>{absenceWords(delivery)}</MutedNote>
      ) : response.status === null ? (
        <MutedNote>No response: the connection was dropped.</MutedNote>
      ) : view === 'headers' ? (
        response.headers.length === 0 ? (
          <MutedNote>No headers.</MutedNote>
        ) : (
          <HeaderTable
            label="Response headers"
            headers={response.headers}
            receivedAt={receivedAt}
          />
        )
      ) : bytes.length === 0 ? (
        <MutedNote>Empty body.</MutedNote>
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
      <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-1 @max-[360px]:gap-1 @max-[360px]:[&_label]:px-1">
        {side}
        <Segments
          label="Request view"
          options={views}
          value={view}
          onChange={(rawView) => display({ rawView })}
        />
        <span className="min-w-0 flex-1 truncate text-small text-subtle @max-[560px]:invisible">
          {delivery.method === null ? 'Malformed, as received' : 'Exactly as received'}
        </span>
        {cut && (
          <Button
            kind="quiet"
            disabled={body.loading}
            onClick={() => display({ wholeBodyId: delivery.id })}
          >
            {body.loading ? 'Loading…' : `Load all ${byteSize(body.size)}`}
          </Button>
        )}
        <CopyButton
          text={() => (view === 'text' ? decodeText(bytes, cut, null).text : hexText(bytes))}
          label="Copy request as shown"
          caption="Copy"
          className="@max-[360px]:[&>span]:hidden"
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
          <Code
            label="Request"
            text={text}
            json={false}
            wrap={wrap}
            className="[&_.cm-line]:break-all"
          />
        )}
      </div>
    </div>
  )
}
