/** A flow or run as a Mermaid sequence diagram, for a README, wiki or pull request. */
import { actorLabels } from './words.ts'
import type { DiagramLayout, DiagramRow, Look } from './layout.ts'

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
  fail: '-x',
  skip: '-->>',
  missing: '--x',
  stray: '->>',
}

function lines(row: DiagramRow, { lifelines }: DiagramLayout): string[] {
  const actorAt = (x: number) => lifelines.find((lifeline) => lifeline.x === x)?.actor ?? lifelines[0]?.actor ?? 'service'
  const from = actorAt(row.fromX)
  const to = actorAt(row.toX)
  const label = `${words[row.look]}${escape(row.label)}`
  const over = from === to ? from : `${from},${to}`
  if (row.kind === 'gap') {
    const whole = row.detail === null ? row.label : `${row.label}, ${row.detail}`
    return [`Note over ${over}: ${row.step === null ? '' : words[row.look]}${escape(whole)}`]
  }
  if (row.kind === 'note')
    return [`Note over ${over}: ${label}`, ...(row.detail === null ? [] : [`Note over ${over}: ${escape(row.detail)}`])]
  return [
    `${from}${arrows[row.look]}${to}: ${label}`,
    ...(row.answer === null ? [] : [`${to}-->>${from}: ${escape(row.answer)}`]),
    ...(row.detail === null ? [] : [`Note over ${over}: ${escape(row.detail)}`]),
  ]
}

export function drawMermaid(layout: DiagramLayout): string {
  const participants = layout.lifelines.map(({ actor }) => `participant ${actor} as ${actorLabels[actor]}`)
  const all = [
    'sequenceDiagram',
    ...[`title ${escape(layout.title)}`, ...participants, ...layout.rows.flatMap((row) => lines(row, layout))].map(
      (line) => `  ${line}`,
    ),
  ]
  return `${all.join('\n')}\n`
}
