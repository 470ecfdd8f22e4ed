/** The composer's form for one delivery: the request, its options and its responses. */
import { useComposer, type ComposerState, type ComposerProps } from './use-composer.ts'
import { ComposerOptions } from './composer-options.tsx'
import { ComposerFrame } from './composer-frame.tsx'
import { RequestPane } from './request-pane.tsx'
import { TargetField } from './target-field.tsx'
import { SentFromHere } from './sent-from-here.tsx'
import { SelectField } from '../../ui/select.tsx'
import type { Captured } from './draft.ts'

/** Methods offered; the service sends POST, and a handler must reject the others. */
const METHODS = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

export function ComposerForm({
  source,
  captured,
  initialDraft,
  onDone,
}: ComposerProps & { readonly captured: Captured; readonly onDone: () => void }) {
  const composer = useComposer({ source, captured, initialDraft })
  const { draft, change, changes, request } = composer
  return (
    <ComposerFrame
      composer={composer}
      captured={captured}
      onDone={onDone}
      request={
        <>
          <MethodAndTarget composer={composer} />
          <RequestPane
            draft={draft}
            captured={captured}
            changes={changes}
            onChange={change}
            previewInput={{ ...request, id: captured.delivery.id }}
          />
        </>
      }
      options={
        <>
          <ComposerOptions source={source} composer={composer} />
          <SentFromHere composer={composer} delivery={captured.delivery} onLeave={onDone} />
        </>
      }
    />
  )
}

/** Shows method and target in one row, without visible labels. */
function MethodAndTarget({
  composer: { draft, original, registered, changeTarget, change },
}: {
  readonly composer: ComposerState
}) {
  return (
    <div className="flex shrink-0 items-start gap-2 border-b border-line px-5 py-2.5 [&_label]:sr-only">
      <div className="w-24 shrink-0">
        <SelectField
          label="Method"
          data
          choices={[...new Set([original?.method ?? 'POST', ...METHODS])].map((value) => ({
            value,
            label: value,
          }))}
          value={draft.method}
          onChange={(method) => change({ method })}
        />
      </div>
      <div className="min-w-0 flex-1">
        <TargetField target={draft.target} onTarget={changeTarget} registered={registered} isRow />
      </div>
    </div>
  )
}
