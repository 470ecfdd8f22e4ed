/** Prints flows, runs and their steps. */
import { counted } from '../shared/text/english.ts'
import type {
  FlowChange,
  FlowResponse,
  FlowRun,
  FlowRunStep,
  FlowRunSummary,
  FlowSummary,
} from '../shared/model/flow-run.ts'
import { NO_RESPONSE_IN_TIME } from '../shared/service/limits.ts'
import { actorLabels, momentWords, plainWords, timeWords } from '../shared/flow-diagram/words.ts'
import {
  flowChanges,
  isFailedStep,
  outcomeOfRun,
  stepCounts,
  stepOutcomes,
} from '../shared/model/flow-outcomes.ts'
import type { FlowRow } from '../core/flows/reports.ts'
import { markedCell, outcomeCell, type Cell, type Output } from './print.ts'

export function flowCells({ name, mode, title, sandboxOnly }: FlowSummary): Cell[] {
  return [name, mode, sandboxOnly === null ? 'sandbox, account' : 'sandbox', title]
}

export function stepCells({ outcome, actor, title, businessAt, message }: FlowRunStep): Cell[] {
  return [
    markedCell(stepOutcomes[outcome ?? 'planned'], outcome ?? undefined),
    actorLabels[actor],
    businessAt === null ? '' : momentWords(businessAt),
    plainWords(isFailedStep({ outcome }) ? title : `${title}: ${message}`),
  ]
}

export function stepNotes({ outcome, message, fix, deliveryId }: FlowRunStep): string[] {
  if (!isFailedStep({ outcome })) return []
  return [message, ...(fix === null ? [] : [fix])]
    .map(plainWords)
    .concat(deliveryId === null ? [] : [`countersign show ${deliveryId}`])
}

/** Prints steps and explains failed ones; column widths are fixed from the first line. */
export function createStepPrinter(output: Output): (step: FlowRunStep) => void {
  const print = output.printer(stepCells, undefined, [
    '? missing',
    actorLabels.network,
    '21 Nov 12:00:00',
    '',
  ])
  return (step) => {
    print([step])
    output.lines(stepNotes(step).map((note) => `    ${note}`))
  }
}

const responseWords: Readonly<Record<FlowResponse['kind'], string>> = {
  status: 'no response',
  timeout: NO_RESPONSE_IN_TIME,
  dropped: 'connection dropped',
  unreachable: 'no connection',
}

/** Returns a line per delivery that the service gave up on, even if the flow passed. */
function abandonedDeliveries({ steps }: Pick<FlowRun, 'steps'>): Cell[] {
  return steps
    .filter(({ gaveUp }) => gaveUp)
    .map(({ index, event }) => {
      const attempts = steps
        .filter((step) => step.kind === 'delivery' && step.event === event && step.index <= index)
        .slice(-3)
      const words = attempts.flatMap(({ response }) =>
        response === null ? [] : [response.status ?? responseWords[response.kind]],
      )
      return {
        text: `${event}: the service gave up after the third failed attempt (${words.join(', ')}).`,
        color: 'red',
      }
    })
}

export function printEnd(output: Output, run: FlowRun): void {
  for (const { kind, message } of run.strays)
    output.line(`${output.paint(markedCell(stepOutcomes[kind]))}  ${plainWords(message)}`)
  output.lines(abandonedDeliveries(run).map((cell) => output.paint(cell)))
  const last =
    run.steps.findLast(({ businessAt }) => businessAt !== null)?.businessAt ?? run.businessStartedAt
  const business = timeWords(Math.max(0, Date.parse(last) - Date.parse(run.businessStartedAt)))
  const real = timeWords(
    Math.max(0, Date.parse(run.endedAt ?? run.startedAt) - Date.parse(run.startedAt)),
  )
  output.line('')
  const set = Object.entries(run.set).map(([path, value]) => `${path}=${value}`)
  if (set.length > 0) output.line(`Set: ${set.join(', ')}`)
  const why = run.outcome === 'pass' && run.handler === null ? 'no handler. ' : ''
  output.line(
    `${run.flow} ${output.paint(outcomeCell(outcomeOfRun(run)))}: ${why}${business} simulated in ${real} (run ${run.id}).`,
  )
}

