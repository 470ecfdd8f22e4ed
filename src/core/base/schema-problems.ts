/** Explains what is wrong with a file's values: each zod issue as a message and a fix. */
import { z } from 'zod'
import type { Path } from '../../shared/diff/path-pattern.ts'
import type { FileProblem } from '../../shared/model/file-problem.ts'
import { likelyNames } from '../../shared/query/problem.ts'
import type { JsonFile } from './json-file.ts'

type Issue = z.core.$ZodIssue

/** Function that explains issues of one kind of file; null for all others. */
export type ExplainIssue = (
  issue: Issue,
  name: string,
  value: unknown,
) => readonly [message: string, fix: string] | null

export function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  const kinds: Readonly<Record<string, string>> = {
    object: 'an object',
    string: 'a string',
    number: 'a number',
    boolean: 'true or false',
  }
  return kinds[typeof value] ?? 'another type'
}

const expectedKinds: Readonly<Record<string, string>> = {
  string: 'a string in quotes',
  number: 'a number without quotes',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array in square brackets',
  object: 'an object in braces',
  record: 'an object in braces',
}

export function fileValueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (parent, step) =>
      typeof parent === 'object' && parent !== null
        ? (parent as Record<PropertyKey, unknown>)[step]
        : undefined,
    root,
  )
}

/** Parses a file's value. Issues with unknown fields have the allowed ones as their message. */
export function parseFileValue<Schema extends z.ZodType>(schema: Schema, value: unknown) {
  return schema.safeParse(value, {
    error: ({ inst }) =>
      inst instanceof z.ZodObject ? Object.keys(inst.shape).join(', ') : undefined,
  })
}

export function listOf(values: readonly unknown[]): string {
  return values
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join(', ')
}

/** Returns the problems of an issue, with their places in the file. */
export function issueProblems(issue: Issue, file: JsonFile, explain: ExplainIssue): FileProblem[] {
  const path = issue.path as Path
  const value = fileValueAt(file.value, issue.path)
  const name = path.length === 0 ? 'The file' : `\`${String(path.at(-1))}\``
  const report = (message: string, fix: string, position: Path = path) => [
    file.problem(position, message, fix),
  ]
  const explained = explain(issue, name, value)
  if (explained !== null) return report(...explained)
  switch (issue.code) {
    case 'unrecognized_keys': {
      return issue.keys.flatMap((key) => {
        const [guess] = likelyNames(key, issue.message.split(', '))
        const fix =
          guess === undefined
            ? `Remove it, or use one of: ${issue.message}.`
            : `Did you mean \`${guess}\`?`
        return report(`Unknown field \`${key}\`.`, fix, [...path, key])
      })
    }
    case 'invalid_type': {
      const expectedKind = expectedKinds[issue.expected] ?? issue.expected
      return value === undefined
        ? report(`${name} is missing.`, `Add it as ${expectedKind}.`)
        : report(`${name} is ${kindOf(value)}.`, `Expected ${expectedKind}.`)
    }
    case 'invalid_value': {
      if (value === undefined) {
        const [only, ...otherValues] = issue.values
        const fix =
          otherValues.length === 0
            ? `Add it as ${String(only)}.`
            : `Add it with one of: ${listOf(issue.values)}.`
        return report(`${name} is missing.`, fix)
      }
      const [guess] = typeof value === 'string' ? likelyNames(value, issue.values.map(String)) : []
      return report(
        `${name} is ${JSON.stringify(value)}, which isn't allowed.`,
        `${guess === undefined ? '' : `Did you mean ${guess}? `}Use one of: ${listOf(issue.values)}.`,
      )
    }
    case 'invalid_format':
      return report(`${name} is ${JSON.stringify(value)}.`, issue.message)
    case 'too_small':
    case 'too_big':
      return report(
        `${name} is ${Array.isArray(value) ? `an array of ${value.length}` : typeof value === 'string' ? `${value.length} characters long` : JSON.stringify(value)}.`,
        `Expected ${issue.code === 'too_small' ? `at least ${String(issue.minimum)}` : `at most ${String(issue.maximum)}`}.`,
      )
    case 'invalid_key':
      return report('A field has no name.', 'Name it, or remove it.')
    default:
      return report(issue.message, '')
  }
}
