/** The request in the composer: body, headers and preview. */
import { WandSparkles } from 'lucide-react'
import { useState } from 'react'
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import { DEFAULT_PREFIX, headerNames } from '../../../shared/service/header-names.ts'
import { useApp } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { JsonEditor, jsonMistake } from '../../ui/json/json-editor.tsx'
import { formatJson } from '../../ui/json/json-rows.ts'
import { Segments } from '../../ui/segments.tsx'
import type { Draft } from './draft.ts'
import { HeaderRowsEditor } from './header-rows-editor.tsx'
import { PreviewView } from './preview-view.tsx'
import { LONGEST_EDITED, type Captured } from './use-captured.ts'

const views = [
  { value: 'body', label: 'Body' },
  { value: 'headers', label: 'Headers' },
  { value: 'request', label: 'Preview' },
] as const

export interface RequestPaneProps {
  readonly draft: Draft
  readonly captured: Captured
  readonly onChange: (part: Partial<Draft>) => void
  readonly previewInput: InputOf<'replay.preview'>
}

function namesOf(environments: readonly Environment[]) {
  return [...new Set([DEFAULT_PREFIX, ...environments.map(({ prefix }) => prefix)])].map(headerNames)
}

/** Whether this is a timestamp header under any environment's prefix. */
export function isTimestamp(name: string, environments: readonly Environment[]): boolean {
  return namesOf(environments).some(({ timestamp }) => timestamp === name.toLowerCase())
}

function isSignature(name: string, environments: readonly Environment[]): boolean {
  return namesOf(environments).some(({ signature }) => signature === name.toLowerCase())
}

/** Text shown for a header value that is set on send; null if the value is sent as is. */
function madeOf(name: string, { signature, timestamp }: Draft, environments: readonly Environment[]): string | null {
  if (signature === 'keep') return null
  if (isSignature(name, environments)) return signature === 'drop' ? 'omitted' : 'set on send'
  return isTimestamp(name, environments) && timestamp === 'now' ? 'time of sending' : null
}

export function RequestPane({ draft, captured, onChange, previewInput }: RequestPaneProps) {
  const environments = useApp((state) => state.core.environments)
  const [view, setView] = useState<'body' | 'headers' | 'request'>('body')
  const { text } = draft
  const isJson = captured.original.text !== null && jsonMistake(captured.original.text) === null
  const mistake = text === null || text.trim() === '' || !isJson ? null : jsonMistake(text)
  return (
    <>
      <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-2 border-b border-line py-1 pr-3 pl-4">
        <Segments label="Request view" options={views} value={view} onChange={setView} />
        <span className="min-w-0 flex-1 truncate text-small text-subtle">
          {view === 'body' && mistake !== null && 'Not JSON. Sent unchanged.'}
        </span>
        {view === 'body' && text !== null && isJson && (
          <Button
            kind="quiet"
            disabled={mistake !== null}
            icon={<WandSparkles size={13} aria-hidden />}
            onClick={() => {
              const formatted = formatJson(text)
              if (formatted !== null) onChange({ text: formatted })
            }}
          >
            Format
          </Button>
        )}
      </div>
      <div className="min-h-0 flex-1">
        {view === 'body' &&
          (text === null ? (
            <NoText captured={captured} onReplace={() => onChange({ text: '' })} />
          ) : (
            <JsonEditor
              label="Body"
              className="h-full"
              text={text}
              onText={(next) => {
                onChange({ text: next })
              }}
              problems={mistake === null ? [] : [mistake]}
            />
          ))}
        {view === 'headers' && (
          <HeaderRowsEditor
            rows={draft.rows}
            onRows={(rows) => {
              onChange({ rows })
            }}
            madeOf={(name) => madeOf(name, draft, environments)}
          />
        )}
        {view === 'request' && <PreviewView input={previewInput} />}
      </div>
    </>
  )
}

function NoText({ captured: { delivery }, onReplace }: { readonly captured: Captured; readonly onReplace: () => void }) {
  const why = delivery.truncated
    ? "Only the start of the body was stored, so the delivery can't be replayed unchanged."
    : delivery.bodySize > LONGEST_EDITED
      ? 'Body too long to edit here. Sent as captured.'
      : 'Binary body. Sent as captured.'
  return (
    <div className="px-5 py-4">
      <p className="text-muted">{why}</p>
      <Button className="mt-3" onClick={onReplace}>
        Replace body
      </Button>
    </div>
  )
}
