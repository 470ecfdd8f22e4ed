/** Finds problems of a flow that a JSON schema can't express, such as an undefined name. */
import type { Path } from '../../shared/diff/path-pattern.ts'
import {
  type Flow,
  type FlowHook,
  type FlowStep,
  flowComparisonSchema,
} from '../../shared/model/flow.ts'
import { isQualifiedEvent } from '../../shared/service/event-type.ts'
import { MAX_HOOKS_PER_EVENT } from '../../shared/service/limits.ts'
import { stepNames } from './plan.ts'
import { referencesIn } from './references.ts'

interface FileProblem {
  readonly path: Path
  readonly message: string
  readonly fix: string
}

/** Hook with schema errors, to which steps may still refer. */
interface UnreadHook {
  readonly event: null
  readonly id: string | undefined
}

/** Step with schema errors, to whose result later steps may still refer. */
interface UnreadStep {
  readonly kind: 'unread'
  readonly name: string | undefined
  readonly as: string | undefined
}

export interface ReadableFlow {
  readonly mode: Flow['mode'] | null
  readonly hooks: readonly (FlowHook | UnreadHook)[]
  readonly steps: readonly (FlowStep | UnreadStep)[]
}

function* checkHooks(hooks: ReadableFlow['hooks']): Generator<FileProblem> {
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
    const sameEventCount = before.filter((other) => other.event === event).length
    if (sameEventCount === MAX_HOOKS_PER_EVENT)
      yield {
        path,
        message: `This is hook ${sameEventCount + 1} for ${event}. The limit is ${MAX_HOOKS_PER_EVENT} (spec 8).`,
        fix: 'Remove a hook.',
      }
  }
}

function* checkReferences(
  step: FlowStep,
  path: Path,
  knownNames: ReadonlySet<string>,
): Generator<FileProblem> {
  const knownWords =
    knownNames.size === 0
      ? 'No earlier step saves its result'
      : `Known here: ${[...knownNames].join(', ')}`
  for (const { name, text, path: inner } of referencesIn(step))
    if (name === null)
      yield {
        path: [...path, ...inner],
        message: `${text} isn't a valid reference.`,
        fix: 'Write references as ${name.path}.',
      }
    else if (!knownNames.has(name))
      yield {
        path: [...path, ...inner],
        message: `${text} is unknown at this step.`,
        fix: `${knownWords}. Add \`"as": "${name}"\` to an earlier step.`,
      }
}

function checkPatterns(value: unknown, path: Path): FileProblem[] {
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

export function flowFileProblems({ hooks, steps, mode }: ReadableFlow): FileProblem[] {
  const knownNames = new Set<string>()
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
      if (remembered !== undefined) for (const all of [knownNames, deliveries]) all.add(remembered)
      continue
    }
    broken.push(...checkReferences(step, path, knownNames))
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
    if (remembered !== undefined) knownNames.add(remembered)
  }
  return broken
}
