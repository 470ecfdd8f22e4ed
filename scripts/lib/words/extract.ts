/**
 * Finds the words that people read: strings of the user interface and the command line, comments, test names, and the docs. Sources
 * are parsed, so that class names and SQL don't count as sentences.
 */
import { parseSync } from 'vite'

export type Kind = 'string' | 'comment' | 'test' | 'doc'

export interface Piece {
  readonly kind: Kind
  /** Line of the file, from 1. */
  readonly line: number
  /** Start and end in the file, in characters. */
  readonly start: number
  readonly end: number
  /** Whitespace is collapsed; `{name}` stands for an inserted value (`{…}` if it is long), and backticks for code. */
  readonly text: string
}

type Node = Readonly<Record<string, unknown>> & {
  readonly type: string
  readonly start: number
  readonly end: number
}

/** Attributes and properties whose strings people read even if they are one word. */
const READ_BY_PEOPLE =
  /^(?:title|label|heading|text|hint|help|description|summary|placeholder|alt|why|fix|message|tooltip|words?|note|aria-(?:label|description|roledescription|valuetext))$/

/** Attributes and functions whose strings nobody reads. */
const FOR_MACHINES =
  /^(?:className|class|cn|clsx|key|id|href|src|d|transform|viewBox|type|role|htmlFor|style|data-.*)$/
const MACHINE_CALLS =
  /^(?:cn|clsx|prepare|exec|querySelector(?:All)?|matchMedia|addEventListener|postMessage|RegExp|URL|getItem|setItem|join|split|startsWith|endsWith|includes|replaceAll|getElementById|importSchema|require|pragma|dispatchEvent|setHeader|getHeader|literal|enum)$/

const SQL =
  /\b(?:select|insert|update|delete|create|drop|alter|pragma|attach|with|begin|commit|rollback|union|values)\b[\s\S]*\b(?:from|into|set|table|index|trigger|where|select|transaction|savepoint|values)\b/
