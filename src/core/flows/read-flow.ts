/** Reads a flow file. Reports all problems at once, each with its field, line, column and fix. */
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import { type Path, showPath } from '../../shared/diff/path.ts'
import {
  flowHookSchema,
  flowSchema,
  flowStepSchema,
  type Flow,
  type FlowProblem,
  type FlowHook,
  type FlowStep,
  flowComparisonSchema,
} from '../../shared/model/flow.ts'
import { nearest } from '../../shared/query/problem.ts'
import { placeAt, syntaxErrorAt } from '../../shared/json/scan.ts'
import { childOf, nodesOf, readJson, stepsOf, type JsonNode } from '../../shared/json/tree.ts'
import { isQualifiedEvent } from '../../shared/service/event-type.ts'
import { MAX_HOOKS_PER_EVENT } from '../../shared/service/limits.ts'
import { stepNames } from './plan.ts'
import { referencesIn } from './rules.ts'

type Issue = z.core.$ZodIssue

/** Names a value's type for the file's author. */
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

const wantedKinds: Readonly<Record<string, string>> = {
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
    (at, step) =>
      typeof at === 'object' && at !== null
        ? (at as Record<PropertyKey, unknown>)[step]
        : undefined,
    root,
  )
}

/** Parses a flow. The message of an issue with unknown fields is the list of the allowed ones. */
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
  const one = (message: string, fix: string, at: Path = path) => [text.problem(at, message, fix)]
  switch (issue.code) {
    case 'unrecognized_keys': {
      return issue.keys.flatMap((key) => {
        const [guess] = nearest(key, issue.message.split(', '))
        const fix =
          guess === undefined
            ? `Remove it, or use one of: ${issue.message}.`
            : `Did you mean \`${guess}\`?`
        return one(`Unknown field \`${key}\`.`, fix, [...path, key])
      })
    }
    case 'invalid_type': {
      const wanted = wantedKinds[issue.expected] ?? issue.expected
      return value === undefined
        ? one(`${name} is missing.`, `Add it as ${wanted}.`)
        : one(`${name} is ${kindOf(value)}.`, `Expected ${wanted}.`)
    }
    case 'invalid_value': {
      if (value === undefined) {
        const [only, ...others] = issue.values
        const fix =
          others.length === 0
            ? `Add it as ${String(only)}.`
            : `Add it with one of: ${listOf(issue.values)}.`
        return one(`${name} is missing.`, fix)
      }
      const [guess] = typeof value === 'string' ? nearest(value, issue.values.map(String)) : []
      return one(
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
        return one(
          `${name} is ${kindOf(value)}.`,
          'Expected a string, a number, true, false, null, or an object of comparisons.',
        )
      return value === undefined
        ? one('The step has no `kind`.', `Add one of: ${listOf(options ?? [])}.`)
        : one(
            `Unknown step kind ${JSON.stringify(value)}.`,
            `Use one of: ${listOf(options ?? [])}.`,
          )
    }
    case 'invalid_format':
      return one(`${name} is ${JSON.stringify(value)}.`, issue.message)
    case 'too_small':
    case 'too_big':
      return one(
        `${name} is ${Array.isArray(value) ? `an array of ${value.length}` : typeof value === 'string' ? `${value.length} characters long` : JSON.stringify(value)}.`,
        `Expected ${issue.code === 'too_small' ? `at least ${String(issue.minimum)}` : `at most ${String(issue.maximum)}`}.`,
      )
    case 'invalid_key':
      return one('A field has no name.', 'Name it, or remove it.')
    default:
      return one(
        issue.message,
        `Use one of: ${Object.keys(flowComparisonSchema.shape).join(', ')}.`,
      )
  }
}

/** Drops the "empty rule" error of a rule that only has an unknown comparison, which is reported already. */
function isNotAnEcho(issue: Issue, _index: number, all: readonly Issue[]): boolean {
  return (
    issue.code !== 'custom' ||
    !all.some(
      ({ code, path }) => code === 'unrecognized_keys' && path.join('.') === issue.path.join('.'),
    )
  )
}

