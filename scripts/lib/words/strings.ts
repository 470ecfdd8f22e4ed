/** Finds the strings of a source that people read, and the names of tests. */
import { collapse, isNode, nameOf, slot, textOf, type Node } from './nodes.ts'
import { isProse } from './prose.ts'

/** Attributes and properties whose strings people read even if they are one word. */
const READ_BY_PEOPLE =
  /^(?:title|label|heading|text|hint|help|description|summary|placeholder|alt|why|fix|message|tooltip|words?|note|aria-(?:label|description|roledescription|valuetext))$/

/** Attributes and functions whose strings nobody reads. */
const FOR_MACHINES =
  /^(?:className|class|cn|clsx|key|id|href|src|d|transform|viewBox|type|role|htmlFor|style|data-.*)$/
const MACHINE_CALLS =
  /^(?:cn|clsx|prepare|exec|querySelector(?:All)?|matchMedia|addEventListener|postMessage|RegExp|URL|getItem|setItem|join|split|startsWith|endsWith|includes|replaceAll|getElementById|importSchema|require|pragma|dispatchEvent|setHeader|getHeader|literal|enum)$/

export type Add = (start: number, end: number, text: string) => void

/** Facts about the code around a string that decide who reads it. */
interface StringContext {
  readonly readByPeople: boolean
  readonly forMachines: boolean
}

const NO_CONTEXT: StringContext = { readByPeople: false, forMachines: false }

/** Nodes whose strings nobody reads. */
const WITHOUT_STRINGS = [
  'ImportDeclaration',
  'ExportAllDeclaration',
  'TSLiteralType',
  'TSTypeAnnotation',
  'TSTypeAliasDeclaration',
  'TSInterfaceDeclaration',
  'ImportExpression',
  'TaggedTemplateExpression',
]

/** Nodes whose values are read as the node itself is. */
const PASSING_ON = [
  'ConditionalExpression',
  'LogicalExpression',
  'JSXExpressionContainer',
  'ArrayExpression',
  'ParenthesizedExpression',
  'TSAsExpression',
  'TSSatisfiesExpression',
  'ArrowFunctionExpression',
]

const elementName = (node: Node): string => nameOf((node['openingElement'] as Node)['name'])

const isInline = (node: Node): boolean =>
  /^(?:code|Code|kbd|Kbd|Key|b|strong|em|i|span|a|Link|abbr|Mono)$/.test(elementName(node))

const hasWords = (children: readonly unknown[]): boolean =>
  children.some(
    (child) => isNode(child) && child.type === 'JSXText' && /[A-Za-z]/.test(String(child['value'])),
  )

/** Visits a source and reports its strings, and for tests the names of its tests. */
export class StringVisitor {
  readonly #source: string
  readonly #add: Add
  /** Reports names of tests; null for a source without tests. */
  readonly #addTest: Add | null

  constructor(source: string, add: Add, addTest: Add | null) {
    this.#source = source
    this.#add = add
    this.#addTest = addTest
  }

  visit(node: Node, context: StringContext = NO_CONTEXT): void {
    if (WITHOUT_STRINGS.includes(node.type)) return
    if (PASSING_ON.includes(node.type)) {
      this.#visitValues(node, context)
      return
    }
    switch (node.type) {
      case 'ExpressionStatement':
        if (typeof node['directive'] === 'string') return
        break
      case 'JSXElement':
      case 'JSXFragment':
        if (!hasWords(node['children'] as unknown[])) break
        this.#visitSentence(node)
        return
      case 'JSXAttribute':
      case 'Property':
        this.#visitNamed(node)
        return
      case 'CallExpression':
      case 'NewExpression':
        this.#visitCall(node)
        return
      case 'BinaryExpression':
        if (this.#visitBinary(node, context)) return
        break
      case 'SwitchCase':
        this.#visitAll(node['consequent'] as unknown[])
        return
      case 'Literal': {
        const text = textOf(node, this.#source)
        if (text !== null) this.#addString(node, text, context)
        return
      }
      case 'TemplateLiteral':
        this.#addString(node, textOf(node, this.#source) ?? '', context)
        this.#visitAll(node['expressions'] as unknown[], context)
        return
    }
    this.#visitChildren(node)
  }

  #visitAll(items: readonly unknown[], context: StringContext = NO_CONTEXT): void {
    for (const item of items) if (isNode(item)) this.visit(item, context)
  }

  #visitChildren(node: Node): void {
    for (const [name, value] of Object.entries(node))
      if (name !== 'type' && name !== 'start' && name !== 'end')
        this.#visitAll(Array.isArray(value) ? value : [value])
  }

