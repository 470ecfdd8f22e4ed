/** Finds the words that people read in sources, which are parsed, and docs. */
import { parseSync } from 'vite'
import { collapse, commentText, lineCounter, type Node } from './nodes.ts'
import { StringVisitor, type Add } from './strings.ts'

export type Kind = 'string' | 'comment' | 'test' | 'doc'

export interface Piece {
  readonly kind: Kind
  readonly line: number
  readonly start: number
  readonly end: number
  /**
   * Text with collapsed whitespace; `{name}` stands for an inserted value (`{…}` if it is long).
   */
  readonly text: string
}

/** Returns every piece of a source file, in order; for tests, only names and comments. */
export function piecesOfSource(path: string, source: string): Piece[] {
  const { program, comments, errors } = parseSync(path, source)
  if (errors.length > 0) throw new Error(`${path} can't be parsed: ${errors[0]?.message ?? ''}`)
  const lineAt = lineCounter(source)
  const isTest = /\.(?:test|spec|bench)\.tsx?$/.test(path)
  const listsStrings = !isTest && !path.startsWith('test/')
  const pieces: Piece[] = []
  const adder =
    (kind: Kind): Add =>
    (start, end, text) => {
      if (text !== '') pieces.push({ kind, line: lineAt(start), text, start, end })
    }
  const visitor = new StringVisitor(
    source,
    listsStrings ? adder('string') : () => undefined,
    isTest ? adder('test') : null,
  )
  visitor.visit(program as unknown as Node)
  let open: { start: number; end: number; text: string } | null = null
  const close = () => {
    if (open !== null) adder('comment')(open.start, open.end, open.text)
    open = null
  }
  for (const comment of comments) {
    const text = commentText(comment.value)
    // Consecutive `//` lines are one comment.
    if (
      open !== null &&
      comment.type === 'Line' &&
      /^\s*$/.test(source.slice(open.end, comment.start)) &&
      text !== ''
    )
      open = { start: open.start, end: comment.end, text: `${open.text} ${text}` }
    else {
      close()
      if (text !== '') open = { start: comment.start, end: comment.end, text }
      if (comment.type === 'Block') close()
    }
  }
  close()
  return pieces.sort((one, other) => one.start - other.start)
}

/**
 * Returns every paragraph, heading, item and cell of a page, without code; links keep their words.
 */
export function piecesOfPage(source: string): Piece[] {
  const pieces: Piece[] = []
  let open: { line: number; start: number; end: number; text: string } | null = null
  let fence: string | null = null
  let end = -1
  const close = () => {
    if (open !== null && /[A-Za-z]/.test(open.text))
      pieces.push({ ...open, kind: 'doc', text: collapse(open.text) })
    open = null
  }
  source.split('\n').forEach((line, index) => {
    const start = end + 1
    end = start + line.length
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1] ?? null
    if (fence !== null) {
      if (mark !== null && line.trim().startsWith(fence)) fence = null
      return
    }
    if (mark !== null) {
      close()
      fence = mark
      return
    }
    const words = line
      .replaceAll(/!\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    const starts = /^\s*(?:#{1,6} |[-*+] |\d+\. |\||> )/.exec(words)
    if (words.trim() === '') close()
    else if (starts !== null) {
      close()
      if (words.trim().startsWith('|')) {
        for (const cell of words.split('|'))
          if (/[A-Za-z]/.test(cell))
            pieces.push({ kind: 'doc', line: index + 1, start, end, text: collapse(cell) })
      } else
        open = {
          line: index + 1,
          start,
          end,
          text: words.replace(/^\s*(?:#{1,6} |[-*+] |\d+\. |> )/, ''),
        }
    } else
      open =
        open === null
          ? { line: index + 1, start, end, text: words }
          : { ...open, end, text: `${open.text} ${words}` }
  })
  close()
  return pieces
}

export function countWords(text: string): number {
  return (
    text.replaceAll(/`[^`]*`|\{[^{}]*\}/g, ' x ').match(/[\p{L}\p{N}][\p{L}\p{N}'’.-]*/gu)
      ?.length ?? 0
  )
}
