/** The request in the composer: body, headers and preview. */
import { useState } from 'react'
import type { InputOf } from '../../../shared/contract/contract.ts'
import { explainInvalidJson } from '../../../shared/json/scan.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { Segments } from '../../ui/segments.tsx'
import { PreviewView } from './request-preview.tsx'
import { BodyEditor, BodyDiff, NoEditableBody } from './body-editor.tsx'
import type { Captured, Draft } from './draft.ts'
import type { DraftChange } from './draft-changes.ts'
import { HeadersEditor } from './headers-editor.tsx'

type View = 'body' | 'headers' | 'request'

const forms = [
  { value: 'formatted', label: 'Formatted' },
  { value: 'sent', label: 'As sent' },
] as const

interface RequestPaneProps {
  readonly draft: Draft
  readonly captured: Captured
  readonly changes: readonly DraftChange[]
  readonly onChange: (part: Partial<Draft>) => void
  /** Input of the preview; null for a new request, which also can't be compared. */
  readonly previewInput: InputOf<'replay.preview'> | null
}

export function RequestPane(props: RequestPaneProps) {
  const { draft, captured, changes, onChange, previewInput } = props
  const environments = useApp((state) => state.core.environments)
  const [view, setView] = useState<View>('body')
  const [form, setForm] = useState<(typeof forms)[number]['value']>('formatted')
  const [isCompared, setCompared] = useState(false)
  const { text } = draft
  const original = captured.original.text
  const isJson =
    previewInput === null
      ? /^\s*[{[]/.test(text ?? '')
      : original !== null && explainInvalidJson(original) === null
  const isDiff = isCompared && text !== null && original !== null
  const bodyCount = changes.filter(({ part }) => part === 'body').length
  return (
    <>
      <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-2 border-b border-line px-5 py-1.5">
        <Segments
          label="Request view"
          options={[
            { value: 'body', label: 'Body', ...(bodyCount === 0 ? {} : { count: bodyCount }) },
            { value: 'headers', label: 'Headers' },
            ...(previewInput === null ? [] : [{ value: 'request', label: 'Preview' } as const]),
          ]}
          value={view}
          onChange={setView}
        />
        <span className="flex-1" />
        {view === 'body' && text !== null && (original !== null || previewInput === null) && (
          <>
            {isJson && !isDiff && (
              <Segments label="Form of the body" options={forms} value={form} onChange={setForm} />
            )}
            {previewInput !== null && (
              <Button
                kind="quiet"
                className="aria-pressed:bg-control aria-pressed:text-text"
                aria-pressed={isDiff}
                onClick={() => setCompared(!isCompared)}
              >
                <span>
                  Compare<span className="@max-[560px]:sr-only"> with original</span>
                </span>
              </Button>
            )}
          </>
        )}
      </div>
      <div className="min-h-0 flex-1">
        {view === 'body' && text === null && (
          <NoEditableBody captured={captured} onReplace={() => onChange({ text: '' })} />
        )}
        {view === 'body' && isDiff && <BodyDiff original={original} text={text} />}
        {text !== null && (
          // Hidden instead of removed, so that edits can be undone later.
          <div className="h-full" hidden={view !== 'body' || isDiff}>
            <BodyEditor
              text={text}
              isJson={isJson}
              isFormatted={isJson && form === 'formatted'}
              changes={changes}
              event={captured.delivery.event}
              onText={(next) => onChange({ text: next })}
            />
          </div>
        )}
        <div className="h-full" hidden={view !== 'headers'}>
          <HeadersEditor draft={draft} environments={environments} onChange={onChange} />
        </div>
        {view === 'request' && previewInput !== null && <PreviewView input={previewInput} />}
      </div>
    </>
  )
}
