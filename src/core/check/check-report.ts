/** Writes reports of a check: JSON, JUnit, Markdown for CI, and HTML. */
import {
  severityOf,
  checkGroupSchema,
  checkGroups,
  countOutcomes,
  fixOf,
  isExplained,
  type CheckConclusion,
  type CheckExchange,
  type CheckResult,
} from '../../shared/model/check.ts'
import {
  causeText,
  explainedWords,
  type HandlerCause,
  type HandlerCauses,
} from '../../shared/model/handler-causes.ts'
import { checkOutcomes, shownCase } from '../../shared/model/check-outcomes.ts'
import { inCode, prose } from '../../shared/text/delivery-markdown.ts'
import { factList, htmlReport, outcomeMark } from '../reports/html-report.ts'
import { codeInCell, markdownTable } from '../reports/markdown-table.ts'
import { html, quoted, type Markup } from '../reports/markup.ts'
import { junitReport } from '../reports/junit.ts'

export interface ReportedCheck {
  readonly target: string
  readonly registeredUrl: string
  /** ISO 8601. */
  readonly createdAt: string
  readonly score: number | null
  readonly results: readonly CheckResult[]
  readonly conclusions: readonly CheckConclusion[]
  readonly explained: HandlerCauses
}

function decisiveExchange({ exchanges, decisive: index }: CheckResult): CheckExchange | null {
  return index === null ? null : (exchanges[index] ?? null)
}

function caseJson(
  result: CheckResult,
  conclusions: ReportedCheck['conclusions'],
): Record<string, unknown> {
  const { name, group, outcome, title, severity, section, exchanges } = result
  const exchange = decisiveExchange(result)
  return {
    name,
    group,
    outcome,
    title,
    severity,
    section,
    sent: { what: result.sends, requests: exchanges.length, request: exchange?.sent ?? null },
    expected: result.expected,
    got: { message: result.message, warning: result.warning, answer: exchange?.got ?? null },
    why: result.why,
    fix: fixOf(result, conclusions) ?? result.fix,
  }
}

/** Returns the output of `check --json`. */
export function checkJson(check: ReportedCheck): Record<string, unknown> {
  const { target, registeredUrl, createdAt, score, results, conclusions, explained } = check
  return {
    target,
    registeredUrl,
    startedAt: createdAt,
    ...countOutcomes(results),
    score,
    conclusions,
    causes: explained.causes,
    unexplained: explained.unexplained,
    cases: results.map((result) => caseJson(result, conclusions)),
  }
}

function requestText({ sent }: CheckExchange): string {
  const cut =
    Buffer.byteLength(sent.body) < sent.bodySize
      ? `\n[first ${sent.body.length} of ${sent.bodySize} bytes]`
      : ''
  return `${sent.method} ${sent.url}\n${sent.headers.map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n${sent.body}${cut}`
}

function answerText({ got }: CheckExchange, explained: boolean): string {
  if (got.status === null)
    return `No response after ${got.ms} ms${explained ? '' : `: ${got.error ?? ''}`}`
  const headers = got.headers.map(([name, value]) => `${name}: ${value}`).join('\n')
  return `${got.status} after ${got.ms} ms${got.error === null ? '' : ` (${got.error})`}\n${headers}\n\n${got.body}`
}

function detailsText(result: CheckResult, conclusions: ReportedCheck['conclusions']): string {
  const exchange = decisiveExchange(result)
  const { sends, expected, message, why } = result
  const explained = isExplained(result, conclusions)
  // The message of an explained case ends with the fix.
  const fix = explained ? null : fixOf(result, conclusions)
  const severity = severityOf(result)
  const parts = [`Sent: ${sends}`, `Expected: ${expected}`, `Got: ${message}`, `Why: ${why}`]
  if (severity !== null) parts.push(`Severity: ${severity}`)
  if (fix !== null) parts.push(`Fix: ${fix}`)
  if (exchange !== null)
    parts.push(
      '',
      `> ${exchange.sent.label}`,
      requestText(exchange),
      '',
      '<',
      answerText(exchange, explained),
    )
  return parts.join('\n')
}

function groupsOf(results: readonly CheckResult[]) {
  return checkGroupSchema.options
    .map((group) => ({
      title: checkGroups[group],
      all: results.filter((result) => result.group === group),
    }))
    .filter(({ all }) => all.length > 0)
}

