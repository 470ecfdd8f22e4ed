/** The request exactly as received. */
import { useMemo } from 'react'
import type { Delivery, RawHeaders } from '../../../shared/model/delivery.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { concatenated, fromLatin1 } from '../../ui/bytes.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { hexText } from '../../ui/hex-rows.ts'
import { byteSize } from '../../ui/moment.ts'
import { saveBytes } from '../../ui/save.ts'
import { Segments } from '../../ui/segments.tsx'
import { BodyRows, HexRows, useAboutBody } from '../body/index.ts'
import type { Shown } from './detail-slice.ts'

/** The bytes before the body; empty for a malformed request, so that nothing is invented. */
function requestHead(delivery: Delivery): string {
  if (delivery.method === null) return ''
  return headOf(`${delivery.method} ${delivery.path ?? ''} HTTP/${delivery.httpVersion}`, delivery.headers)
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

const askText = { ask: 'text' } as const

export function RawTab({ shown: { body, delivery } }: { readonly shown: Shown }) {
  const { rawView: view, setRawView: setView, loadWholeBody } = useParts('detail', 'rawView', 'setRawView', 'loadWholeBody')
  const wrap = useApp((state) => state.preferences.wrap)
  const bytes = useMemo(() => requestBytes(delivery, body.bytes), [delivery, body.bytes])
  const cut = body.bytes.length < body.size
  const source = useMemo(() => ({ bytes, cut, charset: null }), [bytes, cut])
  const read = useAboutBody(source, askText)
  return (
    <div className="flex h-full flex-col">
      <div className="flex h-10 shrink-0 items-center gap-2 border-b border-line pr-3 pl-4">
        <Segments label="Request view" options={views} value={view} onChange={setView} />
        <span className="min-w-0 flex-1 truncate text-small text-subtle">
          {delivery.method === null
            ? 'Malformed request: only the received bytes'
            : 'Headers in the order, case and number received'}
        </span>
        {cut && (
          <Button kind="quiet" disabled={body.loading} onClick={() => void loadWholeBody()}>
            {body.loading ? 'Loading…' : `Load all ${byteSize(body.size)}`}
          </Button>
        )}
        <CopyButton
          text={() => (view === 'text' && typeof read === 'object' ? read.text : hexText(bytes))}
          label="Copy request as shown"
          caption="Copy"
        />
        <Button
          kind="quiet"
          disabled={cut}
          title={cut ? 'Load the full body first' : 'Save exact bytes'}
          onClick={() => {
            saveBytes(bytes, `delivery-${delivery.id}.http`)
          }}
        >
          Save
        </Button>
      </div>
      <div className="min-h-0 flex-1 pt-1.5">
        {(view === 'hex' || read === 'too-long') && <HexRows label="Request" bytes={bytes} />}
        {view === 'text' && typeof read === 'object' && (
          <BodyRows label="Request" source={source} read={read} asSent wrap={wrap} />
        )}
      </div>
    </div>
  )
}