/** The valid parts of an invalid file. */
function readableFlow(value: unknown): ReadableFlow {
  const text = (item: unknown, name: string) => {
    const found = valueAt(item, [name])
    return typeof found === 'string' ? found : undefined
  }
  const items = (list: string): unknown[] => {
    const found = valueAt(value, [list])
    return Array.isArray(found) ? found : []
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
export function checkFlow(
  text: string,
): { readonly flow: Flow } | { readonly problems: readonly FlowProblem[] } {
  const read = readFlowText(text)
  if (!('value' in read)) return { problems: [read] }
  const parsed = parseFlow(read.value)
  const issues = parsed.success
    ? []
    : parsed.error.issues.filter(isNotAnEcho).flatMap((issue) => problemsOf(issue, read))
  const rules = brokenRules(readableFlow(read.value)).map(({ path, message, fix }) =>
    read.problem(path, message, fix),
  )
  const problems = [...read.duplicates, ...issues, ...rules]
  if (parsed.success && problems.length === 0) return { flow: parsed.data }
  return {
    problems: problems.sort((left, right) => left.line - right.line || left.column - right.column),
  }
}

/** Throws `INVALID_FLOW` with one line per problem, and the problems as details. `file` is the name shown. */
export function readFlow(text: string, file: string): Flow {
  const checked = checkFlow(text)
  if ('flow' in checked) return checked.flow
  const lines = checked.problems.map(
    ({ line, column, path, message, fix }) =>
      `${file}:${line}:${column}${path === '' ? '' : ` ${path}:`} ${message} ${fix}`,
  )
  throw new AppError('INVALID_FLOW', lines.join('\n'), { details: checked.problems })
}

/** The published schema of flow files (`docs/flow.schema.json`), generated from the schema used here. */
export function flowJsonSchema(): object {
  return { title: 'A Countersign flow', ...z.toJSONSchema(flowSchema, { io: 'input' }) }
}

// Finds lines and columns in a flow file, both from 1.

/** The position of a path's value, or of its parent if it is missing. */
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

interface FlowText {
  readonly value: unknown
  problem(path: Path, message: string, fix: string): FlowProblem
  /** Duplicate fields: JSON would silently use the last one. */
  readonly duplicates: readonly FlowProblem[]
}

/** Parses a file. Returns a problem if it isn't JSON. */
function readFlowText(text: string): FlowText | FlowProblem {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return syntaxProblem(text)
  }
  const root = readJson(text)
  const place = (path: Path) => placeAt(text, root === null ? 0 : nodeAt(root, path).start)
  const problem = (path: Path, message: string, fix: string): FlowProblem => ({
    path: path.length === 0 ? '' : showPath(path),
    ...place(path),
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
  const place = placeAt(text, offset)
  const fix =
    text.trim() === ''
      ? 'The file is empty. Write an object with `flow`, `name`, `title` and `steps`.'
      : offset >= text.trimEnd().length
        ? "The file ends too early: a quote, bracket or brace isn't closed."
        : `Check line ${place.line} and the end of the line before it for a missing or extra comma, quote or brace, or a comment.`
  return { path: '', ...place, message: "The file isn't valid JSON.", fix }
}

// Rules that a JSON schema can't express: names must be defined before use, and limits of the spec.

interface BrokenRule {
  readonly path: Path
  readonly message: string
  readonly fix: string
}

/** A hook with schema errors. It isn't checked further, but other steps may refer to it. */
interface UnreadHook {
  readonly event: null
  readonly id: string | undefined
}

/** A step with schema errors. It isn't checked further, but later steps may refer to its result. */
interface UnreadStep {
  readonly kind: 'unread'
  readonly name: string | undefined
  readonly as: string | undefined
}

interface ReadableFlow {
  readonly mode: Flow['mode'] | null
  readonly hooks: readonly (FlowHook | UnreadHook)[]
  readonly steps: readonly (FlowStep | UnreadStep)[]
}

function* checkHooks(hooks: ReadableFlow['hooks']): Generator<BrokenRule> {
  for (const [index, { id, event, ...hook }] of hooks.entries()) {
    if (event === null) continue
    const path = ['hooks', index]
    const before = hooks.slice(0, index)
    if (before.some((other) => other.id === id))
      yield {
        path: [...path, 'id'],
        message: `Hook "${id}" already exists.`,
        fix: 'Give each hook a unique id.',
      }
    if ('offerId' in hook && hook.offerId !== undefined && !isQualifiedEvent(event))
      yield {
        path: [...path, 'offerId'],
        message: `A hook for ${event} can't have an offerId (spec 4.2).`,
        fix: 'Remove it, or use the .qualified event.',
      }
    const same = before.filter((other) => other.event === event).length
    if (same === MAX_HOOKS_PER_EVENT)
      yield {
        path,
        message: `This is hook ${same + 1} for ${event}. The limit is ${MAX_HOOKS_PER_EVENT} (spec 8).`,
        fix: 'Remove a hook.',
      }
  }
}

function* checkReferences(
  step: FlowStep,
  path: Path,
  known: ReadonlySet<string>,
): Generator<BrokenRule> {
  const names =
    known.size === 0 ? 'No earlier step saves its result' : `Known here: ${[...known].join(', ')}`
  for (const { name, text, path: inside } of referencesIn(step))
    if (name === null)
      yield {
        path: [...path, ...inside],
        message: `${text} isn't a valid reference.`,
        fix: 'Write references as ${name.path}.',
      }
    else if (!known.has(name))
      yield {
        path: [...path, ...inside],
        message: `${text} is unknown at this step.`,
        fix: `${names}. Add \`"as": "${name}"\` to an earlier step.`,
      }
}

function checkPatterns(value: unknown, path: Path): BrokenRule[] {
  if (typeof value !== 'object' || value === null) return []
  const comparison = flowComparisonSchema.safeParse(value)
  const pattern = comparison.success ? comparison.data.matches : undefined
  if (pattern === undefined)
    return Object.entries(value).flatMap(([name, item]) => checkPatterns(item, [...path, name]))
  try {
    return new RegExp(pattern, 'u').test('') ? [] : []
  } catch {
    return [
      {
        path: [...path, 'matches'],
        message: `${pattern} isn't a valid regular expression.`,
        fix: 'Fix it, or use "is".',
      },
    ]
  }
}

function brokenRules({ hooks, steps, mode }: ReadableFlow): BrokenRule[] {
  const known = new Set<string>()
  const deliveries = new Set<string>()
  const names = stepNames({ steps })
  const broken = [...checkHooks(hooks)]
  for (const [index, step] of steps.entries()) {
    const path: Path = ['steps', index]
    const add = (field: string, message: string, fix: string) =>
      broken.push({ path: [...path, field], message, fix })
    const needsDelivery = (field: string, saved: string | undefined) => {
      if (saved !== undefined && !deliveries.has(saved))
        add(
          field,
          `No earlier delivery is saved as "${saved}".`,
          `Add \`"as": "${saved}"\` to that delivery.`,
        )
    }
    const remembered = 'as' in step ? step.as : undefined
    if (step.kind === 'unread') {
      if (remembered !== undefined) for (const all of [known, deliveries]) all.add(remembered)
      continue
    }
    broken.push(...checkReferences(step, path, known))
    const name = names[index] ?? ''
    if (names.indexOf(name) < index)
      add(
        step.name === undefined ? 'as' : 'name',
        `Step "${name}" already exists.`,
        'Give each step a unique name.',
      )
    if (
      'event' in step &&
      step.event === 'program.status' &&
      mode === 'test' &&
      !('absent' in step && step.absent)
    )
      add(
        'event',
        'program.status is never sent in test mode (spec 6.2).',
        'Set `"mode": "live"` for the flow.',
      )
    if (step.kind === 'delivery') {
      broken.push(
        ...checkPatterns(step.match ?? {}, [...path, 'match']),
        ...checkPatterns(step.where ?? {}, [...path, 'where']),
      )
      const hook = hooks.find(({ id }) => id === step.hook)
      if (step.hook !== undefined && hook === undefined)
        add(
          'hook',
          `Hook "${step.hook}" not found.`,
          `Add it to \`hooks\`${hooks.length === 0 ? '' : `, which has ${hooks.map(({ id }) => id).join(', ')}`}.`,
        )
      else if (hook !== undefined && hook.event !== null && hook.event !== step.event)
        add(
          'hook',
          `Hook "${hook.id}" is for ${hook.event}, not ${step.event}.`,
          'Use a hook for this event.',
        )
      needsDelivery('repeats', step.repeats)
      if (step.as !== undefined) deliveries.add(step.as)
    }
    if (step.kind === 'check' && typeof step.rule === 'object')
      broken.push(...checkPatterns(step.rule, [...path, 'rule']))
    if (step.kind === 'rotate' && !hooks.some(({ id }) => id === step.hook))
      add('hook', `Hook "${step.hook}" not found.`, 'Add it to `hooks`.')
    if (step.kind === 'answer') needsDelivery('to', step.to)
    if (remembered !== undefined) known.add(remembered)
  }
  return broken
}
