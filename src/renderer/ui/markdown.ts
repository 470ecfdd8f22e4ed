/** Parser of this project's own Markdown pages, never of outside text, and never into HTML. */

export type Inline =
  | { readonly kind: 'text' | 'code' | 'strong' | 'emphasis'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly target: string }

export type Block =
  | {
      readonly kind: 'heading'
      readonly level: number
      readonly text: readonly Inline[]
      readonly anchor: string | null
    }
  | { readonly kind: 'paragraph' | 'quote'; readonly text: readonly Inline[] }
  | {
      readonly kind: 'list'
      readonly ordered: boolean
      readonly items: readonly (readonly Inline[])[]
    }
  | {
      readonly kind: 'table'
      readonly head: readonly (readonly Inline[])[]
      readonly rows: readonly (readonly (readonly Inline[])[])[]
    }

const anchorLine = /^<a id="([\w-]+)"><\/a>$/

const headingLine = /^(#{1,6}) (.+)$/s

const itemStart = /^(-|\d+\.) /

/** Parses a page into its blocks, which empty lines separate; comments are marks for generators. */
export function readMarkdown(text: string): readonly Block[] {
  const blocks: Block[] = []
  let anchor: string | null = null
  for (const part of text.replaceAll('\r\n', '\n').split(/\n{2,}/)) {
    const lines = part.trim().split('\n')
    const [first = ''] = lines
    const [, anchorName] = anchorLine.exec(first) ?? []
    if (first === '' || first.startsWith('<!--')) continue
    if (anchorName !== undefined) {
      anchor = anchorName
      continue
    }
    blocks.push(blockOf(lines, anchor))
    anchor = null
  }
  return blocks
}

function blockOf(lines: readonly string[], anchor: string | null): Block {
  const joined = lines.join(' ')
  const [, marks, title] = headingLine.exec(joined) ?? []
  if (marks !== undefined && title !== undefined)
    return { kind: 'heading', level: marks.length, text: readInline(title), anchor }
  if (lines.every((line) => line.startsWith('|'))) {
    const [head = [], , ...rows] = lines.map(cellsOf)
    return { kind: 'table', head, rows }
  }
  if (itemStart.test(lines[0] ?? ''))
    return {
      kind: 'list',
      ordered: /^\d/.test(lines[0] ?? ''),
      items: itemsOf(lines).map(readInline),
    }
  if (lines.every((line) => line.startsWith('>')))
    return { kind: 'quote', text: readInline(lines.map((line) => line.slice(1).trim()).join(' ')) }
  return { kind: 'paragraph', text: readInline(joined) }
}

/** Splits a list into items; a line that starts none belongs to the previous one. */
function itemsOf(lines: readonly string[]): readonly string[] {
  const items: string[] = []
  for (const line of lines) {
    const start = itemStart.exec(line)
    if (start !== null) items.push(line.slice(start[0].length))
    else items.push(`${items.pop() ?? ''} ${line.trim()}`)
  }
  return items
}

function cellsOf(line: string): readonly (readonly Inline[])[] {
  return line
    .slice(1, line.lastIndexOf('|'))
    .split('|')
    .map((cell) => readInline(cell.trim()))
}

const inlineMark = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^[\]]+)\]\(([^()\s]+)\)|(?<!\w)_([^_]+)_(?!\w)/g

/** Parses a line into text, code, strong, emphasis and links, not nested. */
function readInline(text: string): readonly Inline[] {
  const parts: Inline[] = []
  let from = 0
  for (const match of text.matchAll(inlineMark)) {
    if (match.index > from) parts.push({ kind: 'text', text: text.slice(from, match.index) })
    from = match.index + match[0].length
    const [, code, strong, label, target, emphasis] = match
    if (code !== undefined) parts.push({ kind: 'code', text: code })
    else if (strong !== undefined) parts.push({ kind: 'strong', text: strong })
    else if (label !== undefined) parts.push({ kind: 'link', text: label, target: target ?? '' })
    else parts.push({ kind: 'emphasis', text: emphasis ?? '' })
  }
  if (from < text.length) parts.push({ kind: 'text', text: text.slice(from) })
  return parts
}
