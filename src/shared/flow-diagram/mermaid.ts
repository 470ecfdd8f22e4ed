/** A flow or run as a Mermaid sequence diagram, for a README, wiki or pull request. */
import type { FlowRun } from '../model/flow.ts'
import { diagramOf, type Diagram, type DiagramRow, type Drawn } from './diagram.ts'
import type { Look } from './rows.ts'
import { happenedIn, verdictOf, type Said } from './story.ts'
import { actorLabels, momentWords, runTimes } from './words.ts'

/** `;` would end the line, `#` starts an entity, and line breaks aren't allowed. */
function escape(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[#;<>]/g, (character) => `#${character.codePointAt(0) ?? 0};`)
    .trim()
}

const words: Readonly<Record<Look, string>> = {
  planned: '',
  running: '(running) ',
  pass: '✓ ',
  fail: '✕ ',
  skip: '(skipped) ',
  missing: '? (missing) ',
  stray: '! ',
}

const arrows: Readonly<Record<Look, string>> = {
  planned: '->>',
  running: '->>',
  pass: '->>',
  fail: '->>',
  skip: '-->>',
  missing: '--x',
  stray: '->>',
}

function lines(row: DiagramRow, { lanes }: Diagram): string[] {
  const { from, to, kind, look, response } = row
  const label = `${kind === 'gave-up' ? '' : words[look]}${escape(row.label)}`
  const about = row.details.map(escape).filter(Boolean).join(', ')
  if (kind === 'wait') {
    const [first, last] = [lanes[0] ?? from, lanes.at(-1) ?? to]
    const whole = about === '' ? escape(row.label) : `${escape(row.label)}, ${about}`
    return [
      `Note over ${first === last ? first : `${first},${last}`}: ${row.place === null ? '' : words[look]}${whole}`,
    ]
  }
  if (from === to) return [`Note over ${from}: ${about === '' ? label : `${label}, ${about}`}`]
  return [
    `${from}${arrows[look]}${to}: ${about === '' ? label : `${label}, ${about}`}`,
    ...(response === null
      ? []
      : [`${to}${/^\d/.test(response) ? '-->>' : '--x'}${from}: ${escape(response)}`]),
  ]
}

const said = (name: string, { head, rest }: Said) =>
  escape(`${name}: ${head}${rest === '' ? '' : `, ${rest}`}`)

function header(drawn: Drawn, { lanes }: Diagram): string[] {
  const [first, last] = [lanes[0], lanes.at(-1)]
  if (!('state' in drawn) || first === undefined || last === undefined) return []
  const run = drawn as FlowRun
  const over = first === last ? first : `${first},${last}`
  const { business, real } = runTimes(run)
  return [
    `Note over ${over}: ${said('Verdict', verdictOf(run))}`,
    `Note over ${over}: ${said('What happened', happenedIn(run))}`,
    `Note over ${over}: ${escape(`${momentWords(run.startedAt)} UTC, ${business} of sandbox time in ${real}`)}`,
  ]
}

export function drawMermaid(drawn: Drawn): string {
  const diagram = diagramOf(drawn)
  const participants = diagram.lanes.map((actor) => {
    const name = actor === 'handler' ? diagram.handlerName : null
    return `participant ${actor} as ${actorLabels[actor]}${name === null ? '' : ` @${escape(name)}`}`
  })
  const all = [
    'sequenceDiagram',
    ...[
      `title ${escape(diagram.title)}`,
      ...participants,
      ...header(drawn, diagram),
      ...diagram.rows.flatMap((row) => lines(row, diagram)),
      ...diagram.notes.map((note) => `Note over ${diagram.lanes[0] ?? 'service'}: ${escape(note)}`),
    ].map((one) => `  ${one}`),
  ]
  return `${all.join('\n')}\n`
}
