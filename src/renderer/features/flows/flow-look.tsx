/** How a step looks and reads, in the diagram, the list and the detail: always a glyph and a word, the colour only beside them. */
import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleDotDashed,
  CircleHelp,
  CircleSlash,
  CircleX,
  type LucideIcon,
} from 'lucide-react'
import type { Look } from '../../../shared/flow-diagram/layout.ts'
import type { FlowRunSummary } from '../../../shared/model/flow-run.ts'
import type { FlowPlace } from './places.ts'

interface Looks {
  readonly word: string
  readonly tone: string
  readonly fill: string
  readonly stroke: string
  readonly Icon: LucideIcon
}

const quiet = { tone: 'text-subtle', fill: 'fill-subtle', stroke: 'stroke-subtle' }
const bad = { tone: 'text-bad', fill: 'fill-bad', stroke: 'stroke-bad' }

export const looks: Readonly<Record<Look, Looks>> = {
  planned: { word: 'To come', ...quiet, Icon: CircleDashed },
  running: { word: 'Running', tone: 'text-accent', fill: 'fill-accent', stroke: 'stroke-accent', Icon: CircleDotDashed },
  pass: { word: 'Passed', tone: 'text-ok', fill: 'fill-ok', stroke: 'stroke-text', Icon: CircleCheck },
  fail: { word: 'Failed', ...bad, Icon: CircleX },
  skip: { word: 'Skipped', ...quiet, Icon: CircleSlash },
  missing: { word: 'Missing', ...bad, Icon: CircleHelp },
  stray: { word: 'Unexpected', ...bad, Icon: CircleAlert },
}

export function lookOfPlace(place: FlowPlace): Look {
  if (place.kind === 'stray') return 'stray'
  if (!('state' in place.step)) return 'planned'
  return place.step.outcome ?? (place.step.state === 'running' ? 'running' : 'planned')
}

export function wordOfPlace(place: FlowPlace): string {
  if (place.kind === 'stray' && place.stray.kind === 'duplicate') return 'Duplicate'
  return looks[lookOfPlace(place)].word
}

export function PlaceMark({ place, large = false }: { readonly place: FlowPlace; readonly large?: boolean }) {
  const { tone, Icon } = looks[lookOfPlace(place)]
  return (
    <span
      className={`inline-flex shrink-0 items-center gap-1.5 whitespace-nowrap ${tone} ${large ? 'text-title font-medium' : ''}`}
    >
      <Icon size={large ? 18 : 14} strokeWidth={2} aria-hidden className="shrink-0" />
      {wordOfPlace(place)}
    </span>
  )
}

const runLooks = {
  running: { word: 'Running', tone: 'text-accent', Icon: CircleDotDashed },
  paused: { word: 'Paused', tone: 'text-warn', Icon: CircleDashed },
  cancelled: { word: 'Cancelled', tone: 'text-subtle', Icon: CircleSlash },
  interrupted: { word: 'Interrupted', tone: 'text-warn', Icon: CircleSlash },
} as const

export function wordOfRun({ state, outcome }: FlowRunSummary): string {
  if (state === 'done') return outcome === 'pass' ? 'Passed' : 'Failed'
  return runLooks[state].word
}

export function RunMark({ run }: { readonly run: FlowRunSummary }) {
  const { tone, Icon } = run.state === 'done' ? looks[run.outcome ?? 'fail'] : runLooks[run.state]
  return (
    <span className={`inline-flex shrink-0 items-center gap-1.5 whitespace-nowrap ${tone}`}>
      <Icon size={14} strokeWidth={2} aria-hidden className="shrink-0" />
      {wordOfRun(run)}
    </span>
  )
}