const SQL_CASE =
  /\b(?:CASE WHEN|IS NULL|IS NOT NULL|LEFT JOIN|IN \(|NOT IN|CAST\(|SELECT 1|IN INDEXED)|^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|PRAGMA|WITH|BEGIN|AND|OR|WHERE|ORDER|FROM|ON|VALUES|JOIN|LEFT JOIN)\b/
const COMMON =
  /\b(?:the|a|an|of|to|is|are|was|in|on|at|and|or|not|no|for|with|your|this|that|it|its|by|from|as|all|each|one|if|be|has|have|only|more|than|was|were|can|will|did|does|cannot|could|must|what|when|where|which|who|how)\b/i
const STYLE_TOKEN =
  /^-?[a-z0-9]+(?:[-:/.[\]()%#_,!&>*=][a-z0-9\-:/.[\]()%#_,!&>*='"]*)+$|^(?:flex|grid|block|hidden|relative|absolute|sticky|fixed|truncate|border|underline|italic|rounded|outline|shadow|uppercase|peer|group|contents|inline|table|static|resize|transition|isolate|container|antialiased|grow|shrink)$/

function isProse(text: string, readByPeople: boolean): boolean {
  const plain = text.replaceAll(/\{[^{}]*\}/g, ' ').trim()
  if (!/[A-Za-z]{2}/.test(plain)) return false
  if (SQL_CASE.test(plain) || (SQL.test(plain) && !/[.?!]$/.test(plain))) return false
  if (readByPeople) return true
  const tokens = plain.split(/\s+/)
  if (tokens.length === 1) return /^[A-Z][a-z]{2,}[.…:!?]?$/.test(plain)
  if (tokens.some((token) => STYLE_TOKEN.test(token)) && !COMMON.test(plain)) return false
  if (tokens.filter((token) => STYLE_TOKEN.test(token)).length > tokens.length / 2) return false
  return (
    COMMON.test(plain) ||
    tokens.filter((token) => /^[A-Za-z][a-z']+[.,:;?!…]?$/.test(token)).length >= 2
  )
}

const collapse = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

function isNode(value: unknown): value is Node {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { type?: unknown }).type === 'string'
  )
}

function nameOf(node: unknown): string {
  if (!isNode(node)) return ''
  if (node.type === 'MemberExpression') return nameOf(node['property'])
  if (node.type === 'JSXNamespacedName')
    return `${nameOf(node['namespace'])}:${nameOf(node['name'])}`
  if (typeof node['name'] === 'string') return node['name']
  return typeof node['value'] === 'string' ? node['value'] : ''
}

/** An inserted value: its source if that is short. */
function slot(node: unknown, source: string): string {
  const text = isNode(node) ? source.slice(node.start, node.end) : ''
  return text.length > 0 && text.length <= 40 && !/[{}\n`]/.test(text) ? `{${text}}` : '{…}'
}

/** The text of a string or a template, with `{value}` for expressions; null for any other expression. */
function textOf(node: Node, source: string): string | null {
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

/** Returns the line of an offset. */
function lineCounter(source: string): (offset: number) => number {
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

type Add = (start: number, end: number, text: string) => void

/** Facts about the code around a string that decide who reads it. */
interface Surroundings {
  readonly readByPeople: boolean
  readonly forMachines: boolean
}

function stringsOf(program: Node, source: string, add: Add, isTest: boolean, addTest: Add) {
  const none: Surroundings = { readByPeople: false, forMachines: false }

  /** JSX children as one sentence: words, values and short elements within it, such as `<code>`. */
  function sentence(children: readonly unknown[]): string {
    return children
      .map((child) => {
        if (!isNode(child)) return ''
        if (child.type === 'JSXText') return String(child['value'])
        if (child.type === 'JSXExpressionContainer')
          return isNode(child['expression'])
            ? (textOf(child['expression'], source) ?? slot(child['expression'], source))
            : ''
        if (child.type === 'JSXElement' && isInline(child)) {
          const inner = sentence(child['children'] as unknown[])
          return /^(?:code|Code|kbd|Kbd|Key)$/.test(elementName(child)) ? `\`${inner}\`` : inner
        }
        return '{…}'
      })
      .join('')
  }
  const elementName = (node: Node): string => nameOf((node['openingElement'] as Node)['name'])
  const isInline = (node: Node): boolean =>
    /^(?:code|Code|kbd|Kbd|Key|b|strong|em|i|span|a|Link|abbr|Mono)$/.test(elementName(node))
  const hasWords = (children: readonly unknown[]): boolean =>
    children.some(
      (child) =>
        isNode(child) && child.type === 'JSXText' && /[A-Za-z]/.test(String(child['value'])),
    )

  function visitChildren(node: Node, around: Surroundings): void {
    for (const [name, value] of Object.entries(node)) {
      if (name === 'type' || name === 'start' || name === 'end') continue
      for (const item of Array.isArray(value) ? value : [value])
        if (isNode(item)) visit(item, around)
    }
  }

  function visit(node: Node, around: Surroundings): void {
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
      case 'TSLiteralType':
      case 'TSTypeAnnotation':
      case 'TSTypeAliasDeclaration':
      case 'TSInterfaceDeclaration':
      case 'ImportExpression':
      case 'TaggedTemplateExpression':
        return
      case 'ExpressionStatement':
        if (typeof node['directive'] === 'string') return
        break
      case 'JSXElement':
      case 'JSXFragment': {
        const children = node['children'] as unknown[]
        if (hasWords(children)) {
          const first = children.find(
            (child) =>
              isNode(child) && child.type === 'JSXText' && /\S/.test(String(child['value'])),
          ) as Node
          const last = children.findLast((child): child is Node => isNode(child)) ?? first
          add(
            first.start + (/^\s*/.exec(String(first['value']))?.[0].length ?? 0),
            last.end,
            collapse(sentence(children)),
          )
          if (isNode(node['openingElement'])) visitChildren(node['openingElement'], none)
          for (const child of children) {
            if (!isNode(child) || child.type === 'JSXText') continue
            if (
              child.type === 'JSXExpressionContainer' &&
              isNode(child['expression']) &&
              textOf(child['expression'], source) !== null
            )
              continue
            if (child.type === 'JSXElement' && isInline(child)) visitInline(child)
            else visit(child, none)
          }
          return
        }
        break
      }
      case 'JSXAttribute': {
        const name = nameOf(node['name'])
        if (isNode(node['value']))
          visit(node['value'], {
            readByPeople: READ_BY_PEOPLE.test(name),
            forMachines: FOR_MACHINES.test(name),
          })
        return
      }
      case 'Property': {
        const name = nameOf(node['key'])
        if (node['computed'] === true && isNode(node['key'])) visit(node['key'], none)
        if (isNode(node['value']))
          visit(node['value'], { readByPeople: READ_BY_PEOPLE.test(name), forMachines: false })
        return
      }
      case 'CallExpression':
      case 'NewExpression': {
        const name = nameOf(node['callee'])
        const list = node['arguments'] as unknown[]
        if (isTest && isTestCall(node)) {
          const title = isNode(list[0]) ? textOf(list[0], source) : null
          if (title !== null && isNode(list[0]))
            addTest(list[0].start, list[0].end, collapse(title))
          if (title !== null)
            for (const { start, end, text } of rowNamesOf(node, title, source))
              addTest(start, end, collapse(text))
          for (const item of list.slice(1)) if (isNode(item)) visit(item, none)
          return
        }
        if (isNode(node['callee'])) visit(node['callee'], none)
        for (const item of list)
          if (isNode(item))
            visit(item, { readByPeople: false, forMachines: MACHINE_CALLS.test(name) })
        return
      }
      case 'BinaryExpression':
        if (node['operator'] === '+') {
          const text = textOf(node, source)
          if (text !== null) return found(node, text, around)
        } else if (/^[!=]==?$|^in$/.test(String(node['operator']))) {
          for (const side of [node['left'], node['right']])
            if (isNode(side) && side.type !== 'Literal') visit(side, around)
          return
        }
        break
      case 'SwitchCase':
        for (const item of node['consequent'] as unknown[]) if (isNode(item)) visit(item, none)
        return
      case 'Literal': {
        const text = textOf(node, source)
        if (text !== null) found(node, text, around)
        return
      }
      case 'TemplateLiteral': {
        found(node, textOf(node, source) ?? '', around)
        for (const item of node['expressions'] as unknown[]) if (isNode(item)) visit(item, around)
        return
      }
      case 'ConditionalExpression':
      case 'LogicalExpression':
      case 'JSXExpressionContainer':
      case 'ArrayExpression':
      case 'ParenthesizedExpression':
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'ArrowFunctionExpression':
        if (isNode(node['test'])) visit(node['test'], none)
        for (const [key, value] of Object.entries(node))
          if (key !== 'test')
            for (const item of Array.isArray(value) ? value : [value])
              if (isNode(item)) visit(item, around)
        return
    }
    visitChildren(node, none)
  }

  /** The attributes of an element whose words are already part of a sentence. */
  function visitInline(node: Node): void {
    if (isNode(node['openingElement'])) visitChildren(node['openingElement'], none)
    for (const child of node['children'] as unknown[]) {
      if (!isNode(child)) continue
      if (child.type === 'JSXElement') visitInline(child)
      else if (
        child.type === 'JSXExpressionContainer' &&
        isNode(child['expression']) &&
        textOf(child['expression'], source) === null
      )
        visit(child, none)
    }
  }

  function found(node: Node, text: string, around: Surroundings): void {
    const collapsed = collapse(text)
    if (!around.forMachines && isProse(collapsed, around.readByPeople))
      add(node.start, node.end, collapsed)
  }

  visit(program, none)
}

