/** Rules for comments and files (CONTRIBUTING.md) that no rule of the linter can express. */
import { parseSync } from 'vite'
import { commentText, isNode, lineCounter, type Node } from './nodes.ts'

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

/** Returns the comments of a source that break a rule, in order. */
export function commentFindings(path: string, source: string): CommentFinding[] {
  const { program, comments } = parseSync(path, source)
  const lineAt = lineCounter(source)
  const lines = source.split('\n')
  const kinds = new Map(
    (program.body as unknown as Node[]).map((node) => [node.start, kindOf(node)]),
  )
  return comments.flatMap(({ type, start, end, value }) => {
    const [first, last] = [lineAt(start), lineAt(end)]
    const text = commentText(value)
    const rest = source.slice(end)
    const findings: CommentFinding[] = []
    if (type === 'Block' && value.startsWith('*')) {
      const kind = kinds.get(end + (/^\s*/.exec(rest)?.[0].length ?? 0)) ?? null
      if (isUnclear(text, kind)) findings.push({ rule: FIRST_WORD, line: first, text })
    }
    for (let line = first; line <= last; line++) {
      const wide = lines[line - 1] ?? ''
      if (wide.length > COLUMNS && /^\s*(?:\/\/|\/?\*)/.test(wide))
        findings.push({ rule: WIDTH, line, text: wide.trim() })
    }
    // A line comment of the first column between blank lines heads a second idea.
    if (type === 'Line' && source[start - 1] !== ' ' && rest.startsWith('\n\n'))
      findings.push({ rule: SECOND_HEADING, line: first, text })
    return findings
  })
}

function isUnclear(text: string, kind: ReturnType<typeof kindOf>): boolean {
  if (UNCLEAR_START.test(text)) return true
  return kind === 'function' ? !FUNCTION_START.test(text) : kind === 'noun' && ACTION.test(text)
}
