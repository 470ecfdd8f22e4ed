/**
 * Reads a flow file and reports all problems at once, each with its field, line, column and fix.
 */
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import type { Path } from '../../shared/diff/path-pattern.ts'
import {
  flowHookSchema,
  flowSchema,
  flowStepSchema,
  type Flow,
  flowComparisonSchema,
} from '../../shared/model/flow.ts'
import type { FlowProblem } from '../../shared/model/flow-run.ts'
import { likelyNames } from '../../shared/query/problem.ts'
import { type ReadableFlow, flowFileProblems } from './flow-file-problems.ts'
import { type FlowText, readFlowText } from './flow-text.ts'

type Issue = z.core.$ZodIssue

function kindOf(value: unknown): string {
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

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (parent, step) =>
      typeof parent === 'object' && parent !== null
        ? (parent as Record<PropertyKey, unknown>)[step]
        : undefined,
    root,
  )
}

/** Parses a flow. Issues with unknown fields have the allowed ones as their message. */
function parseFlow(value: unknown) {
  return flowSchema.safeParse(value, {
    error: ({ inst }) =>
      inst instanceof z.ZodObject ? Object.keys(inst.shape).join(', ') : undefined,
  })
}

function listOf(values: readonly unknown[]): string {
  return values
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join(', ')
}

function problemsOf(issue: Issue, text: FlowText): FlowProblem[] {
  const path = issue.path as Path
  const value = valueAt(text.value, issue.path)
  const name = path.length === 0 ? 'The file' : `\`${String(path.at(-1))}\``
  const report = (message: string, fix: string, position: Path = path) => [
    text.problem(position, message, fix),
  ]
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
    case 'invalid_union': {
      const { discriminator, options } = issue as {
        discriminator?: string
        options?: readonly unknown[]
      }
      if (discriminator === undefined)
        return report(
          `${name} is ${kindOf(value)}.`,
          'Expected a string, a number, true, false, null, or an object of comparisons.',
        )
      return value === undefined
        ? report('The step has no `kind`.', `Add one of: ${listOf(options ?? [])}.`)
        : report(
            `Unknown step kind ${JSON.stringify(value)}.`,
            `Use one of: ${listOf(options ?? [])}.`,
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
      return report(
        issue.message,
        `Use one of: ${Object.keys(flowComparisonSchema.shape).join(', ')}.`,
      )
  }
}

/**
 * Whether an issue isn't just the "empty rule" that follows from an unknown comparison, itself
 * reported.
 */
function isOwnIssue(issue: Issue, _index: number, issues: readonly Issue[]): boolean {
  return (
    issue.code !== 'custom' ||
    !issues.some(
      ({ code, path }) => code === 'unrecognized_keys' && path.join('.') === issue.path.join('.'),
    )
  )
}

/** Reads the valid parts of an invalid file. */
function readableFlow(value: unknown): ReadableFlow {
  const text = (item: unknown, name: string) => {
    const field = valueAt(item, [name])
    return typeof field === 'string' ? field : undefined
  }
  const items = (list: string): unknown[] => {
    const member = valueAt(value, [list])
    return Array.isArray(member) ? member : []
  }
  return {
    mode: flowSchema.shape.mode.safeParse(valueAt(value, ['mode'])).data ?? null,
    hooks: items('hooks').map(
      (hook) => flowHookSchema.safeParse(hook).data ?? { event: null, id: text(hook, 'id') },
    ),
    steps: items('steps').map(
      (step) =>
        flowStepSchema.safeParse(step).data ?? {
          kind: 'unread',
          name: text(step, 'name'),
          as: text(step, 'as'),
        },
    ),
  }
}

/** Returns the flow, or all problems in the order of the text. */
export function parseFlowFile(
  text: string,
): { readonly flow: Flow } | { readonly problems: readonly FlowProblem[] } {
  const source = readFlowText(text)
  if (!('value' in source)) return { problems: [source] }
  const parsed = parseFlow(source.value)
  const issues = parsed.success
    ? []
    : parsed.error.issues.filter(isOwnIssue).flatMap((issue) => problemsOf(issue, source))
  const rules = flowFileProblems(readableFlow(source.value)).map(({ path, message, fix }) =>
    source.problem(path, message, fix),
  )
  const problems = [...source.duplicates, ...issues, ...rules]
  if (parsed.success && problems.length === 0) return { flow: parsed.data }
  return {
    problems: problems.sort((left, right) => left.line - right.line || left.column - right.column),
  }
}

/** Throws `INVALID_FLOW` with one line per problem of the file, and the problems as details. */
export function readFlow(text: string, file: string): Flow {
  const checked = parseFlowFile(text)
  if ('flow' in checked) return checked.flow
  const lines = checked.problems.map(
    ({ line, column, path, message, fix }) =>
      `${file}:${line}:${column}${path === '' ? '' : ` ${path}:`} ${message} ${fix}`,
  )
  throw new AppError('INVALID_FLOW', lines.join('\n'), { details: checked.problems })
}

/** Returns the published schema of flow files (`docs/flow.schema.json`). */
export function flowJsonSchema(): object {
  return { title: 'A Countersign flow', ...z.toJSONSchema(flowSchema, { io: 'input' }) }
}