  #visitValues(node: Node, context: StringContext): void {
    if (isNode(node['test'])) this.visit(node['test'])
    for (const [key, value] of Object.entries(node))
      if (key !== 'test') this.#visitAll(Array.isArray(value) ? value : [value], context)
  }

  #visitNamed(node: Node): void {
    const isAttribute = node.type === 'JSXAttribute'
    const name = nameOf(isAttribute ? node['name'] : node['key'])
    if (node['computed'] === true && isNode(node['key'])) this.visit(node['key'])
    if (isNode(node['value']))
      this.visit(node['value'], {
        readByPeople: READ_BY_PEOPLE.test(name),
        forMachines: isAttribute && FOR_MACHINES.test(name),
      })
  }

  #visitCall(node: Node): void {
    const list = node['arguments'] as unknown[]
    if (this.#addTest !== null && isTestCall(node)) {
      this.#visitTest(node, list, this.#addTest)
      return
    }
    if (isNode(node['callee'])) this.visit(node['callee'])
    const forMachines = MACHINE_CALLS.test(nameOf(node['callee']))
    this.#visitAll(list, { readByPeople: false, forMachines })
  }

  #visitTest(node: Node, [first, ...others]: readonly unknown[], addTest: Add): void {
    const title = isNode(first) ? textOf(first, this.#source) : null
    if (title !== null && isNode(first)) {
      addTest(first.start, first.end, collapse(title))
      for (const { start, end, text } of rowNamesOf(node, title, this.#source))
        addTest(start, end, collapse(text))
    }
    this.#visitAll(others)
  }

  /** Visits a joined text, or the sides of a comparison; returns whether it was either. */
  #visitBinary(node: Node, context: StringContext): boolean {
    if (node['operator'] === '+') {
      const text = textOf(node, this.#source)
      if (text !== null) this.#addString(node, text, context)
      return text !== null
    }
    if (!/^[!=]==?$|^in$/.test(String(node['operator']))) return false
    for (const side of [node['left'], node['right']])
      if (isNode(side) && side.type !== 'Literal') this.visit(side, context)
    return true
  }

  /** Reports an element's children as one sentence, and visits the rest of it. */
  #visitSentence(node: Node): void {
    const children = node['children'] as unknown[]
    const first = children.find(
      (child) => isNode(child) && child.type === 'JSXText' && /\S/.test(String(child['value'])),
    ) as Node
    const last = children.findLast((child): child is Node => isNode(child)) ?? first
    this.#add(
      first.start + (/^\s*/.exec(String(first['value']))?.[0].length ?? 0),
      last.end,
      collapse(this.#sentence(children)),
    )
    if (isNode(node['openingElement'])) this.#visitChildren(node['openingElement'])
    for (const child of children) {
      if (!isNode(child) || child.type === 'JSXText' || this.#isTextExpression(child)) continue
      if (child.type === 'JSXElement' && isInline(child)) this.#visitInline(child)
      else this.visit(child)
    }
  }

  /** Joins JSX children into a sentence: words, values and short elements, such as `<code>`. */
  #sentence(children: readonly unknown[]): string {
    return children
      .map((child) => {
        if (!isNode(child)) return ''
        if (child.type === 'JSXText') return String(child['value'])
        if (child.type === 'JSXExpressionContainer') {
          const value = child['expression']
          return isNode(value) ? (textOf(value, this.#source) ?? slot(value, this.#source)) : ''
        }
        if (child.type === 'JSXElement' && isInline(child)) {
          const inner = this.#sentence(child['children'] as unknown[])
          return /^(?:code|Code|kbd|Kbd|Key)$/.test(elementName(child)) ? `\`${inner}\`` : inner
        }
        return '{…}'
      })
      .join('')
  }

  /** Visits the attributes of an element whose words are already part of a sentence. */
  #visitInline(node: Node): void {
    if (isNode(node['openingElement'])) this.#visitChildren(node['openingElement'])
    for (const child of node['children'] as unknown[]) {
      if (!isNode(child)) continue
      if (child.type === 'JSXElement') this.#visitInline(child)
      else if (
        child.type === 'JSXExpressionContainer' &&
        isNode(child['expression']) &&
        !this.#isTextExpression(child)
      )
        this.visit(child)
    }
  }

  #isTextExpression(node: Node): boolean {
    const value = node.type === 'JSXExpressionContainer' ? node['expression'] : null
    return isNode(value) && textOf(value, this.#source) !== null
  }

  #addString(node: Node, text: string, context: StringContext): void {
    const collapsed = collapse(text)
    if (!context.forMachines && isProse(collapsed, context.readByPeople))
      this.#add(node.start, node.end, collapsed)
  }
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

/** Returns the first strings of a `test.each` table, if the title begins with them (`%s`). */
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
