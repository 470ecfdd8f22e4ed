/** A purchase or location above the history: ID, issues and related deliveries. */
import { Info, TriangleAlert } from 'lucide-react'
import {
  subjectWord,
  type Lifecycle,
  type LifecycleFinding,
} from '../../../shared/model/lifecycle.ts'
import { counted } from '../../../shared/text/english.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactText, MiddleTruncated } from '../../ui/exact-text.tsx'
import { LifecycleTimeline } from './lifecycle-timeline.tsx'
import { CompareButton } from './compare-button.tsx'

/** Shows the ID of a purchase or location, and its events on two axes. */
export function LifecycleSubject({
  lifecycle,
  presentId,
}: {
  readonly lifecycle: Lifecycle
  readonly presentId: string
}) {
  const { kind, objectId, findings, isCut, unlinked } = lifecycle
  const subject = subjectWord(lifecycle)
  const issues = findings.filter(({ level }) => level === 'warn').length
  return (
    <>
      <div className="flex items-center gap-2 px-5 pt-3">
        <h3 className="shrink-0 font-medium">{subject}</h3>
        {objectId !== null && (
          <>
            <MiddleTruncated text={objectId} tail={8} className="data min-w-0 text-muted" />
            <CopyButton
              text={objectId}
              label={`Copy ${subject.toLowerCase()} ID`}
              className="-ml-1"
            />
          </>
        )}
        <span className="ml-auto shrink-0 text-small text-subtle">
          {issues === 0 ? 'No issues' : counted(issues, 'issue')}
        </span>
      </div>
      {isCut && (
        <p className="px-5 pt-1 text-small text-warn">Showing the latest deliveries only.</p>
      )}
      {unlinked !== null && (
        <p className="px-5 pt-1 text-small text-warn">
          Still linking deliveries: {unlinked.left.toLocaleString('en')} of{' '}
          {unlinked.of.toLocaleString('en')} left. Some may belong to this {kind}.
        </p>
      )}
      <LifecycleTimeline lifecycle={lifecycle} presentId={presentId} />
    </>
  )
}

/** Shows an issue of a purchase or location, its fix, and the deliveries concerned. */
export function LifecycleIssue({
  finding: { level, message, fix, deliveryIds },
  presentId,
  listedIds,
}: {
  readonly finding: LifecycleFinding
  readonly presentId: string
  /** Ids of the deliveries on the timeline. */
  readonly listedIds: ReadonlySet<string>
}) {
  const go = useApp((state) => state.navigation.go)
  const [first, second] = deliveryIds
  const others = deliveryIds.filter((id) => id !== presentId)
  const isPair = first !== undefined && second !== undefined
  const openable = isPair ? others.find((id) => !listedIds.has(id)) : others[0]
  const isIssue = level === 'warn'
  const Icon = isIssue ? TriangleAlert : Info
  return (
    <li className="flex gap-3 px-5 py-2 not-last:border-b not-last:border-line/60">
      <Icon size={15} className={`mt-[3px] shrink-0 ${isIssue ? 'text-warn' : 'text-subtle'}`} />
      <div className="min-w-0 flex-1">
        <p className="font-medium wrap-anywhere">
          <span className="sr-only">{isIssue ? 'Issue: ' : 'Note: '}</span>
          <ExactText text={message} />
        </p>
        <p className="text-muted wrap-anywhere">
          <ExactText text={fix} />
        </p>
      </div>
      <span className="flex shrink-0 flex-col items-end gap-1">
        {isPair && <CompareButton label="Compare" pair={[first, second]} />}
        {openable !== undefined && (
          <Button kind="quiet" onClick={() => go('deliveries', { id: openable })}>
            Open
          </Button>
        )}
      </span>
    </li>
  )
}

const relatedNames = {
  card: 'Same card',
  brand: 'Same brand',
  location: 'Same location',
  program: 'Same program',
  offer: 'Same offer',
  purchase: 'Same purchase',
} as const

/** Offers filters for deliveries that refer to the same objects. */
export function RelatedDeliveries({ lifecycle: { related } }: { readonly lifecycle: Lifecycle }) {
  const setDraft = useApp((state) => state.filter.setDraft)
  if (related.length === 0) return null
  return (
    <div className="border-t border-line/60 px-5 py-3">
      <h3 className="text-small font-medium text-muted">Related deliveries</h3>
      <ul className="mt-1 flex flex-wrap gap-1.5">
        {related.map(({ kind, id, deliveries, isMore }) => (
          <li key={kind + id}>
            <Button
              title={`Filter by ${id}`}
              className="font-normal"
              onClick={() => setDraft(`"${id}"`)}
            >
              {relatedNames[kind]}
              <span className="text-small text-subtle tabular-nums">
                {deliveries.toLocaleString('en')}
                {isMore ? '+' : ''}
              </span>
            </Button>
          </li>
        ))}
      </ul>
    </div>
  )
}
