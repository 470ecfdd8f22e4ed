/**
 * The lifecycle of the purchase or location that this delivery belongs to: its events by event time and time received, and any
 * issues.
 */
import { GitCompareArrows, Info, TriangleAlert, CircleDashed } from 'lucide-react'
import {
  subjectWord,
  type Lifecycle,
  type Oddity,
  type LifecycleStage,
  type MissingStage,
} from '../../../shared/model/lifecycle.ts'
import { acknowledgementRule } from '../../state/acknowledgement.ts'
import { useRead } from '../../data/use-read.ts'
import { useApp, useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { Middle } from '../../ui/middle.tsx'
import type { Shown } from './detail-slice.ts'
import { LifecycleTimeline, stageTint } from './lifecycle-timeline.tsx'
import { calendarDay, clockTime, exactTime, longDuration } from '../../ui/moment.ts'
import {
  answerWord,
  attemptTone,
  attemptWord,
  VerdictBadge,
  verdictToneText,
} from '../../ui/verdict.tsx'
import { ComparePlace } from './compare-place.tsx'

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

export function LifecycleTab({ shown: { delivery } }: { readonly shown: Shown }) {
  const { output, problem, readAgain } = useRead('lifecycle.get', { deliveryId: delivery.id })
  if (output === undefined && problem === null)
    return (
      <div role="status" aria-label="Loading lifecycle" className="late flex flex-col gap-4 p-5">
        <span className="skeleton h-20" />
        <span className="skeleton h-10" />
        <span className="skeleton h-10" />
      </div>
    )
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
          <Button onClick={readAgain}>Try again</Button>
        </div>
      )}
      {output !== undefined &&
        (output.kind === 'none' ? (
          <None lifecycle={output} />
        ) : (
          <Story lifecycle={output} presentId={delivery.id} />
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

// The events of a purchase or location, one below the other: received ones with their deliveries, and expected ones.

function StageView({
  stage,
  before,
  presentId,
  isLast,
}: {
  readonly stage: LifecycleStage
  readonly before: LifecycleStage | undefined
  readonly presentId: string
  readonly isLast: boolean
}) {
  const { name, amount, currency, status, offer, happenedAt, receivedAt, isProved, deliveries } =
    stage
  const { goToDelivery, environments } = useAppParts((state) => ({
    goToDelivery: state.detail.goTo,
    environments: state.core.environments,
  }))
  const tint = stageTint(stage)
  const previous = before?.deliveries[0]
  const first = deliveries[0]
  return (
    <li className="grid grid-cols-[14px_minmax(0,1fr)] gap-x-3">
      <Rail
        look={
          isProved ? `border-2 ${tint.border} ${tint.fill}` : 'border-2 border-dashed border-edge'
        }
        isLast={isLast}
      />
      <div className="pb-4">
        <div className="flex flex-wrap items-baseline gap-x-3">
          <h4 className={`font-medium ${isProved ? tint.text : 'text-muted'}`}>{name}</h4>
          {!isProved && <span className="text-small text-warn">not verified, so not counted</span>}
          {status !== null && (
            <span className="data">
              <ExactText text={status} />
            </span>
          )}
          <span className="flex-1" />
          {offer !== null && (
            <span className="text-small text-subtle" title={`Offer ${offer.id}`}>
              {offer.cashback === null ? 'offer' : `cashback ${offer.cashback}`}
            </span>
          )}
          {amount !== null && (
            <span className="data font-medium text-text">
              {amount} <ExactText text={currency ?? ''} />
            </span>
          )}
        </div>
        <dl className="mt-0.5 flex flex-wrap gap-x-5 text-small text-subtle">
          <Time name="Event time" iso={happenedAt} since={before?.happenedAt ?? null} />
          <Time name="Received" iso={receivedAt} since={before?.receivedAt ?? null} />
        </dl>
        <ul className="mt-1 -ml-2">
          {deliveries.map((row) => {
            const present = row.id === presentId
            const note = attemptWord(row)
            const rule = acknowledgementRule(environments, row.environment)
            return (
              <li key={row.id} className="flex items-center gap-1">
                <button
                  type="button"
                  aria-current={present}
                  onClick={() => void goToDelivery(row.id)}
                  className={`flex h-7 min-w-0 flex-1 items-center gap-3 rounded-control px-2 text-left ${present ? 'bg-selected' : 'hover:bg-raised'}`}
                >
                  <span className="w-[104px] shrink-0 @max-[440px]:w-[92px]">
                    <VerdictBadge of={row} />
                  </span>
                  <span className="data shrink-0 text-muted">{clockTime(row.receivedAt)}</span>
                  <span className="min-w-0 flex-1 truncate text-small text-subtle">
                    {present ? 'this delivery' : ''}
                    {present && note !== null ? ', ' : ''}
                    <span className={verdictToneText[attemptTone(row, rule)]}>{note ?? ''}</span>
                  </span>
                  <span className="data shrink-0 text-subtle">{answerWord(row)}</span>
                </button>
                <ComparePlace
                  label={`Compare ${before?.name ?? ''} with ${name}`}
                  pair={row === first && previous !== undefined ? [previous.id, row.id] : null}
                />
              </li>
            )
          })}
        </ul>
      </div>
    </li>
  )
}

function Rail({ look, isLast }: { readonly look: string; readonly isLast: boolean }) {
  return (
    <span className="flex flex-col items-center" aria-hidden>
      <span className={`mt-1 size-3 shrink-0 rounded-full ${look}`} />
      {!isLast && <span className="mt-1 w-px flex-1 bg-line" />}
    </span>
  )
}

function Time({
  name,
  iso,
  since,
}: {
  readonly name: string
  readonly iso: string | null
  readonly since: string | null
}) {
  const later = iso === null || since === null ? null : Date.parse(iso) - Date.parse(since)
  return (
    <div className="flex gap-1.5">
      <dt>{name}</dt>
      <dd className="text-muted" {...(iso === null ? {} : { title: exactTime(iso) })}>
        {iso === null ? (
          'unknown'
        ) : (
          <>
            {calendarDay(iso)} <span className="data">{clockTime(iso)}</span>
            {later !== null && (
              <span className="text-subtle">
                {' '}
                {later < 0 ? `${longDuration(-later)} before` : `+ ${longDuration(later)}`}
              </span>
            )}
          </>
        )}
      </dd>
    </div>
  )
}

function MissingView({
  stage: { name, from, to, isLate, message, fix },
  isLast,
}: {
  readonly stage: MissingStage
  readonly isLast: boolean
}) {
  return (
    <li className="grid grid-cols-[14px_minmax(0,1fr)] gap-x-3">
      <span className="flex flex-col items-center" aria-hidden>
        <CircleDashed
          size={13}
          className={`mt-1 shrink-0 ${isLate ? 'text-warn' : 'text-subtle'}`}
        />
        {!isLast && <span className="mt-1 w-px flex-1 bg-line" />}
      </span>
      <div className="pb-4">
        <h4 className="flex flex-wrap items-baseline gap-x-3 font-medium text-muted">
          {name}
          <span className={`text-small font-normal ${isLate ? 'text-warn' : 'text-subtle'}`}>
            {isLate ? 'missing' : 'pending'}
          </span>
        </h4>
        {from !== null && to !== null && from !== to && (
          <p className="text-small text-subtle">
            Expected {calendarDay(from)} <span className="data">{clockTime(from).slice(0, 5)}</span>{' '}
            – {calendarDay(to)} <span className="data">{clockTime(to).slice(0, 5)}</span> (event
            time)
          </p>
        )}
        <p className="mt-0.5 wrap-anywhere">
          <ExactText text={message} /> <span className="text-muted">{fix}</span>
        </p>
      </div>
    </li>
  )
}
