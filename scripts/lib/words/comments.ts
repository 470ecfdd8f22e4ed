/** Rules for comments and files (CONTRIBUTING.md) that no rule of the linter can express. */
import { parseSync } from 'vite'

export interface CommentFinding {
  /** Broken rule, with the way to mend it. */
  readonly rule: string
  readonly line: number
  readonly text: string
}

const COLUMNS = 100
const FIRST_WORD = 'Begin a function with a verb in the third person, anything else with its noun.'
const WIDTH = `Wrap comments at ${COLUMNS} columns.`
const SECOND_HEADING = 'Move what follows the heading to its own file.'

/** First words that make sense only after another comment or that hide the subject. */
const UNCLEAR_START =
  /^(?:The same|The ones?|As|It|Its|One|What|How|Null|These|Those|This|That|They|Their|Where|When|If|Then|Also|Only|Not|So|But|And|Otherwise|Everything|Same|Like|Both)\b/

const ACTION =
  /^(?:Returns|Stores|Compares|Throws|Creates|Writes|Makes|Builds|Gives|Finds|Deletes|Opens|Sends|Parses)\b/

/** Starts of a function's docstring: a verb in the third person, or the question of a boolean. */
const FUNCTION_START = /^(?:[A-Z][a-z]+(?:-[a-z]+)*s|Whether|Re-[a-z]+s)\b/

type Node = Readonly<Record<string, unknown>> & { readonly type: string; readonly start: number }

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

const FUNCTIONS = ['FunctionDeclaration', 'ArrowFunctionExpression', 'FunctionExpression']

function kindOf(node: Node): 'function' | 'noun' | null {
  if (node.type === 'ExportNamedDeclaration')
    return isNode(node['declaration']) ? kindOf(node['declaration']) : null
  if (node.type === 'FunctionDeclaration') return 'function'
  if (node.type === 'VariableDeclaration') {
    const [first] = node['declarations'] as { init: unknown }[]
    return isNode(first?.init) && FUNCTIONS.includes(first.init.type) ? 'function' : 'noun'
  }
  const isNoun =
    node.type === 'TSInterfaceDeclaration' ||
    node.type === 'TSTypeAliasDeclaration' ||
    node.type === 'ClassDeclaration'
  return isNoun ? 'noun' : null
}

const textOf = (comment: string) =>
  comment
    .replaceAll(/^\s*\*+ ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** Returns the comments of a source that break a rule, in order. */
export function commentFindings(path: string, source: string): CommentFinding[] {
  const { program, comments } = parseSync(path, source)
  const lineAt = (offset: number) => source.slice(0, offset).split('\n').length
  const kinds = new Map(
    (program.body as unknown as Node[]).map((node) => [node.start, kindOf(node)]),
  )
  const docstrings = comments.filter(
    ({ type, value }) => type === 'Block' && value.startsWith('*') && textOf(value) !== '',
  )
  const unclear = docstrings.flatMap(({ start, end, value }): CommentFinding[] => {
    const text = textOf(value)
    const next = end + (/^\s*/.exec(source.slice(end))?.[0].length ?? 0)
    const kind = kinds.get(next) ?? null
    const isUnclear =
      UNCLEAR_START.test(text) ||
      (kind === 'function' && !FUNCTION_START.test(text)) ||
      (kind === 'noun' && ACTION.test(text))
    return isUnclear ? [{ rule: FIRST_WORD, line: lineAt(start), text }] : []
  })
  const lines = source.split('\n')
  const inComment = new Set(
    comments.flatMap(({ start, end }) => {
      const first = lineAt(start)
      return Array.from({ length: lineAt(end) - first + 1 }, (_, index) => first + index)
    }),
  )
  const wide = lines.flatMap((text, index): CommentFinding[] =>
    text.length > COLUMNS && inComment.has(index + 1) && /^\s*(?:\/\/|\/?\*)/.test(text)
      ? [{ rule: WIDTH, line: index + 1, text: text.trim() }]
      : [],
  )
  const headings = comments.flatMap(({ type, start, end, value }): CommentFinding[] => {
    const isAlone = type === 'Line' && (start === 0 || source[start - 1] === '\n')
    const isFollowedByBlank = /^\n\n/.test(source.slice(end))
    return isAlone && isFollowedByBlank
      ? [{ rule: SECOND_HEADING, line: lineAt(start), text: value.trim() }]
      : []
  })
  return [...unclear, ...wide, ...headings].toSorted((left, right) => left.line - right.line)
}
