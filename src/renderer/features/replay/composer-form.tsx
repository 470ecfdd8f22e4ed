/** The composer's form for one delivery: the request, its options and its responses. */
import { useComposer, type ComposerState, type ComposerProps } from './use-composer.ts'
import { ComposerOptions } from './composer-options.tsx'
import { ComposerFooter } from './composer-footer.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
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
  const { draft, change, changes, request, problem, sendByKey } = composer
  return (
    <div className="@container flex min-h-0 flex-1 flex-col" onKeyDown={sendByKey}>
      <div className="flex min-h-0 flex-1 @max-[600px]:flex-col @max-[600px]:overflow-auto">
        <div className="@container flex min-h-0 min-w-0 flex-1 flex-col @max-[600px]:h-[calc(100%-32px)] @max-[600px]:min-h-64 @max-[600px]:flex-none">
          <MethodAndTarget composer={composer} />
          <RequestPane
            draft={draft}
            captured={captured}
            changes={changes}
            onChange={change}
            previewInput={{ ...request, id: captured.delivery.id }}
          />
        </div>
        <section
          aria-label="Options"
          tabIndex={0}
          className="@container w-[38%] min-w-75 shrink-0 overflow-auto border-l border-line bg-ground @max-[600px]:w-auto @max-[600px]:min-w-0 @max-[600px]:overflow-visible @max-[600px]:border-t @max-[600px]:border-l-0"
        >
          <ComposerOptions source={source} composer={composer} />
          <SentFromHere composer={composer} delivery={captured.delivery} onLeave={onDone} />
        </section>
      </div>
      {problem !== null && (
        <div className="shrink-0 border-t border-line px-5 py-2">
          <ProblemView problem={problem} covered={['targetCa']} />
        </div>
      )}
      <ComposerFooter captured={captured} composer={composer} onDone={onDone} />
    </div>
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
