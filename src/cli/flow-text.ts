/** Flows and their runs as the command line prints them. */
import type { FlowComparisonRow, FlowRun, FlowRunStep, FlowRunSummary, FlowSummary } from '../shared/model/flow-run.ts'
import { actorLabels, momentWords, timeWords } from '../shared/flow-diagram/words.ts'
import type { Cell, Colour, Output } from './output.ts'

const marks: Readonly<Record<NonNullable<FlowRunStep['outcome']>, readonly [string, Colour]>> = {
  pass: ['✓ pass', 'green'],
  fail: ['✕ fail', 'red'],
  missing: ['? missing', 'red'],
  skip: ['⊘ skip', 'grey'],
}

export function flowCells({ name, mode, title, sandboxOnly }: FlowSummary): Cell[] {
  return [{ text: name }, { text: mode }, { text: sandboxOnly === null ? 'sandbox, account' : 'sandbox' }, { text: title }]
}

export function stepCells({ outcome, actor, title, businessAt, message }: FlowRunStep): Cell[] {
  const [text, colour] = outcome === null ? (['· open', 'grey'] as const) : marks[outcome]
  return [
    { text, colour },
    { text: actorLabels[actor] },
    { text: businessAt === null ? '' : momentWords(businessAt) },
    { text: outcome === 'fail' || outcome === 'missing' ? title : `${title}: ${message}` },
  ]
}

/** What went wrong at a step and what to do about it, under its line. */
export function stepNotes({ outcome, message, fix, deliveryId }: FlowRunStep): string[] {
  if (outcome !== 'fail' && outcome !== 'missing') return []
  return [message, ...(fix === null ? [] : [fix]), ...(deliveryId === null ? [] : [`countersign show ${deliveryId}`])]
}

/** The columns keep their width from the first line on. */
export const widestStep: readonly Cell[] = [
  { text: '? missing' },
  { text: actorLabels.network },
  { text: '21 Nov 12:00:00' },
  { text: '' },
]

export function printEnd(output: Output, run: FlowRun): void {
  for (const { message } of run.strays) output.line(`${output.colour('! not expected', 'red')}  ${message}`)
  const last = run.steps.findLast(({ businessAt }) => businessAt !== null)?.businessAt ?? run.businessStartedAt
  const business = timeWords(Math.max(0, Date.parse(last) - Date.parse(run.businessStartedAt)))
  const real = timeWords(Math.max(0, Date.parse(run.endedAt ?? run.startedAt) - Date.parse(run.startedAt)))
  output.line('')
  const verdict = run.outcome === null ? run.state : run.outcome === 'pass' ? 'passed' : 'failed'
  output.line(
    `${run.flow} ${output.colour(verdict, run.outcome === 'pass' ? 'green' : 'red')}: ${business} of business time in ${real} (run ${run.id}).`,
  )
}

/** The JSON of a run: what scripts depend on first, then all else that is known. */
export function runJson(run: FlowRun): Record<string, unknown> {
  const { flow, outcome, startedAt, steps, strays, ...rest } = run
  return {
    flow,
    outcome: outcome ?? 'fail',
    startedAt,
    steps: steps.map(({ name, actor, outcome: its, at, deliveryId, message, ...more }) => ({
      name,
      actor,
      outcome: its ?? 'skip',
      at,
      deliveryId,
      message,
      ...more,
    })),
    unexpected: strays.map(({ deliveryId }) => deliveryId),
    strays,
    ...rest,
  }
}

export function runCells({ id, startedAt, flow, origin, outcome, state, summary }: FlowRunSummary): Cell[] {
  const colour = outcome === 'pass' ? 'green' : outcome === 'fail' ? 'red' : 'yellow'
  return [
    { text: id },
    { text: startedAt },
    { text: origin === null ? flow : `${flow} (${origin})` },
    { text: outcome ?? state, colour },
    { text: summary },
  ]
}

const changes: Readonly<Record<FlowComparisonRow['change'], Colour | null>> = {
  same: 'grey',
  fixed: 'green',
  broken: 'red',
  different: 'yellow',
  added: 'yellow',
  removed: 'yellow',
}

export function comparisonCells({ name, change, before, after, message }: FlowComparisonRow): Cell[] {
  return [
    { text: change, colour: changes[change] },
    { text: name },
    { text: `${before?.outcome ?? '–'} → ${after?.outcome ?? '–'}` },
    { text: message },
  ]
}
