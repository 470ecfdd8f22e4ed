/** Reports of a run: JUnit for CI, a self-contained HTML page, or just the diagram. */
import type { FlowGroup, FlowGroupRow, FlowRun, FlowRunStep } from '../../shared/model/flow-run.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import {
  groupWords,
  isFailedStep,
  lookOfGroup,
  lookOfRun,
  stepOutcomes,
} from '../../shared/model/outcomes.ts'
import { drawMermaid } from '../../shared/flow-diagram/mermaid.ts'
import { diagramRules } from '../../shared/flow-diagram/diagram-css.ts'
import { drawSvg } from '../../shared/flow-diagram/svg.ts'
import {
  expectedStatus,
  happenedIn,
  responseText,
  verdictOf,
} from '../../shared/flow-diagram/story.ts'
import {
  actorLabels,
  momentWords,
  plainWords,
  runTimes,
  timeWords,
} from '../../shared/flow-diagram/words.ts'
import {
  factList,
  htmlReport,
  outcomeMark,
  drawing,
  html,
  quoted,
  type Markup,
} from '../reports/html-report.ts'
import { junitReport, type JunitCase, type JunitSuite } from '../reports/junit.ts'

export type FlowReportFormat = 'html' | 'junit' | 'svg' | 'mermaid'

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
  const strays = run.strays.map((stray): JunitCase => ({
    name: `${stray.kind}: unexpected delivery`,
    outcome: 'fail',
    ms: null,
    message: plainWords(stray.message),
    details: plainWords(stray.message),
  }))
  return { name: run.flow, cases: [...run.steps.map(caseOf), ...strays] }
}

function junit(at: string, suites: readonly JunitSuite[]): string {
  return junitReport({ name: 'countersign flow', at: Date.parse(at), suites })
}

/** A flow without a stored run: skipped, not started, or deleted since. */
function suiteOfRow({ flow, title, outcome, ms, happened }: FlowGroupRow): JunitSuite {
  const message = happened === '' ? 'Not run.' : plainWords(happened)
  return {
    name: flow,
    cases: [{ name: title, outcome: outcome ?? 'skip', ms, message, details: message }],
  }
}

function groupRow(row: FlowGroupRow): Markup {
  const { title, flow, outcome, happened, counts, ms } = row
  return html`<tr>
    <td>${outcome === null ? '' : outcomeMark(stepOutcomes[outcome])}</td>
    <td>${title} <span class="quiet data">${flow}</span></td>
    <td>${quoted(happened)}</td>
    <td class="data">${counts.passed}</td>
    <td class="data">${counts.failed}</td>
    <td class="data">${counts.skipped}</td>
    <td class="data">${ms === null ? '' : timeWords(ms)}</td>
  </tr>`
}

function groupPage(group: FlowGroup, runs: readonly FlowRun[], version: string): string {
  const { rows, startedAt, endedAt } = group
  const failures = runs.filter(({ outcome }) => outcome === 'fail')
  const facts: [string, string][] = [
    ['Your handler', group.handler ?? 'none'],
    ['Speed', group.speed === 'max' ? 'as fast as possible' : `${group.speed} ×`],
    ['Real time', timeWords(Date.parse(endedAt ?? startedAt) - Date.parse(startedAt))],
    ...Object.entries(group.set).map(([path, value]): [string, string] => [path, value]),
  ]
  return htmlReport({
    title: `Flows, run all ${group.number}`,
    summary: html`${outcomeMark(lookOfGroup(group))} ${groupWords(rows)}`,
    at: Date.parse(endedAt ?? startedAt),
    version,
    css: 'td.data{white-space:nowrap}.quiet{opacity:.75}',
    body: html`${factList(facts)}
      <table>
        <thead>
          <tr>
            <th>Outcome</th>
            <th>Flow</th>
            <th>What happened</th>
            <th>Passed</th>
            <th>Failed</th>
            <th>Skipped</th>
            <th>Time</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(groupRow)}
        </tbody>
      </table>
      ${failures.map(
        (run) =>
          html`<h2>${run.title}</h2>
            ${stepTable(run)}`,
      )}`,
  })
}

/** A group and the stored runs of its flows. */
export function reportGroup(
  group: FlowGroup,
  runs: readonly FlowRun[],
  format: 'html' | 'junit',
  version: string,
): string {
  if (format === 'html') return groupPage(group, runs, version)
  const suites = group.rows.map((row) => {
    const run = runs.find(({ id }) => id === row.runId)
    return run === undefined ? suiteOfRow(row) : suiteOf(run)
  })
  return junit(group.startedAt, suites)
}