function isTestCall(node: Node): boolean {
  let callee: unknown = node['callee']
  while (isNode(callee) && (callee.type === 'MemberExpression' || callee.type === 'CallExpression'))
    callee = callee.type === 'MemberExpression' ? callee['object'] : callee['callee']
  return (
    isNode(callee) &&
    callee.type === 'Identifier' &&
    /^(?:test|it|describe)$/.test(String(callee['name']))
  )
}

/** Names of the rows of a `test.each([['name', …]])('%s does this')`: their first strings, if the title begins with them. */
function rowNamesOf(
  node: Node,
  title: string,
  source: string,
): { start: number; end: number; text: string }[] {
  const { callee } = node
  if (
    !/^%s(?: |$)/.test(title) ||
    !isNode(callee) ||
    callee.type !== 'CallExpression' ||
    nameOf(callee['callee']) !== 'each'
  )
    return []
  const [rows] = callee['arguments'] as unknown[]
  if (!isNode(rows) || rows.type !== 'ArrayExpression') return []
  return (rows['elements'] as unknown[]).flatMap((row) => {
    if (!isNode(row) || row.type !== 'ArrayExpression') return []
    const [first] = row['elements'] as unknown[]
    const text = isNode(first) ? textOf(first, source) : null
    return isNode(first) && text !== null && isProse(collapse(text), false)
      ? [{ start: first.start, end: first.end, text }]
      : []
  })
}

/** A comment without its stars. Directives for the linter or the compiler aren't comments that people read. */
function commentText(value: string): string {
  return collapse(value.replaceAll(/^\s*\*+ ?/gm, ''))
    .replace(/^(?:oxlint-|eslint-|@ts-|@vite|#__PURE__|prettier-|v8 |\/ <).*$/, '')
    .trim()
}

/** Every piece of a source file (`.ts`, `.tsx`, `.mjs`), in order. For tests, only names and comments are listed. */
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
  stringsOf(
    program as unknown as Node,
    source,
    listsStrings ? adder('string') : () => undefined,
    isTest,
    adder('test'),
  )
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

/** Every paragraph, heading, item and table cell of a Markdown page. Code is left out, links keep their words. */
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

/** Number of words; code and inserted values count as one. */
export function countWords(text: string): number {
  return (
    text.replaceAll(/`[^`]*`|\{[^{}]*\}/g, ' x ').match(/[\p{L}\p{N}][\p{L}\p{N}'’.-]*/gu)
      ?.length ?? 0
  )
}
