/** Reports of a run: JUnit for CI, a self-contained HTML page, or just the diagram. */
import type { FlowGroup, FlowGroupRow, FlowRun, FlowRunStep } from '../../shared/model/flow-run.ts'
import { groupWords, lookOfGroup, lookOfRun, stepOutcomes } from '../../shared/model/outcomes.ts'
import { drawMermaid } from '../../shared/flow-diagram/mermaid.ts'
import { diagramRules } from '../../shared/flow-diagram/diagram-css.ts'
import { drawSvg } from '../../shared/flow-diagram/svg.ts'
import { actorLabels, momentWords, timeWords } from '../../shared/flow-diagram/words.ts'
import { factList, htmlReport, outcomeMark, drawing, html, quoted, type Markup } from '../reports/html-report.ts'
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
    name: `${name}: ${title}`,
    outcome: outcome === 'missing' ? 'fail' : (outcome ?? 'skip'),
    ms,
    message,
    details: details.join('\n'),
  }
}

function suiteOf(run: FlowRun): JunitSuite {
  const strays = run.strays.map((stray): JunitCase => ({
    name: `${stray.kind}: unexpected delivery`,
    outcome: 'fail',
    ms: null,
    message: stray.message,
    details: stray.message,
  }))
  return { name: run.flow, cases: [...run.steps.map(caseOf), ...strays] }
}

function junit(at: string, suites: readonly JunitSuite[]): string {
  return junitReport({ name: 'countersign flow', at: Date.parse(at), suites })
}

/** A flow without a stored run: skipped, not started, or deleted since. */
function suiteOfRow({ flow, title, outcome, ms, happened }: FlowGroupRow): JunitSuite {
  const message = happened === '' ? 'Not run.' : happened
  return { name: flow, cases: [{ name: title, outcome: outcome ?? 'skip', ms, message, details: message }] }
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
export function reportGroup(group: FlowGroup, runs: readonly FlowRun[], format: 'html' | 'junit', version: string): string {
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
        <th>Business time</th>
        <th>Took</th>
        <th>Delivery</th>
      </tr>
    </thead>
    <tbody>
      ${run.steps.map(stepRow)}
    </tbody>
  </table>`
}

function page(run: FlowRun, version: string): string {
  const last = run.steps.findLast(({ businessAt }) => businessAt !== null)?.businessAt ?? run.businessStartedAt
  const facts: [string, string][] = [
    ['Flow', run.flow],
    ['Environment', `${run.environment} (${run.mode})`],
    ['Speed', run.speed === 'max' ? 'as fast as possible' : `${run.speed} ×`],
    ['Your handler', run.handler ?? 'none'],
    ['Sandbox time', timeWords(Date.parse(last) - Date.parse(run.businessStartedAt))],
    ['Real time', timeWords(Date.parse(run.endedAt ?? run.startedAt) - Date.parse(run.startedAt))],
  ]
  const strays = run.strays.map(({ message }) => html`<li>${quoted(message)}</li>`)
  return htmlReport({
    title: run.title,
    summary: html`${outcomeMark(lookOfRun(run))} ${run.summary}`,
    at: Date.parse(run.endedAt ?? run.startedAt),
    version,
    css: `${diagramRules}.diagram{overflow-x:auto}td.data{font-family:'JetBrains Mono',ui-monospace,monospace;white-space:nowrap}td.id{white-space:normal;overflow-wrap:anywhere;min-width:152px}.quiet{opacity:.75}`,
    body: html`${factList(facts)}
      <div class="diagram">${drawing(drawSvg(run, { embedded: true }))}</div>
      <h2>Steps</h2>
      ${stepTable(run)}
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

export function reportFlow(run: FlowRun, format: FlowReportFormat, version: string): string {
  switch (format) {
    case 'html':
      return page(run, version)
    case 'junit':
      return junit(run.startedAt, [suiteOf(run)])
    case 'svg':
      return `${drawSvg(run)}\n`
    case 'mermaid':
      return drawMermaid(run)
  }
}
