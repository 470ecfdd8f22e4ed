/** Finds lines and columns in a JSON file that the user wrote, both from 1. */
import { type Path, showPath } from '../../shared/diff/path-pattern.ts'
import { placeAt, syntaxErrorAt } from '../../shared/json/scan.ts'
import { childOf, nodesOf, readJson, stepsOf, type JsonNode } from '../../shared/json/tree.ts'
import type { FileProblem } from '../../shared/model/file-problem.ts'

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

/** Returns the members of an object whose name an earlier one has. */
function duplicatesIn({ children }: JsonNode): JsonNode[] {
  const names = new Set<string>()
  return children.filter(({ name }) => name !== null && names.size === names.add(name).size)
}

export interface JsonFile {
  readonly value: unknown
  problem(path: Path, message: string, fix: string): FileProblem
  /** Returns problems with fields of these names, anywhere in the file. */
  membersNamed(names: readonly string[]): readonly FileProblem[]
  /** Problems with duplicate fields, of which JSON would silently use the last. */
  readonly duplicates: readonly FileProblem[]
}

/**
 * Parses a file; returns a problem if it isn't JSON.
 * @param whenEmpty - fix of an empty file
 */
export function readJsonFile(text: string, whenEmpty: string): JsonFile | FileProblem {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return syntaxProblem(text, whenEmpty)
  }
  const root = readJson(text)
  const nodes = root === null ? [] : [...nodesOf(root)]
  const at = (path: Path, start: number, message: string, fix: string): FileProblem => ({
    path: path.length === 0 ? '' : showPath(path),
    ...placeAt(text, start),
    message,
    fix,
  })
  return {
    value,
    problem: (path, message, fix) =>
      at(path, root === null ? 0 : nodeAt(root, path).start, message, fix),
    membersNamed: (names) =>
      nodes
        .filter(({ name }) => name !== null && names.includes(name))
        .map((node) => {
          const message = `\`${node.name}\` can't be a field's name.`
          return at(stepsOf(node), node.start, message, 'Rename it.')
        }),
    duplicates: nodes.flatMap(duplicatesIn).map((node) => {
      const message = `\`${node.name}\` appears twice. Only the last one would count.`
      return at(stepsOf(node), node.start, message, 'Remove one of them.')
    }),
  }
}

function syntaxProblem(text: string, whenEmpty: string): FileProblem {
  const offset = syntaxErrorAt(text)
  const position = placeAt(text, offset)
  const fix =
    text.trim() === ''
      ? `The file is empty. ${whenEmpty}`
      : offset >= text.trimEnd().length
        ? "The file ends too early: a quote, bracket or brace isn't closed."
        : `Check line ${position.line} and the end of the line before it for a missing or extra comma, quote or brace, or a comment.`
  return { path: '', ...position, message: "The file isn't valid JSON.", fix }
}
