/** The body: formatted, as text or in hexadecimal; the beginning of a long one first, the rest on demand. */
import { WrapText } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useAppParts } from '../../../state/use-app.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy.tsx'
import { byteSize } from '../../../ui/moment.ts'
import { saveBytes } from '../../../ui/save.ts'
import { Segments } from '../../../ui/segments.tsx'
import type { BodyLayout } from '../body/body-layout.ts'
import { fromUtf8 } from '../body/bytes.ts'
import { formatJson } from '../body/format-json.ts'
import { hexText } from '../body/hex-rows.ts'
import type { BodyView as View, Shown } from '../detail-slice.ts'
import { BodyView } from './body-view.tsx'

const views = [
  { value: 'formatted', label: 'Formatted' },
  { value: 'text', label: 'As sent' },
  { value: 'hex', label: 'Hex' },
] as const

export function BodyTab({ shown: { body, delivery } }: { readonly shown: Shown }) {
  const { view, setView, wrap, setPreference, loadWholeBody } = useAppParts((state) => ({
    view: state.bodyView,
    setView: state.setBodyView,
    wrap: state.wrap,
    setPreference: state.setPreference,
    loadWholeBody: state.loadWholeBody,
  }))
  const [note, setNote] = useState('')
  const onLayout = useCallback((layout: BodyLayout | 'too-long') => {
    setNote(noteOf(layout))
  }, [])
  const cut = body.bytes.length < body.size
  if (body.size === 0) return <p className="px-5 py-4 text-muted">The body is empty.</p>
  return (
    <div className="flex h-full flex-col">
      <div className="flex h-10 shrink-0 items-center gap-2 border-b border-line pr-3 pl-4">
        <Segments label="How the body is shown" options={views} value={view} onChange={setView} />
        <span className="min-w-0 flex-1 truncate text-small text-subtle">{view === 'hex' ? '' : note}</span>
        {view !== 'hex' && (
          <IconButton
            label={wrap ? 'Do not wrap lines' : 'Wrap lines'}
            keys="w"
            pressed={wrap}
            icon={<WrapText size={15} aria-hidden />}
            onClick={() => {
              setPreference('wrap', !wrap)
            }}
          />
        )}
        <CopyButton text={() => copied(view, body.bytes, cut)} label="Copy the body as it is shown" caption="Copy" />
        <Button
          kind="quiet"
          onClick={() => {
            saveBytes(body.bytes, `delivery-${delivery.id}.body`)
          }}
          disabled={cut}
          title={cut ? 'Load all of it first' : 'Save the exact bytes'}
        >
          Save
        </Button>
      </div>
      {(cut || delivery.truncated) && (
        <div
          className="flex h-9 shrink-0 items-center gap-3 border-b border-line bg-raised pr-3 pl-4 text-small text-muted"
          role="status"
        >
          {cut
            ? `Showing the first ${byteSize(body.bytes.length)} of ${byteSize(body.size)}.`
            : `The body went over the limit: its first ${byteSize(body.size)} were kept.`}
          {cut && (
            <Button kind="quiet" disabled={body.loading} onClick={() => void loadWholeBody()}>
              {body.loading ? 'Loading…' : 'Load all'}
            </Button>
          )}
        </div>
      )}
      <div className="min-h-0 flex-1 pt-1.5">
        <BodyView label="Body" bytes={body.bytes} cut={cut || delivery.truncated} view={view} wrap={wrap} onLayout={onLayout} />
      </div>
    </div>
  )
}

function noteOf(layout: BodyLayout | 'too-long'): string {
  if (layout === 'too-long') return 'Too long to lay out: shown as bytes'
  if (layout.kind === 'binary') return 'Not UTF-8: shown as bytes'
  if (layout.kind === 'json') return 'JSON, every token as sent'
  return layout.notJsonAt === null
    ? ''
    : `Not JSON (from character ${(layout.notJsonAt + 1).toLocaleString('en')}): shown as sent`
}

function copied(view: View, bytes: Uint8Array, cut: boolean): string {
  const text = view === 'hex' ? null : fromUtf8(bytes, cut)
  if (text === null) return hexText(bytes)
  return (view === 'formatted' ? formatJson(text) : null) ?? text
}
