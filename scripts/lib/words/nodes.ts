/** Nodes of a parsed source, with the texts of strings and comments, and their lines. */

export type Node = Readonly<Record<string, unknown>> & {
  readonly type: string
  readonly start: number
  readonly end: number
}

export const collapse = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

export function isNode(value: unknown): value is Node {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { type?: unknown }).type === 'string'
  )
}

export function nameOf(node: unknown): string {
  if (!isNode(node)) return ''
  if (node.type === 'MemberExpression') return nameOf(node['property'])
  if (node.type === 'JSXNamespacedName')
    return `${nameOf(node['namespace'])}:${nameOf(node['name'])}`
  if (typeof node['name'] === 'string') return node['name']
  return typeof node['value'] === 'string' ? node['value'] : ''
}

/** Returns the placeholder of an inserted value: its source if that is short. */
export function slot(node: unknown, source: string): string {
  const text = isNode(node) ? source.slice(node.start, node.end) : ''
  return text.length > 0 && text.length <= 40 && !/[{}\n`]/.test(text) ? `{${text}}` : '{…}'
}

/** Returns the text of a string or template, with `{value}` for expressions; else null. */
export function textOf(node: Node, source: string): string | null {
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : null
  if (node.type === 'TemplateLiteral') {
    const quasis = node['quasis'] as readonly { value: { cooked: string | null } }[]
    const values = node['expressions'] as readonly unknown[]
    return quasis
      .map(
        (part, index) =>
          `${index === 0 ? '' : slot(values[index - 1], source)}${part.value.cooked ?? ''}`,
      )
      .join('')
  }
  // A sentence that is too long for one line is split with +.
  if (node.type === 'BinaryExpression' && node['operator'] === '+') {
    const [left, right] = [node['left'], node['right']].map((side) =>
      isNode(side) ? textOf(side, source) : null,
    )
    if (left === null && right === null) return null
    return `${left ?? slot(node['left'], source)}${right ?? slot(node['right'], source)}`
  }
  return null
}

/** Returns a function from an offset to its line, from 1. */
export function lineCounter(source: string): (offset: number) => number {
  const starts = [0]
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1))
    starts.push(at + 1)
  return (offset) => {
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}

/** Returns a comment without its stars; empty for directives to the linter or the compiler. */
export function commentText(value: string): string {
  return collapse(value.replaceAll(/^\s*\*+ ?/gm, ''))
    .replace(/^(?:oxlint-|eslint-|@ts-|@vite|#__PURE__|v8 |\/ <).*$/, '')
    .trim()
}
