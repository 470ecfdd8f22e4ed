/** Finds lines and columns in a flow file, both from 1. */
import { type Path, showPath } from '../../shared/diff/path-pattern.ts'
import { placeAt, syntaxErrorAt } from '../../shared/json/scan.ts'
import { childOf, nodesOf, readJson, stepsOf, type JsonNode } from '../../shared/json/tree.ts'
import type { FlowProblem } from '../../shared/model/flow-run.ts'

/** Returns the node of a path, or the innermost one on the way to it. */
function nodeAt(root: JsonNode, path: Path): JsonNode {
  let node = root
  for (const step of path) {
    const child = childOf(node, step)
    if (child === null) return node
    node = child
  }
  return node
}

/** Returns the members whose name an earlier member of the same object has. */
function duplicatesIn(root: JsonNode): JsonNode[] {
  return [...nodesOf(root)].flatMap(({ children }) => {
    const names = new Set<string>()
    return children.filter(({ name }) => name !== null && names.size === names.add(name).size)
  })
}

export interface FlowText {
  readonly value: unknown
  problem(path: Path, message: string, fix: string): FlowProblem
  /** Problems with duplicate fields, of which JSON would silently use the last. */
  readonly duplicates: readonly FlowProblem[]
}

/** Parses a file; returns a problem if it isn't JSON. */
export function readFlowText(text: string): FlowText | FlowProblem {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return syntaxProblem(text)
  }
  const root = readJson(text)
  const placeOf = (path: Path) => placeAt(text, root === null ? 0 : nodeAt(root, path).start)
  const problem = (path: Path, message: string, fix: string): FlowProblem => ({
    path: path.length === 0 ? '' : showPath(path),
    ...placeOf(path),
    message,
    fix,
  })
  const duplicates = root === null ? [] : duplicatesIn(root)
  return {
    value,
    problem,
    duplicates: duplicates.map((node) => ({
      path: showPath(stepsOf(node)),
      ...placeAt(text, node.start),
      message: `\`${node.name}\` appears twice. Only the last one would count.`,
      fix: 'Remove one of them.',
    })),
  }
}

function syntaxProblem(text: string): FlowProblem {
  const offset = syntaxErrorAt(text)
  const position = placeAt(text, offset)
  const fix =
    text.trim() === ''
      ? 'The file is empty. Write an object with `flow`, `name`, `title` and `steps`.'
      : offset >= text.trimEnd().length
        ? "The file ends too early: a quote, bracket or brace isn't closed."
        : `Check line ${position.line} and the end of the line before it for a missing or extra comma, quote or brace, or a comment.`
  return { path: '', ...position, message: "The file isn't valid JSON.", fix }
}
