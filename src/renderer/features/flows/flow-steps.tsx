/** The steps of a flow as a list, for screen readers and narrow windows. */
import type { KeyboardEvent } from 'react'
import {
  actorLabels,
  momentWords,
  plainWords,
  timeWords,
} from '../../../shared/flow-diagram/words.ts'
import { receivedWords } from '../../../shared/flow-diagram/story.ts'
import { useApp, useAppStore } from '../../state/use-app.ts'
import { moveWith } from './flow-actions.ts'
import { PlaceMark } from './flow-look.tsx'
import { isBad, type FlowPlace } from './places.ts'

export interface StepsProps {
  readonly places: readonly FlowPlace[]
  readonly shownId: string | null
  /** When the run started; null for a plan. */
  readonly startedAt: string | null
}

export function FlowSteps({ places, shownId, startedAt }: StepsProps) {
  return (
    <ol aria-label="Steps" className="@container min-h-0 flex-1 overflow-auto">
      {places.map((place, index) => (
        <StepRow
          key={place.id}
          place={place}
          number={index + 1}
          shown={place.id === shownId}
          startedAt={startedAt}
        />
      ))}
    </ol>
  )
}

interface StepRowProps {
  readonly place: FlowPlace
  readonly number: number
  readonly shown: boolean
  readonly startedAt: string | null
}

function StepRow({ place, number, shown, startedAt }: StepRowProps) {
  const store = useAppStore()
  const select = useApp((state) => state.flows.selectPlace)
  const { title, between, what, message, businessAt, at } = wordsOf(place)
  return (
    <li className="border-b border-line/50">
      <button
        type="button"
        data-flow-place={place.id}
        tabIndex={shown ? 0 : -1}
        aria-pressed={shown}
        onClick={(event) => {
          event.currentTarget.focus()
          select(place.id)
        }}
        onFocus={() => select(place.id)}
        onKeyDown={(event: KeyboardEvent) => {
          if (moveWith(store, event.key)) event.preventDefault()
        }}
        className={`flex w-full items-start gap-3 px-4 py-1.5 text-left outline-offset-[-2px] ${shown ? 'bg-selected shadow-[inset_2px_0_0_var(--accent)]' : 'hover:bg-raised'}`}
      >
        <span className="data w-5 shrink-0 text-right text-subtle">{number}</span>
        <span className="w-[92px] shrink-0">
          <PlaceMark place={place} />
        </span>
        <span className="min-w-0 flex-1">
          <span className="block wrap-anywhere">{title}</span>
          <span className="block text-small text-subtle">{between}</span>
          {what !== '' && <span className="block text-small wrap-anywhere text-muted">{what}</span>}
          {isBad(place) && (
            <span className="block text-small wrap-anywhere text-bad">{message}</span>
          )}
        </span>
        {businessAt !== null && at !== null && startedAt !== null && (
          <span className="data shrink-0 text-right">
            <span className="block text-muted">{momentWords(businessAt)}</span>
            <span className="block text-subtle">
              +{timeWords(Math.max(0, Date.parse(at) - Date.parse(startedAt)))}
            </span>
          </span>
        )}
      </button>
    </li>
  )
}

function wordsOf(place: FlowPlace) {
  if (place.kind === 'stray') {
    const { stray } = place
    return {
      ...stray,
      title: stray.event ?? 'Delivery',
      between: 'Unexpected',
      what: receivedWords({ ...stray, kind: 'delivery' }),
    }
  }
  const { step } = place
  const between =
    step.kind === 'wait'
      ? 'Sandbox time passes'
      : step.from === step.to
        ? actorLabels[step.from]
        : `${actorLabels[step.from]} → ${actorLabels[step.to]}`
  const came = 'state' in step ? step : { message: '', businessAt: null, at: null }
  const what = 'state' in step ? receivedWords(step) : ''
  return {
    title: plainWords(step.title),
    between,
    what,
    message: came.message,
    businessAt: came.businessAt,
    at: came.at,
  }
}
