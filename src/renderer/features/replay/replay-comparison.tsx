/** The result of a comparison: groups, which open into deliveries and their differences. */
import { useState } from 'react'
import type { Replay } from '../../../shared/model/send.ts'
import type { ComparisonGroup, PairRef } from '../../../shared/model/run-comparison.ts'
import { pairOutcomes } from '../../../shared/model/comparison-outcomes.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import {
  comparisonTimes,
  comparisonTotals,
  groupChange,
  groupEvent,
} from '../../../shared/text/comparison-words.ts'
import { deliveryCount } from '../../../shared/text/english.ts'
import { RotateCw } from 'lucide-react'
import { SendChange } from '../../connected/send-change.tsx'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { DisclosureButton } from '../../ui/disclosure.tsx'
import { LoadProblem } from '../../ui/message.tsx'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'
import { eventColor } from '../../ui/verdict.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { useDestination } from './replay-head.tsx'

interface ReplayProps {
  readonly replay: Replay
  readonly onLeave: () => void
}

export function ReplayComparison({ replay, onLeave }: ReplayProps) {
  const isOver = replay.state === 'done' || replay.state === 'cancelled'
  const { output, problem, readAgain } = useRead(
    'replay.comparison',
    isOver ? { replayId: replay.id } : null,
  )
  if (!isOver)
    return <p className="px-5 py-4 text-muted">The differences are shown once all are sent.</p>
  if (problem !== null)
    return (
      <div className="px-5 py-4">
        <LoadProblem title="Couldn't compare the responses" problem={problem} onAgain={readAgain} />
      </div>
    )
  if (output === undefined)
    return <div role="status" aria-label="Comparing responses" className="late m-5 skeleton h-16" />
  const times = comparisonTimes(output)
  return (
    <div className="min-h-0 flex-1 overflow-auto" tabIndex={0} role="group" aria-label="Comparison">
      <p className="border-b border-line px-5 py-3">
        <span className="font-medium">{comparisonTotals(output)}</span>
        {times !== null && <span className="text-muted"> {times}</span>}
      </p>
      <ul aria-label="Groups">
        {output.groups.map((group) => (
          <GroupItem key={keyOf(group)} group={group} replay={replay} onLeave={onLeave} />
        ))}
      </ul>
    </div>
  )
}

const keyOf = ({ outcome, event, deliveries: [first] }: ComparisonGroup) =>
  `${outcome} ${event} ${first?.deliveryId}`

/** Returns a function that sends a group's deliveries again, with the same comparison. */
function useRepeat(replay: Replay) {
  const startComparison = useApp((state) => state.replay.startComparison)
  const destination = useDestination(replay)
  const { comparison, concurrency } = replay
  return ({ deliveries }: ComparisonGroup) => {
    if (comparison === null) return
    const ids = deliveries.map(({ deliveryId }) => deliveryId)
    const { name, ignore, headers } = comparison
    void startComparison(
      {
        ...{ ids, to: destination, concurrency, ignore, headersIn: headers, against: name },
        baselineOf: comparison.with === 'baseline' ? replay.id : null,
      },
      2 * ids.length,
    )
  }
}

function GroupItem({ group, replay, onLeave }: ReplayProps & { readonly group: ComparisonGroup }) {
  const [open, setOpen] = useState(false)
  const repeat = useRepeat(replay)
  const { outcome, count, deliveries } = group
  const content = `group ${keyOf(group)}`
  return (
    <li className="border-b border-line/50">
      <div className="flex items-center pr-3">
        <DisclosureButton
          open={open}
          content={content}
          onToggle={setOpen}
          onKeyDown={(event) => {
            if (event.key !== 'r' || event.ctrlKey || event.metaKey || event.altKey) return
            event.stopPropagation()
            event.preventDefault()
            repeat(group)
          }}
          className="min-w-0 flex-1 gap-2.5 px-5"
        >
          <span className="data w-12 shrink-0 text-right font-medium">
            {count.toLocaleString('en')} ×
          </span>
          <span className="flex w-28 shrink-0 @max-[620px]:w-24">
            <OutcomeMark outcome={pairOutcomes[outcome]} />
          </span>
          <span className="flex min-w-0 flex-1 flex-wrap gap-x-2.5">
            <span className={`data ${eventColor(group.event ?? '')}`}>
              {visibleText(groupEvent(group))}
            </span>
            <span className="min-w-0 wrap-anywhere">{visibleText(groupChange(group))}</span>
          </span>
        </DisclosureButton>
        <IconButton
          label={`Compare ${deliveryCount(deliveries.length)} again`}
          keys="r"
          icon={RotateCw}
          className="size-6"
          onClick={() => repeat(group)}
        />
      </div>
      {open && (
        <ul id={content} aria-label="Deliveries" className="border-t border-line/50">
          {deliveries.map((pair) => (
            <PairItem key={pair.deliveryId} pair={pair} onLeave={onLeave} />
          ))}
          {count > deliveries.length && (
            <li className="px-5 py-1.5 text-small text-subtle">
              and {(count - deliveries.length).toLocaleString('en')} more
            </li>
          )}
        </ul>
      )}
    </li>
  )
}

function PairItem({ pair, onLeave }: { readonly pair: PairRef; readonly onLeave: () => void }) {
  const [open, setOpen] = useState(false)
  const { go } = useParts('navigation', 'go')
  const { deliveryId } = pair
  const content = `pair ${deliveryId}`
  return (
    <li className="border-b border-line/50 last:border-b-0">
      <DisclosureButton
        open={open}
        content={content}
        onToggle={setOpen}
        className="min-h-7! gap-2.5 py-0.5! pr-5 pl-10"
      >
        <span className="data text-muted">{shortIdOf(deliveryId)}</span>
      </DisclosureButton>
      {open && (
        <div id={content} className="px-10 pt-1 pb-4">
          <PairChange pair={pair} />
          <Button
            className="mt-3"
            onClick={() => {
              onLeave()
              go('deliveries', { id: deliveryId, tab: 'history' })
            }}
          >
            Show delivery
          </Button>
        </div>
      )}
    </li>
  )
}

/** Shows how the two responses differ, or the one that there is. */
function PairChange({ pair: { before, after } }: { readonly pair: PairRef }) {
  const { output: left } = useRead('replay.send', before === null ? null : { id: before })
  const { output: right } = useRead('replay.send', after === null ? null : { id: after })
  if (right !== undefined && left !== undefined) return <SendChange before={left} now={right} />
  const only = right ?? (after === null ? left : undefined)
  if (only === undefined || (before !== null && after !== null)) return null
  return (
    <p className="text-muted">
      {only.error ?? `Returned ${only.status ?? 'nothing'}. The other response isn't stored here.`}
    </p>
  )
}