/** Writes a JUnit report with one suite per group. */
export function checkJunit({ target, createdAt, results, conclusions }: ReportedCheck): string {
  return junitReport({
    name: `Handler check of ${target}`,
    at: Date.parse(createdAt),
    suites: groupsOf(results).map(({ title, all }) => ({
      name: title,
      cases: all.map((result) => ({
        name: `${result.name}: ${result.title}`,
        outcome: result.outcome,
        ms: result.exchanges.reduce((sum, { got }) => sum + got.ms, 0),
        message: result.message,
        details: detailsText(result, conclusions),
      })),
    })),
  })
}

/** Writes a sentence, in which backticks mark code, as a Markdown cell. */
function markdownSentence(text: string): string {
  const parts = text.replaceAll(/\s+/g, ' ').split('`')
  if (parts.length % 2 === 0) return prose(text)
  const cells = parts.map((part, index) => (index % 2 === 0 ? prose(part) : codeInCell(part)))
  return cells.join('')
}

/** Writes a Markdown summary; Markdown in responses has no effect. */
export function checkSummary({
  target,
  registeredUrl,
  score,
  results,
  conclusions,
  explained,
}: ReportedCheck): string {
  const { passed, failed, skipped } = countOutcomes(results)
  const rows = results
    .filter(({ outcome }) => outcome === 'fail')
    .map((result) => {
      const fix = isExplained(result, conclusions) ? null : fixOf(result, conclusions)
      return [
        result.name,
        severityOf(result) ?? '',
        markdownSentence(result.message),
        markdownSentence(fix ?? ''),
      ]
    })
  const lines = [
    `### Handler check: ${passed} passed, ${failed} failed, ${skipped} skipped${score === null ? '' : `, score ${score}/100`}`,
    '',
    `Endpoint ${inCode(target)}, signed over ${inCode(registeredUrl)}.`,
    ...explained.causes.flatMap((cause) => [
      '',
      `**${markdownSentence(cause.title)}**: ${markdownSentence(causeText(cause))}`,
    ]),
    ...markdownTable(['failed case', 'severity', 'result', 'fix'], rows),
  ]
  return `${lines.join('\n')}\n`
}

function caseMarkup(result: CheckResult, conclusions: ReportedCheck['conclusions']): Markup {
  const exchange = decisiveExchange(result)
  const { outcome, title, name, message, warning, section, sends, expected, why } = result
  const severity = severityOf(result)
  const explained = isExplained(result, conclusions)
  const fix = explained ? null : fixOf(result, conclusions)
  const facts: [string, string | Markup | null][] = [
    ['Sent', quoted(sends)],
    ['Expected', expected],
    ['Got', explained ? 'No valid response' : message],
    ['Warning', warning],
    ['Why', html`${quoted(why)} (spec ${section})`],
    ['Fix', fix === null ? null : quoted(fix)],
    ['Severity', severity],
  ]
  const wire =
    exchange === null
      ? null
      : html`<h3>Request: ${exchange.sent.label}</h3>
          <p class="muted">Signed over <code>${exchange.sent.signedUrl}</code></p>
          <pre>${requestText(exchange)}</pre>
          <h3>Answer</h3>
          <pre>${answerText(exchange, explained)}</pre>`
  const mark = outcomeMark(checkOutcomes[shownCase(result)])
  // A printed page can't be expanded.
  return html`<details${outcome === 'fail' ? ' open' : ''}>
    <summary>${mark} <span>${title}</span> <span class="data">${name}</span></summary>
    <div>${factList(facts)}${wire}</div>
  </details>`
}

function causeMarkup(cause: HandlerCause): Markup {
  return html`<section>
    <p><strong>${quoted(cause.title)}</strong>: ${quoted(causeText(cause))}</p>
    <p class="muted">${[...cause.cases, ...cause.flows].join(', ')}</p>
  </section>`
}

/** Writes a self-contained HTML report. */
export function checkHtml(
  check: ReportedCheck,
  { at, version }: { readonly at: number; readonly version: string },
): string {
  const { passed, failed, skipped } = countOutcomes(check.results)
  const score = check.score === null ? 'no score' : `score ${check.score} of 100`
  const { explained } = check
  const causes =
    explained.causes.length === 0
      ? null
      : html`<h2>${explainedWords(explained)}</h2>
          ${explained.causes.map(causeMarkup)}`
  const groups = groupsOf(check.results).map(
    ({ title, all }) =>
      html`<h2>${title}</h2>
        ${all.map((result) => caseMarkup(result, check.conclusions))}`,
  )
  return htmlReport({
    title: `Handler check of ${check.target}`,
    summary: html`${passed} passed, ${failed} failed, ${skipped} skipped: ${score}.`,
    body: html`${factList([
      ['Checked', check.createdAt],
      ['Signed over', check.registeredUrl],
    ])}${causes}${groups}`,
    at,
    version,
  })
}
