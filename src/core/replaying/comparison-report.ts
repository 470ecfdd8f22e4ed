/** Writes reports of a comparison: JUnit, Markdown for CI, and HTML. */
import type { ComparisonGroup, RunComparison } from '../../shared/model/run-comparison.ts'
import {
  comparisonTimes,
  comparisonTotals,
  furtherGroupsText,
  groupChange,
  groupEvent,
  groupExample,
  groupTitle,
} from '../../shared/text/comparison-words.ts'
import { pairOutcomes } from '../../shared/model/comparison-outcomes.ts'
import { deliveryCount } from '../../shared/text/english.ts'
import { inCode, prose } from '../../shared/text/delivery-markdown.ts'
import { factList, htmlReport, outcomeMark } from '../reports/html-report.ts'
import { codeInCell, markdownTable } from '../reports/markdown-table.ts'
import { html } from '../reports/markup.ts'
import { junitReport, type JunitCase } from '../reports/junit.ts'

export interface ReportedComparison {
  readonly comparison: RunComparison
  /** Endpoint, and its other side, as typed. */
  readonly to: string
  readonly against: string
  /** Returns the command that shows a group's example. */
  command(group: ComparisonGroup): string | null
}

const titleOf = ({ to, against }: ReportedComparison) => `Runs compared: ${to} against ${against}`

function groupCase(report: ReportedComparison, group: ComparisonGroup): JunitCase {
  const { outcome, count } = group
  const command = report.command(group)
  const isSkipped = outcome === 'not-compared'
  return {
    name: groupTitle(group),
    outcome: isSkipped ? 'skip' : 'fail',
    ms: group.ms.after,
    message: `${pairOutcomes[outcome].word}: ${groupChange(group)}`,
    details: [
      `${deliveryCount(count)}, for example ${groupExample(group)}`,
      ...(command === null ? [] : [command]),
    ].join('\n'),
  }
}

/** Writes a JUnit report with one suite per event, and one case per group. */
export function comparisonJunit(report: ReportedComparison): string {
  const { groups, unchanged, replay } = report.comparison
  const events = [...new Set([...groups.map(groupEvent), ...unchanged.map(groupEvent)])].toSorted()
  return junitReport({
    name: `${titleOf(report)}${furtherGroupsText(report.comparison)}`,
    at: Date.parse(replay.createdAt),
    suites: events.map((name) => ({
      name,
      cases: [
        ...groups
          .filter((group) => groupEvent(group) === name)
          .map((group) => groupCase(report, group)),
        ...unchanged
          .filter((one) => groupEvent(one) === name)
          .map(({ count }): JunitCase => ({
            name: `${deliveryCount(count)} unchanged`,
            outcome: 'pass',
            ms: null,
            message: '',
            details: '',
          })),
      ],
    })),
  })
}

/** Writes a Markdown summary; Markdown in responses has no effect. */
export function comparisonSummary(report: ReportedComparison): string {
  const { comparison, to, against } = report
  const rows = comparison.groups.map((group) => [
    group.count.toLocaleString('en'),
    prose(groupEvent(group)),
    pairOutcomes[group.outcome].word,
    prose(groupChange(group)),
    codeInCell(groupExample(group)),
  ])
  const times = comparisonTimes(comparison)
  return `${[
    `### Runs compared: ${comparisonTotals(comparison)}`,
    '',
    `${inCode(to)} against ${inCode(against)}.${times === null ? '' : ` ${times}`}`,
    ...markdownTable(['deliveries', 'event', 'outcome', 'change', 'example'], rows),
  ].join('\n')}\n`
}

/** Writes a self-contained HTML report. */
export function comparisonHtml(
  report: ReportedComparison,
  { at, version }: { readonly at: number; readonly version: string },
): string {
  const { comparison, to, against } = report
  const { groups, replay } = comparison
  const times = comparisonTimes(comparison)
  return htmlReport({
    title: titleOf(report),
    summary: html`${comparisonTotals(comparison)}`,
    body: html`${factList([
      ['Started', replay.createdAt],
      ['Endpoint', to],
      ['Compared with', against],
      ['Times', times],
    ])}
    ${groups.map(
      (group) =>
        html`<details open>
          <summary>
            ${outcomeMark(pairOutcomes[group.outcome])} <span>${groupTitle(group)}</span>
            <span class="data">${groupExample(group)}</span>
          </summary>
          <div>
            ${factList([
              ['Command', report.command(group)],
              ...group.differences.map(({ place, path, before, after }) => {
                const words = [
                  before?.join(' or ') ?? 'many values',
                  after?.join(' or ') ?? 'many values',
                ]
                return [
                  `${place} ${path}`,
                  words.map((word) => word || 'none').join(' → '),
                ] as const
              }),
            ])}
          </div>
        </details>`,
    )}`,
    at,
    version,
  })
}