export function runJson(run: FlowRun) {
  return {
    ...run,
    outcome: run.outcome ?? 'fail',
    steps: run.steps.map((step) => ({ ...step, outcome: step.outcome ?? 'skip' })),
    unexpected: run.strays.map(({ deliveryId }) => deliveryId),
  }
}

export function runCells(run: FlowRunSummary): Cell[] {
  const { id, startedAt, flow, origin, outcome, state, summary } = run
  return [
    id,
    startedAt,
    origin === null ? flow : `${flow} (${origin})`,
    outcomeCell(outcomeOfRun(run), outcome ?? state),
    plainWords(summary),
  ]
}

function tookMs(run: FlowRun | null): number | null {
  return run?.endedAt == null ? null : Date.parse(run.endedAt) - Date.parse(run.startedAt)
}

/** Counts steps by outcome. Without a run, all are skipped if the flow is. */
function countsOf({ flow, run, outcome }: FlowRow): ReturnType<typeof stepCounts> {
  if (run !== null) return stepCounts(run)
  return { passed: 0, failed: 0, skipped: outcome === 'skip' ? flow.steps.length : 0 }
}

export function rowJson(row: FlowRow, change: FlowChange | null): Record<string, unknown> {
  const { flow, run, outcome, happened } = row
  return {
    flow: flow.name,
    outcome,
    ...countsOf(row),
    ms: tookMs(run),
    run: run?.id ?? null,
    happened,
    change,
  }
}

/** Row whose cells are as wide as those of any flow, so that the columns never move. */
export const widestRow: readonly Cell[] = [
  '⊘ not checked',
  'offer-refund-after-expiry',
  '10 passed',
  '0 failed',
  '10 skipped',
  '10.0 s',
  'still failing',
  '',
]

export function rowCells(row: FlowRow, change: FlowChange | null): Cell[] {
  const { flow, run, outcome, happened } = row
  const { passed, failed, skipped } = countsOf(row)
  const ms = tookMs(run)
  const shown = run === null ? stepOutcomes[outcome ?? 'planned'] : outcomeOfRun(run)
  return [
    markedCell(
      shown,
      outcome === 'pass' && shown.tone !== 'good' ? shown.word : (outcome ?? undefined),
    ),
    flow.name,
    `${passed} passed`,
    `${failed} failed`,
    `${skipped} skipped`,
    ms === null ? '–' : timeWords(ms),
    change === null ? '' : outcomeCell(flowChanges[change]),
    plainWords(happened),
  ]
}

export function printAllEnd(
  output: Output,
  rows: readonly FlowRow[],
  changes: readonly FlowChange[],
  { hasHandler }: { readonly hasHandler: boolean },
): void {
  const real = timeWords(rows.reduce((sum, { run }) => sum + (tookMs(run) ?? 0), 0))
  const count = (expected: FlowRow['outcome']) =>
    rows.filter(({ outcome }) => outcome === expected).length
  const [failed, passed, skipped, none] = [count('fail'), count('pass'), count('skip'), count(null)]
  const verdict =
    failed > 0
      ? stepOutcomes.fail
      : none > 0
        ? outcomeOfRun({ state: 'cancelled', outcome: null, handler: null })
        : stepOutcomes.pass
  output.line('')
  if (!hasHandler && failed === 0 && none === 0)
    output.line(`${counted(passed, 'flow')} ran; nothing was checked: no handler`)
  else
    output.line(
      `All flows ${output.paint(outcomeCell(verdict))}: ${failed} failed, ${passed} passed, ${skipped} skipped${none === 0 ? '' : `, ${none} not run`} in ${real}.`,
    )
  const changed = (['regressed', 'still-failing', 'fixed', 'unchanged'] as const)
    .map((change) => ({
      count: changes.filter((other) => other === change).length,
      word: flowChanges[change].word,
    }))
    .filter(({ count: changeCount }) => changeCount !== 0)
    .map(({ count: changeCount, word }) => `${changeCount} ${word}`)
  if (changed.length > 0) output.line(`Since the last run: ${changed.join(' · ')}.`)
}
