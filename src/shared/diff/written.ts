/** A comparison as text to paste: plain, or as Markdown. */
import { fenced } from '../text/delivery-markdown.ts'
import { isDifference, pieceText, type DiffRow } from './rows.ts'

export interface Written {
  readonly leftTitle: string
  readonly rightTitle: string
  /** The compared part with its rows: `Body`, `Headers`. */
  readonly parts: readonly {
    readonly name: string
    readonly sentence: string
    readonly rows: readonly DiffRow[]
  }[]
}

/** The differences as lines that begin with `-`, `+`, `~` (the same text) and `>` (moved), without folded ignored fields. */
export function differenceLines(rows: readonly DiffRow[]): string[] {
  return rows.filter(isDifference).flatMap((row) => {
    const name = row.path === '' ? '' : `${row.path}: `
    const note = row.note === null ? '' : `  (${row.note})`
    if (row.kind === 'moved') return [`> ${name}${pieceText(row.right)}${note}`]
    // The same text on both sides: the values are masked, or only the notation of the name differs.
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

export function writeText({ leftTitle, rightTitle, parts }: Written): string {
  const sections = parts.flatMap(({ name, sentence, rows }) => [
    '',
    `${name}: ${sentence}`,
    ...differenceLines(rows),
  ])
  return [`--- ${leftTitle}`, `+++ ${rightTitle}`, ...sections, ''].join('\n')
}

export function writeMarkdown({ leftTitle, rightTitle, parts }: Written): string {
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
