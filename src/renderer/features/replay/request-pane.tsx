/** The request in the composer: body, headers and preview. */
import { useState } from 'react'
import type { InputOf } from '../../../shared/contract/contract.ts'
import { formatJson } from '../../../shared/json/format.ts'
import { explainInvalidJson } from '../../../shared/json/scan.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { Segments } from '../../ui/segments.tsx'
import { PreviewView } from './request-preview.tsx'
import { BodyEditor, BodyDiff, NoEditableBody } from './body-editor.tsx'
import type { Captured, Draft } from './draft.ts'
import { HeadersEditor } from './headers-editor.tsx'

type View = 'body' | 'diff' | 'headers' | 'request'

const viewsOf = (hasDiff: boolean): readonly { value: View; label: string }[] => [
  { value: 'body', label: 'Body' },
  ...(hasDiff ? [{ value: 'diff', label: 'Diff' } as const] : []),
  { value: 'headers', label: 'Headers' },
  { value: 'request', label: 'Preview' },
]

interface RequestPaneProps {
  readonly draft: Draft
  readonly captured: Captured
  readonly onChange: (part: Partial<Draft>) => void
  readonly previewInput: InputOf<'replay.preview'>
}

export function RequestPane({ draft, captured, onChange, previewInput }: RequestPaneProps) {
  const environments = useApp((state) => state.core.environments)
  const [view, setView] = useState<View>('body')
  const { text } = draft
  const original = captured.original.text
  const isJson = original !== null && explainInvalidJson(original) === null
  const hasDiff = text !== null && original !== null
  return (
    <>
      <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-2 border-b border-line px-5 py-1.5">
        <Segments label="Request view" options={viewsOf(hasDiff)} value={view} onChange={setView} />
        <span className="flex-1" />
        {view === 'body' && hasDiff && (
          <>
            {isJson && (
              <Button onClick={() => onChange({ text: formatJson(text) ?? text })}>Format</Button>
            )}
            <Button onClick={() => onChange({ text: original })}>Original</Button>
          </>
        )}
      </div>
      <div className="min-h-0 flex-1">
        {view === 'body' && text === null && (
          <NoEditableBody captured={captured} onReplace={() => onChange({ text: '' })} />
        )}
        {view === 'diff' && hasDiff && <BodyDiff original={original} text={text} />}
        {text !== null && (
          // Hidden instead of removed, so that edits can be undone later.
          <div className="h-full" hidden={view !== 'body'}>
            <BodyEditor
              text={text}
              original={original}
              isJson={isJson}
              event={captured.delivery.event}
              onText={(next) => onChange({ text: next })}
            />
          </div>
        )}
        <div className="h-full" hidden={view !== 'headers'}>
          <HeadersEditor draft={draft} environments={environments} onChange={onChange} />
        </div>
        {view === 'request' && <PreviewView input={previewInput} />}
      </div>
    </>
  )
}
