/** Export of a comparison: plain text or Markdown. */
import { fenced } from '../text/delivery-markdown.ts'
import { isDifference, pieceText, type DiffRow } from './rows.ts'

export interface ComparisonText {
  readonly leftTitle: string
  readonly rightTitle: string
  readonly parts: readonly {
    readonly name: string
    readonly sentence: string
    readonly rows: readonly DiffRow[]
  }[]
}

/** Formats lines that begin with `-`, `+`, `~` (equal text) or `>` (moved). */
export function differenceLines(rows: readonly DiffRow[]): string[] {
  return rows.filter(isDifference).flatMap((row) => {
    const name = row.path === '' ? '' : `${row.path}: `
    const note = row.note === null ? '' : `  (${row.note})`
    if (row.kind === 'moved') return [`> ${name}${pieceText(row.right)}${note}`]
    // Equal text on both sides: values are masked, or the name's notation differs.
    if (row.left !== null && row.right !== null && pieceText(row.left) === pieceText(row.right))
      return [`~ ${name}${pieceText(row.left)}${note}`]
    return [
      ...(row.left === null
        ? []
        : [`- ${name}${pieceText(row.left)}${row.right === null ? note : ''}`]),
      ...(row.right === null ? [] : [`+ ${name}${pieceText(row.right)}${note}`]),
    ]
  })
}

export function writeText({ leftTitle, rightTitle, parts }: ComparisonText): string {
  const sections = parts.flatMap(({ name, sentence, rows }) => [
    '',
    `${name}: ${sentence}`,
    ...differenceLines(rows),
  ])
  return [`--- ${leftTitle}`, `+++ ${rightTitle}`, ...sections, ''].join('\n')
}

export function writeMarkdown({ leftTitle, rightTitle, parts }: ComparisonText): string {
  const sections = parts.flatMap(({ name, sentence, rows }) => {
    const lines = differenceLines(rows)
    return [
      '',
      `**${name}**: ${sentence}`,
      ...(lines.length === 0 ? [] : ['', ...fenced('diff', lines.join('\n'))]),
    ]
  })
  return [`- A: ${leftTitle}`, `- B: ${rightTitle}`, ...sections, ''].join('\n')
}
