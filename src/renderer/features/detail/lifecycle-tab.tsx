/**
 * The lifecycle of the purchase or location that this delivery belongs to: its events by event time and time received, and any
 * issues.
 */
import { GitCompareArrows, Info, TriangleAlert } from 'lucide-react'
import { useEffect } from 'react'
import { subjectWord, type Lifecycle, type Oddity } from '../../../shared/model/lifecycle.ts'
import { useApp, useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { Middle } from '../../ui/middle.tsx'
import type { Shown } from './detail-slice.ts'
import { MissingView, StageView } from './lifecycle-events.tsx'
import { LifecycleTimeline } from './lifecycle-timeline.tsx'

/** One issue with a purchase or location: the problem, the fix, and the deliveries concerned. */
function OddityView({
  oddity: { level, message, fix, deliveryIds },
  presentId,
  listed,
}: {
  readonly oddity: Oddity
  readonly presentId: string
  /** Ids of the deliveries already listed among the events. */
  readonly listed: ReadonlySet<string>
}) {
  const goToDelivery = useApp((state) => state.detail.goTo)
  const compare = useApp((state) => state.compare.start)
  const [first, second] = deliveryIds
  const others = deliveryIds.filter((id) => id !== presentId)
  const isPair = first !== undefined && second !== undefined
  const openable = isPair ? others.find((id) => !listed.has(id)) : others[0]
  const Icon = level === 'warn' ? TriangleAlert : Info
  return (
    <li className="flex gap-3 px-5 py-2 not-last:border-b not-last:border-line/60">
      <Icon
        size={15}
        aria-hidden
        className={`mt-[3px] shrink-0 ${level === 'warn' ? 'text-warn' : 'text-subtle'}`}
      />
      <div className="min-w-0 flex-1">
        <p className="font-medium wrap-anywhere">
          <span className="sr-only">{level === 'warn' ? 'Issue: ' : 'Note: '}</span>
          <ExactText text={message} />
        </p>
        <p className="text-muted wrap-anywhere">
          <ExactText text={fix} />
        </p>
      </div>
      <span className="flex shrink-0 flex-col items-end gap-1">
        {isPair && (
          <Button
            kind="quiet"
            icon={<GitCompareArrows size={14} aria-hidden />}
            onClick={() =>
              void compare({ kind: 'delivery', id: first }, { kind: 'delivery', id: second })
            }
          >
            Compare
          </Button>
        )}
        {openable !== undefined && (
          <Button kind="quiet" onClick={() => void goToDelivery(openable)}>
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

/** Deliveries that refer to the same objects. Each is a filter for the list. */
function Related({ lifecycle: { related } }: { readonly lifecycle: Lifecycle }) {
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

/** New deliveries may belong to the lifecycle: it is reloaded at most this often. */
const AGAIN_MS = 400

export function LifecycleTab({ shown: { delivery } }: { readonly shown: Shown }) {
  const { lifecycle, readLifecycle, stored } = useAppParts((state) => ({
    lifecycle: state.detail.lifecycle?.id === delivery.id ? state.detail.lifecycle : null,
    readLifecycle: state.detail.readLifecycle,
    stored: state.core.status?.store.deliveries ?? 0,
  }))
  useEffect(() => {
    void readLifecycle(delivery.id)
  }, [readLifecycle, delivery])
  useEffect(() => {
    const timer = setTimeout(() => void readLifecycle(delivery.id), AGAIN_MS)
    return () => clearTimeout(timer)
  }, [readLifecycle, delivery.id, stored])
  if (lifecycle === null)
    return (
      <div role="status" aria-label="Loading lifecycle" className="late flex flex-col gap-4 p-5">
        <span className="skeleton h-20" />
        <span className="skeleton h-10" />
        <span className="skeleton h-10" />
      </div>
    )
  const { value, problem } = lifecycle
  return (
    <div className="h-full overflow-auto" tabIndex={0} role="group" aria-label="Lifecycle">
      {problem !== null && (
        <div
          className="flex items-start gap-3 border-b border-line bg-bad-wash px-5 py-3"
          role="alert"
        >
          <TriangleAlert size={15} aria-hidden className="mt-0.5 shrink-0 text-bad" />
          <p className="min-w-0 flex-1">
            <span className="font-medium">Couldn't load the lifecycle.</span>{' '}
            <span className="text-muted">{problem}</span>
          </p>
          <Button onClick={() => void readLifecycle(delivery.id)}>Try again</Button>
        </div>
      )}
      {value !== null &&
        (value.kind === 'none' ? (
          <None lifecycle={value} />
        ) : (
          <Story lifecycle={value} presentId={delivery.id} />
        ))}
    </div>
  )
}

function None({ lifecycle }: { readonly lifecycle: Lifecycle }) {
  return (
    <>
      <p className="px-5 pt-4 text-muted">
        No lifecycle. Only transactions and location.status events have one.
      </p>
      <Related lifecycle={lifecycle} />
    </>
  )
}

function Story({
  lifecycle,
  presentId,
}: {
  readonly lifecycle: Lifecycle
  readonly presentId: string
}) {
  const { kind, objectId, stages, missing, oddities, isCut, unlinked } = lifecycle
  const listed = new Set(stages.flatMap(({ deliveries }) => deliveries.map(({ id }) => id)))
  const subject = subjectWord(lifecycle)
  const warnings = oddities.filter(({ level }) => level === 'warn')
  return (
    <>
      <div className="flex items-center gap-2 px-5 pt-3">
        <h3 className="shrink-0 font-medium">{subject}</h3>
        {objectId !== null && (
          <>
            <Middle text={objectId} tail={8} className="data min-w-0 text-muted" />
            <CopyButton
              text={objectId}
              label={`Copy ${subject.toLowerCase()} ID`}
              className="-ml-1"
            />
          </>
        )}
        <span className="flex-1" />
        <span className="shrink-0 text-small text-subtle">
          {warnings.length === 0
            ? 'No issues'
            : warnings.length === 1
              ? '1 issue'
              : `${warnings.length} issues`}
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
      {oddities.length > 0 && (
        <ul aria-label="Issues" className="border-y border-line/60">
          {oddities.map((oddity, index) => (
            <OddityView key={index} oddity={oddity} presentId={presentId} listed={listed} />
          ))}
        </ul>
      )}
      <ol aria-label="Events" className="px-5 pt-4">
        {stages.map((stage, index) => (
          <StageView
            key={`${stage.objectId} ${stage.event} ${stage.name}`}
            stage={stage}
            before={stages[index - 1]}
            presentId={presentId}
            isLast={index === stages.length - 1 && missing.length === 0}
          />
        ))}
        {missing.map((stage, index) => (
          <MissingView
            key={`${stage.event} ${stage.name}`}
            stage={stage}
            isLast={index === missing.length - 1}
          />
        ))}
      </ol>
      <Related lifecycle={lifecycle} />
    </>
  )
}
