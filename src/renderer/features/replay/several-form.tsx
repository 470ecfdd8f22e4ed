/** The form that replays several deliveries as captured. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import { timeWithDay } from '../../ui/moment.ts'
import { ProblemView } from '../../ui/problem-view.tsx'
import { TintedEvent } from '../../ui/tinted-event.tsx'
import { eventWord } from '../../ui/verdict.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { amountOf } from './delivery-words.tsx'
import { ComposedReplay } from './composed-replay.tsx'
import { ComposerFooter } from './composer-footer.tsx'
import { ComposerOptions } from './composer-options.tsx'
import type { ReplaySource } from './replay-state.ts'
import { TargetField } from './target-field.tsx'
import { useComposer, type ComposerProps } from './use-composer.ts'

export function SeveralForm({
  source,
  initialDraft,
  onDone,
}: Pick<ComposerProps, 'source' | 'initialDraft'> & { readonly onDone: () => void }) {
  const composer = useComposer({ source, captured: null, initialDraft })
  const { draft, registered, changeTarget, problem, sentReplay, busy, sendByKey } = composer
  return (
    <div onKeyDown={sendByKey}>
      <TargetField target={draft.target} onTarget={changeTarget} registered={registered} />
      <Deliveries source={source} />
      <div className="-mx-5 mt-2 *:border-b-0">
        <ComposerOptions source={source} composer={composer} />
      </div>
      {problem !== null && <ProblemView problem={problem} covered={['targetCa']} />}
      <div className="sticky -bottom-4 -mx-5 -mb-4 bg-surface">
        {sentReplay !== null && !busy && (
          <div className="border-t border-line px-5">
            <ComposedReplay replayId={sentReplay} />
          </div>
        )}
        <ComposerFooter captured={null} composer={composer} onDone={onDone} />
      </div>
    </div>
  )
}

/** Most deliveries listed. */
const MAX_LISTED = 100

function Deliveries({ source }: { readonly source: ReplaySource }) {
  if (source.kind === 'query')
    return (
      <p className="mt-3">
        {source.query === ''
          ? 'All stored deliveries will be sent, oldest first.'
          : 'All matching deliveries will be sent, oldest first: '}
        <span className="data wrap-anywhere text-muted">{visibleText(source.query)}</span>
      </p>
    )
  const rows = source.kind === 'rows' ? source.rows : []
  return (
    <>
      <p className="mt-3 mb-1 text-small text-muted">Sent as captured, oldest first</p>
      <ul
        aria-label="Deliveries"
        tabIndex={0}
        className="max-h-[172px] overflow-auto rounded-control border border-line"
      >
        {rows.slice(0, MAX_LISTED).map((row) => (
          <DeliveryItem key={row.id} row={row} />
        ))}
        {rows.length > MAX_LISTED && (
          <li className="px-3 py-1 text-small text-subtle">
            and {(rows.length - MAX_LISTED).toLocaleString('en')} more
          </li>
        )}
      </ul>
    </>
  )
}

function DeliveryItem({ row }: { readonly row: DeliveryRow }) {
  const { text, color } = eventWord(row)
  return (
    <li className="grid h-7 grid-cols-[minmax(0,1fr)_minmax(0,140px)_96px_auto_auto] items-center gap-3 border-b border-line/50 px-3 text-small last:border-b-0">
      <TintedEvent event={text} color={color} />
      <span className="truncate">{visibleText(row.merchant ?? '')}</span>
      <span className="data truncate text-right">{amountOf(row)}</span>
      <span className="data text-muted">{timeWithDay(row.receivedAt)}</span>
      <span className="data text-subtle">{shortIdOf(row.id)}</span>
    </li>
  )
}
