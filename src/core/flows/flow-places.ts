/** Where in the text of a flow's file something stands: lines and columns, both counted from 1. */
import { createInterner } from '../../shared/json/interner.ts'
import { readJson, type JsonDocument, type JsonNode } from '../../shared/json/document.ts'
import { placeAt, syntaxErrorAt } from '../../shared/json/scan.ts'
import { showPath, type Path } from '../../shared/diff/path.ts'
import type { FlowProblem } from '../../shared/model/flow-run.ts'

/** The place of a path: of its value, or of what should hold it where there is none. */
function nodeAt(root: JsonNode, path: Path): JsonNode {
  let node = root
  for (const step of path) {
    const index = typeof step === 'number' ? step : node.names.lastIndexOf(step)
    const child = node.children[index]
    if (child === undefined) return node
    node = child
  }
  return node
}

function duplicateNames(node: JsonNode, path: Path): { readonly path: Path; readonly node: JsonNode }[] {
  return node.children.flatMap((child, index) => {
    const name = node.names[index]
    const here: Path = [...path, name ?? index]
    const isAgain = name !== undefined && node.names.indexOf(name) < index
    return [...(isAgain ? [{ path: here, node: child }] : []), ...duplicateNames(child, here)]
  })
}

export interface FlowText {
  readonly value: unknown
  problem(path: Path, message: string, fix: string): FlowProblem
  /** Fields that stand there twice: JSON would quietly take the last. */
  readonly duplicates: readonly FlowProblem[]
}

/** Reads the text of a file. Gives the problem where it is no JSON. */
export function readFlowText(text: string): FlowText | FlowProblem {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return syntaxProblem(text)
  }
  const document: JsonDocument | null = readJson(text, createInterner())
  const place = (path: Path) => placeAt(text, document === null ? 0 : nodeAt(document.root, path).start)
  const problem = (path: Path, message: string, fix: string): FlowProblem => ({
    path: path.length === 0 ? '' : showPath(path),
    ...place(path),
    message,
    fix,
  })
  const duplicates = document === null ? [] : duplicateNames(document.root, [])
  return {
    value,
    problem,
    duplicates: duplicates.map(({ path, node }) => ({
      path: showPath(path),
      ...placeAt(text, node.start),
      message: `\`${String(path.at(-1))}\` stands there twice, and only the last one would count.`,
      fix: 'Keep one of them.',
    })),
  }
}

function syntaxProblem(text: string): FlowProblem {
  const offset = syntaxErrorAt(text)
  const place = placeAt(text, offset)
  const fix =
    text.trim() === ''
      ? 'It is empty: write an object with `flow`, `name`, `title` and `steps`.'
      : offset >= text.trimEnd().length
        ? 'It ends too early: a quote, a bracket or a brace is not closed.'
        : `Look at line ${place.line}, and at the end of the line before: a comma too many or too few, a quote or a brace that is missing, a comment.`
  return { path: '', ...place, message: 'The file is no JSON.', fix }
}
