/**
 * Reads a flow file and reports all problems at once, each with its field, line, column and fix.
 */
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import {
  flowHookSchema,
  flowSchema,
  flowStepSchema,
  type Flow,
  flowComparisonSchema,
} from '../../shared/model/flow.ts'
import { type FileProblem, problemLines } from '../../shared/model/file-problem.ts'
import { readJsonFile } from '../base/json-file.ts'
import {
  type ExplainIssue,
  kindOf,
  listOf,
  parseFileValue,
  issueProblems,
  fileValueAt,
} from '../base/schema-problems.ts'
import { type ReadableFlow, flowFileProblems } from './flow-file-problems.ts'

type Issue = z.core.$ZodIssue

/** Explains issues that only flows have. */
const explainFlowIssue: ExplainIssue = (issue, name, value) => {
  if (issue.code === 'custom')
    return [issue.message, `Use one of: ${Object.keys(flowComparisonSchema.shape).join(', ')}.`]
  if (issue.code !== 'invalid_union') return null
  const { discriminator, options } = issue as {
    discriminator?: string
    options?: readonly unknown[]
  }
  if (discriminator === undefined)
    return [
      `${name} is ${kindOf(value)}.`,
      'Expected a string, a number, true, false, null, or an object of comparisons.',
    ]
  const kinds = listOf(options ?? [])
  return value === undefined
    ? ['The step has no `kind`.', `Add one of: ${kinds}.`]
    : [`Unknown step kind ${JSON.stringify(value)}.`, `Use one of: ${kinds}.`]
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
    const field = fileValueAt(item, [name])
    return typeof field === 'string' ? field : undefined
  }
  const items = (list: string): unknown[] => {
    const member = fileValueAt(value, [list])
    return Array.isArray(member) ? member : []
  }
  return {
    mode: flowSchema.shape.mode.safeParse(fileValueAt(value, ['mode'])).data ?? null,
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
): { readonly flow: Flow } | { readonly problems: readonly FileProblem[] } {
  const source = readJsonFile(text, 'Write an object with `flow`, `name`, `title` and `steps`.')
  if (!('value' in source)) return { problems: [source] }
  const parsed = parseFileValue(flowSchema, source.value)
  const issues = parsed.success
    ? []
    : parsed.error.issues
        .filter(isOwnIssue)
        .flatMap((issue) => issueProblems(issue, source, explainFlowIssue))
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
  const { problems } = checked
  throw new AppError('INVALID_FLOW', problemLines(file, problems), { details: problems })
}

/** Returns the published schema of flow files (`docs/flow.schema.json`). */
export function flowJsonSchema(): object {
  return { title: 'A Countersign flow', ...z.toJSONSchema(flowSchema, { io: 'input' }) }
}
