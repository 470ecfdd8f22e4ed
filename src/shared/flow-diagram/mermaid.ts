/** A flow or run as a Mermaid sequence diagram, for a README, wiki or pull request. */
import type { FlowRun } from '../model/flow.ts'
import { glyphText, labelOf } from '../model/outcomes.ts'
import { diagramOf, type Diagram, type DiagramRow, type Drawn } from './diagram.ts'
import { happenedIn, verdictOf } from './story.ts'
import { actorLabels, momentWords, runTimes } from './words.ts'

/** `;` would end the line, `#` starts an entity, and line breaks aren't allowed. */
function escape(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[#;<>]/g, (character) => `#${character.codePointAt(0) ?? 0};`)
    .trim()
}

/** `✓`, or `✕ Missing:` with the word of an outcome that isn't passed or failed. */
function outcomeWords({ outcome }: DiagramRow): string {
  if (outcome === null || outcome.glyph === 'waiting') return ''
  const glyph = glyphText[outcome.glyph]
  return outcome.glyph === 'pass' || outcome.glyph === 'fail'
    ? `${glyph} `
    : `${glyph} ${labelOf(outcome)}: `
}

/** A note over all lanes. */
function over({ lanes }: Diagram, text: string): string {
  const [first = 'service', last = first] = [lanes[0], lanes.at(-1)]
  return `Note over ${first === last ? first : `${first},${last}`}: ${escape(text)}`
}

function lines(row: DiagramRow, diagram: Diagram): string[] {
  const { from, to, kind, title, extra, arrow, response } = row
  const valid = arrow?.ink === 'ok' ? 'valid' : null
  const label = [
    extra === null ? title : `${title}, ${extra}`,
    valid,
    ...row.lines.map(({ text }) => text),
  ]
  const text = `${outcomeWords(row)}${label.filter((one) => one !== null).join(', ')}`
  if (kind === 'wait') return [over(diagram, text)]
  if (arrow === null) return [`Note over ${from}: ${escape(text)}`]
  const isMissing = row.outcome?.glyph === 'missing'
  const line = isMissing ? '--x' : arrow.isPlanned ? '-->>' : '->>'
  return [
    `${from}${line}${to}: ${escape(text)}`,
    ...(response === null
      ? []
      : [`${to}${response.isCut ? '--x' : '-->>'}${from}: ${escape(response.text)}`]),
  ]
}

function header(run: FlowRun): string[] {
  const { business, real } = runTimes(run)
  return [
    `Verdict: ${labelOf(verdictOf(run))}`,
    `What happened: ${happenedIn(run)}`,
    `${momentWords(run.startedAt)} UTC, ${business} of sandbox time in ${real}`,
  ]
}

export function drawMermaid(drawn: Drawn): string {
  const diagram = diagramOf(drawn)
  const all = [
    `title ${escape(diagram.title)}`,
    ...diagram.lanes.map((actor) => {
      const name = actor === 'handler' ? diagram.handlerName : null
      return `participant ${actor} as ${actorLabels[actor]}${name === null ? '' : ` @${escape(name)}`}`
    }),
    ...('state' in drawn ? header(drawn as FlowRun).map((text) => over(diagram, text)) : []),
    ...diagram.rows.flatMap((row) => lines(row, diagram)),
  ]
  return `sequenceDiagram\n${all.map((line) => `  ${line}\n`).join('')}`
}