function stepRow(step: FlowRunStep): Markup {
  const { outcome, actor, title, message, fix, businessAt, ms, deliveryId, expected } = step
  return html`<tr>
    <td>${step.index + 1}</td>
    <td>${outcome === null ? '' : outcomeMark(stepOutcomes[outcome])}</td>
    <td>${actorLabels[actor]}</td>
    <td>
      ${title}${expected === null ? '' : html`<div class="quiet">Expected: ${quoted(expected)}</div>`}
      <div>${quoted(message)}</div>
      ${fix === null ? '' : html`<div>Fix: ${quoted(fix)}</div>`}
    </td>
    <td class="data">${businessAt === null ? '' : momentWords(businessAt)}</td>
    <td class="data">${ms === null ? '' : timeWords(ms)}</td>
    <td class="data id">${deliveryId ?? ''}</td>
  </tr>`
}

function stepTable(run: FlowRun): Markup {
  return html`<table>
    <thead>
      <tr>
        <th>Step</th>
        <th>Outcome</th>
        <th>Actor</th>
        <th>What happened</th>
        <th>Sandbox time</th>
        <th>Took</th>
        <th>Delivery</th>
      </tr>
    </thead>
    <tbody>
      ${run.steps.map(stepRow)}
    </tbody>
  </table>`
}

/** A request or response: its first line, headers and body. */
export interface FlowPayload {
  readonly line: string
  readonly headers: RawHeaders
  readonly body: string
}

/** The payloads of a run's steps, by the step's index; null if there is none. */
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

/** A step, folded unless it failed. */
function stepDetails(step: FlowRunStep, payloads: StepPayloads): Markup {
  const { index, outcome, title, message, fix, businessAt, deliveryId, from, to } = step
  const own = payloads.get(index)
  const answered = responseText(step, expectedStatus(step))
  const facts: [string, string][] = [
    [
      'Participants',
      from === to ? actorLabels[from] : `${actorLabels[from]} to ${actorLabels[to]}`,
    ],
    ...(answered === null ? [] : [['Response', answered] as [string, string]]),
    ...(deliveryId === null ? [] : [['Delivery', deliveryId] as [string, string]]),
  ]
  const inside = html`<summary>
      ${outcome === null ? '' : outcomeMark(stepOutcomes[outcome])} ${index + 1}.
      ${plainWords(title)}
      <span class="data">${businessAt === null ? '' : momentWords(businessAt)}</span>
    </summary>
    <div>
      <p>${quoted(message)}${fix === null ? '' : html` Fix: ${quoted(fix)}`}</p>
      ${factList(facts)} ${checkTable(step)} ${payloadDetails('Request', own?.request)}
      ${payloadDetails("Your handler's response", own?.response)}
    </div>`
  return isFailedStep(step)
    ? html`<details open>${inside}</details>`
    : html`<details>${inside}</details>`
}

function page(run: FlowRun, version: string, payloads: StepPayloads): string {
  const { business, real } = runTimes(run)
  const happened = happenedIn(run)
  const verdict = verdictOf(run)
  const facts: [string, string][] = [
    ['What happened', [happened.head, happened.rest].filter(Boolean).join(': ')],
    ['Date', `${momentWords(run.startedAt)} ${run.startedAt.slice(0, 4)} UTC`],
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
  const strays = run.strays.map(({ message }) => html`<li>${quoted(message)}</li>`)
  return htmlReport({
    title: run.title,
    summary: html`${outcomeMark({ ...lookOfRun(run), word: verdict.head })} ${verdict.rest}`,
    at: Date.parse(run.endedAt ?? run.startedAt),
    version,
    isLight: true,
    css: `${diagramRules}main{max-width:1020px}.diagram{overflow-x:auto}.checks{margin:0 0 8px}.checks td.data{overflow-wrap:anywhere}.payload{border:0}.payload summary .data{margin-left:0}pre{max-height:480px;overflow:auto}`,
    body: html`${factList(facts)}
      <div class="diagram">${drawing(drawSvg(run, { embedded: true }))}</div>
      <h2>Steps</h2>
      ${run.steps.map((step) => stepDetails(step, payloads))}
      ${
        strays.length === 0
          ? ''
          : html`<h2>Not expected</h2>
              <ul>
                ${strays}
              </ul>`
      }`,
  })
}

/** `payloads`: for the HTML report. */
export function reportFlow(
  run: FlowRun,
  format: FlowReportFormat,
  version: string,
  payloads: StepPayloads = new Map(),
): string {
  switch (format) {
    case 'html':
      return page(run, version, payloads)
    case 'junit':
      return junit(run.startedAt, [suiteOf(run)])
    case 'svg':
      return `${drawSvg(run)}\n`
    case 'mermaid':
      return drawMermaid(run)
  }
}
