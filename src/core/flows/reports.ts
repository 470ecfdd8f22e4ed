/** Writes reports of a run: JUnit for CI, and a self-contained HTML page with the diagram. */
import type { Flow } from '../../shared/model/flow.ts'
import type { FlowRun, FlowRunStep } from '../../shared/model/flow-run.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { isFailedStep, stepOutcomes } from '../../shared/model/flow-outcomes.ts'
import { diagramOf, type Diagram } from '../../shared/flow-diagram/diagram.ts'
import {
  diagramRules,
  drawFeet,
  drawHeads,
  drawRow,
  laneClass,
  type Part,
} from '../../shared/flow-diagram/drawing.ts'
import { responseText } from '../../shared/flow-diagram/received-words.ts'
import { summarizeRun, verdictOf } from '../../shared/flow-diagram/run-summary.ts'
import { actorLabels, momentWords, plainWords, runTimes } from '../../shared/flow-diagram/words.ts'
import { factList, htmlReport, outcomeMark } from '../reports/html-report.ts'
import { html, quoted, type Markup } from '../reports/markup.ts'
import { junitReport, type JunitCase, type JunitSuite } from '../reports/junit.ts'

type FlowReportFormat = 'html' | 'junit'

function caseOf({ name, title, outcome, ms, message, fix, expected, got }: FlowRunStep): JunitCase {
  const details = [
    message,
    ...(expected === null ? [] : [`Expected: ${expected}`]),
    ...(got === null ? [] : [`Got: ${got}`]),
    ...(fix === null ? [] : [`Fix: ${fix}`]),
  ]
  return {
    name: plainWords(`${name}: ${title}`),
    outcome: outcome === 'missing' ? 'fail' : (outcome ?? 'skip'),
    ms,
    message: plainWords(message),
    details: plainWords(details.join('\n')),
  }
}

function suiteOf(run: FlowRun): JunitSuite {
  const unexpected = run.strays.map((delivery): JunitCase => ({
    name: `${delivery.kind}: unexpected delivery`,
    outcome: 'fail',
    ms: null,
    message: plainWords(delivery.message),
    details: plainWords(delivery.message),
  }))
  return { name: run.flow, cases: [...run.steps.map(caseOf), ...unexpected] }
}

function junit(startedAt: string, suites: readonly JunitSuite[]): string {
  return junitReport({ name: 'countersign flow', at: Date.parse(startedAt), suites })
}

/**
 * Row of a report of all flows; without a run, `outcome` and `happened` tell why, or are empty if
 * the flow is still to run.
 */
export interface FlowRow {
  readonly flow: Flow
  readonly run: FlowRun | null
  readonly outcome: 'pass' | 'fail' | 'skip' | null
  readonly happened: string
}

function suiteOfRow({ flow: { name, title }, run, outcome, happened }: FlowRow): JunitSuite {
  if (run !== null) return suiteOf(run)
  const message = happened === '' ? 'Not run.' : plainWords(happened)
  const onlyCase = { name: title, outcome: outcome ?? 'skip', ms: null, message, details: message }
  return { name, cases: [onlyCase] }
}

/** Writes a JUnit report of a run of all flows, with a suite for each. */
export function reportAllFlows(rows: readonly FlowRow[]): string {
  const first = rows.find(({ run }) => run !== null)
  return junit(first?.run?.startedAt ?? '', rows.map(suiteOfRow))
}

/** Request or response of a step. */
export interface FlowPayload {
  readonly line: string
  readonly headers: RawHeaders
  readonly body: string
}

/** Payloads of a run's steps, by the step's index. */
export type StepPayloads = ReadonlyMap<
  number,
  { readonly request: FlowPayload | null; readonly response: FlowPayload | null }
>

function payloadDetails(name: string, payload: FlowPayload | null | undefined): Markup | null {
  if (payload === null || payload === undefined) return null
  const head = [
    payload.line,
    ...payload.headers.map(([header, value]) => `${header}: ${value}`),
  ].join('\n')
  return html`<details class="payload">
    <summary>${name} <span class="data">${payload.line}</span></summary>
    <pre>${head}</pre>
    ${payload.body === '' ? '' : html`<pre>${payload.body}</pre>`}
  </details>`
}

