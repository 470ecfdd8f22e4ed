/** The composer's form for one editable delivery, or for several as captured. */
import { useComposer, type ComposerState, type ComposerProps } from './use-composer.ts'
import { ComposerOptions } from './composer-options.tsx'
import { ComposerFooter } from './composer-footer.tsx'
import { useParts } from '../../ui-state/use-app.ts'
import { namedHandler } from '../../ui/endpoint-offers.ts'
import { isApple } from '../../ui/keys.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import type { ReplaySource } from './replay-state.ts'
import { RequestPane } from './request-pane.tsx'
import { TargetField } from './target-field.tsx'
import { ComposedResult } from './composed-result.tsx'
import { SelectField } from '../../ui/select.tsx'
import { isKeyOf, pressOf } from '../../ui-state/key-reader.ts'

/** Methods offered; the service sends POST, and a handler must reject the others. */
const METHODS = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

export function ComposerForm({
  source,
  captured,
  initialDraft,
  onDone,
}: ComposerProps & { readonly onDone: () => void }) {
  const composer = useComposer({ source, captured, initialDraft })
  const { draft, change, request, busy, problem, sentJob, setWantsAuthority, send } = composer
  return (
    <div
      className="@container flex min-h-0 flex-1 flex-col"
      onKeyDown={(event) => {
        if (!isKeyOf('composer-send', pressOf(event), isApple)) return
        event.preventDefault()
        void send()
      }}
    >
      <div className="flex min-h-0 flex-1 @max-[820px]:flex-col @max-[820px]:overflow-auto">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col @max-[820px]:min-h-[440px] @max-[820px]:shrink-0">
          <MethodAndTarget composer={composer} />
          {captured === null ? (
            <SeveralDeliveries source={source} />
          ) : (
            <RequestPane
              draft={draft}
              captured={captured}
              onChange={change}
              previewInput={{ ...request, id: captured.delivery.id }}
            />
          )}
        </div>
        <ComposerOptions source={source} captured={captured} composer={composer} />
      </div>
      {problem !== null && (
        <div className="shrink-0 border-t border-line px-5 py-2">
          <ProblemView problem={problem} covered={['targetCa']} />
        </div>
      )}
      {sentJob !== null && !busy && (
        <div className="shrink-0 border-t border-line px-5 py-1.5">
          <ComposedResult jobId={sentJob} onAuthority={() => setWantsAuthority(true)} />
        </div>
      )}
      <ComposerFooter captured={captured} composer={composer} onDone={onDone} />
    </div>
  )
}

function MethodAndTarget({
  composer: { draft, original, registered, change },
}: {
  readonly composer: ComposerState
}) {
  const { handlers } = useParts('core', 'handlers')
  return (
    <div className="flex shrink-0 items-start gap-3 border-b border-line px-5 py-3">
      {original !== null && (
        <div className="w-26 shrink-0">
          <SelectField
            label="Method"
            data
            choices={[...new Set([original.method, ...METHODS])].map((value) => ({
              value,
              label: value,
            }))}
            value={draft.method}
            onChange={(method) => change({ method })}
          />
        </div>
      )}
      <div className="min-w-0 flex-1">
        <TargetField
          target={draft.target}
          onTarget={(target) => {
            // A saved handler brings its own secret and registered URL.
            change(
              namedHandler(target, handlers) === null
                ? { target }
                : { target, hookId: '', signedUrl: '' },
            )
          }}
          registered={registered}
        />
      </div>
    </div>
  )
}

function SeveralDeliveries({ source }: { readonly source: ReplaySource }) {
  return (
    <div className="px-5 py-4">
      <p>
        {source.kind === 'rows'
          ? source.rows.length === 1
            ? '1 delivery will be sent.'
            : `${source.rows.length.toLocaleString('en')} deliveries will be sent, oldest first.`
          : source.query === ''
            ? 'All stored deliveries will be sent, oldest first.'
            : 'All matching deliveries will be sent, oldest first:'}
      </p>
      {source.kind === 'query' && source.query !== '' && (
        <p className="data mt-1 wrap-anywhere text-muted">{source.query}</p>
      )}
      <p className="mt-2 max-w-[560px] text-muted">
        Each keeps its captured method, headers and body. Above 25, you'll see the count and
        confirm. To change a request, replay a single delivery.
      </p>
    </div>
  )
}