function checkTable({ checks }: FlowRunStep): Markup | null {
  if (checks.length === 0) return null
  return html`<table class="checks">
    <thead>
      <tr>
        <th></th>
        <th>Field</th>
        <th>Expected</th>
        <th></th>
        <th>Actual</th>
      </tr>
    </thead>
    <tbody>
      ${checks
        .toSorted((one, other) => Number(one.passed) - Number(other.passed))
        .map(
          ({ field, expected, operator, actual, passed }) =>
            html`<tr>
              <td>${outcomeMark(stepOutcomes[passed ? 'pass' : 'fail'])}</td>
              <td>${field}</td>
              <td class="data">${expected}</td>
              <td>${operator}</td>
              <td class="data">${actual}</td>
            </tr>`,
        )}
    </tbody>
  </table>`
}

/** Writes a step, folded unless it failed. */
function stepDetails(step: FlowRunStep, payloads: StepPayloads): Markup {
  const { index, outcome, title, message, fix, businessAt, deliveryId, from, to } = step
  const stepPayloads = payloads.get(index)
  const response = responseText(step)
  const participants =
    from === to ? actorLabels[from] : `${actorLabels[from]} to ${actorLabels[to]}`
  const facts = factList([
    ['Participants', participants],
    ['Response', response],
    ['Delivery', deliveryId],
  ])
  const content = html`<summary>
      ${outcome === null ? '' : outcomeMark(stepOutcomes[outcome])} ${index + 1}.
      ${plainWords(title)}
      <span class="data">${businessAt === null ? '' : momentWords(businessAt)}</span>
    </summary>
    <div>
      <p>${quoted(message)}${fix === null ? '' : html` Fix: ${quoted(fix)}`}</p>
      ${facts} ${checkTable(step)} ${payloadDetails('Request', stepPayloads?.request)}
      ${payloadDetails("Your handler's response", stepPayloads?.response)}
    </div>`
  return isFailedStep(step)
    ? html`<details open>${content}</details>`
    : html`<details>${content}</details>`
}

const drawnPart = (part: Part): Markup =>
  typeof part === 'string'
    ? html`${part}`
    : html`<span class="${part.className}">${part.inside.map(drawnPart)}</span>`

function drawnDiagram(diagram: Diagram): Markup {
  const rows = diagram.rows.map(
    (row) =>
      html`<div class="row is-${row.kind}">
        <span class="words">${row.words}</span>
        <div class="drawing" aria-hidden="true">${drawRow(row, diagram).map(drawnPart)}</div>
      </div>`,
  )
  return html`<div class="diagram">
    <div class="${laneClass(diagram)}">
      ${drawnPart(drawHeads(diagram))} ${rows} ${drawnPart(drawFeet(diagram))}
    </div>
  </div>`
}

function htmlPage(run: FlowRun, version: string, payloads: StepPayloads): string {
  const { business, real } = runTimes(run)
  const facts: [string, string][] = [
    ['What happened', summarizeRun(run)],
    ['Date', `${run.startedAt.slice(0, 10)} ${run.startedAt.slice(11, 19)} UTC`],
    ['Sandbox time', `+${business}`],
    ['Real time', real],
    ['Flow', `${run.flow}, run ${run.id}`],
    ['Environment', `${run.environment} (${run.mode})`],
    ['Speed', run.speed === 'max' ? 'as fast as possible' : `${run.speed} ×`],
    [
      'Your handler',
      run.handlerName === null
        ? (run.handler ?? 'none')
        : `@${run.handlerName} (${run.handler ?? ''})`,
    ],
  ]
  const unexpected = run.strays.map(({ message }) => html`<li>${quoted(message)}</li>`)
  return htmlReport({
    title: run.title,
    summary: outcomeMark(verdictOf(run)),
    at: Date.parse(run.endedAt ?? run.startedAt),
    version,
    css: `${diagramRules}main{max-width:1020px}.diagram{container-type:inline-size;overflow-x:auto}.checks{margin:0 0 8px}.checks td.data{overflow-wrap:anywhere}.payload{border:0}.payload summary .data{margin-left:0}pre{max-height:480px;overflow:auto}@media print{details:not(.payload)::details-content{content-visibility:visible}}`,
    body: html`${factList(facts)} ${drawnDiagram(diagramOf(run))}
      <h2>Steps</h2>
      ${run.steps.map((step) => stepDetails(step, payloads))}
      ${
        unexpected.length === 0
          ? ''
          : html`<h2>Not expected</h2>
              <ul>
                ${unexpected}
              </ul>`
      }`,
  })
}

/** Writes a report; the payloads are for HTML. */
export function reportFlow(
  run: FlowRun,
  format: FlowReportFormat,
  version: string,
  payloads: StepPayloads = new Map(),
): string {
  switch (format) {
    case 'html':
      return htmlPage(run, version, payloads)
    case 'junit':
      return junit(run.startedAt, [suiteOf(run)])
  }
}
