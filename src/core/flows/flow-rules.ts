/** Rules that a JSON schema can't express: names must be defined before use, and limits of the spec. */
import {
  type Flow,
  type FlowHook,
  type FlowStep,
  flowComparisonSchema,
} from '../../shared/model/flow.ts'
import type { Path } from '../../shared/diff/path.ts'
import { isQualifiedEvent } from '../../shared/service/event-type.ts'
import { MAX_HOOKS_PER_EVENT } from '../../shared/service/limits.ts'
import { stepNames } from './plan.ts'
import { referencesIn } from './references.ts'

export interface BrokenRule {
  readonly path: Path
  readonly message: string
  readonly fix: string
}

/** A hook with schema errors. It isn't checked further, but other steps may refer to it. */
export interface UnreadHook {
  readonly event: null
  readonly id: string | undefined
}

/** A step with schema errors. It isn't checked further, but later steps may refer to its result. */
export interface UnreadStep {
  readonly kind: 'unread'
  readonly name: string | undefined
  readonly as: string | undefined
}

/** The readable parts of a flow. */
export interface ReadableFlow {
  readonly mode: Flow['mode'] | null
  readonly hooks: readonly (FlowHook | UnreadHook)[]
  readonly steps: readonly (FlowStep | UnreadStep)[]
}

/** The name that a step's result is saved under. */
function remembers(step: FlowStep | UnreadStep): string | undefined {
  return 'as' in step ? step.as : undefined
}

function checkHooks(hooks: ReadableFlow['hooks']): BrokenRule[] {
  return hooks.flatMap((hook, index): BrokenRule[] => {
    if (hook.event === null) return []
    const path = ['hooks', index]
    const before = hooks.slice(0, index)
    const same = before.filter(({ event }) => event === hook.event).length
    return [
      ...(before.some(({ id }) => id === hook.id)
        ? [
            {
              path: [...path, 'id'],
              message: `Hook "${hook.id}" already exists.`,
              fix: 'Give each hook a unique id.',
            },
          ]
        : []),
      ...(hook.offerId !== undefined && !isQualifiedEvent(hook.event)
        ? [
            {
              path: [...path, 'offerId'],
              message: `A hook for ${hook.event} can't have an offerId (spec 4.2).`,
              fix: 'Remove it, or use the .qualified event.',
            },
          ]
        : []),
      ...(same === MAX_HOOKS_PER_EVENT
        ? [
            {
              path,
              message: `This is hook ${same + 1} for ${hook.event}. The limit is ${MAX_HOOKS_PER_EVENT} (spec 8).`,
              fix: 'Remove a hook.',
            },
          ]
        : []),
    ]
  })
}

function checkReferences(step: FlowStep, path: Path, known: ReadonlySet<string>): BrokenRule[] {
  return referencesIn(step).flatMap(({ name, text, path: inside }): BrokenRule[] => {
    if (name !== null && known.has(name)) return []
    const names =
      known.size === 0 ? 'No earlier step saves its result' : `Known here: ${[...known].join(', ')}`
    return [
      {
        path: [...path, ...inside],
        message:
          name === null ? `${text} isn't a valid reference.` : `${text} is unknown at this step.`,
        fix:
          name === null
            ? 'Write references as ${name.path}.'
            : `${names}. Add \`"as": "${name}"\` to an earlier step.`,
      },
    ]
  })
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

/** All rules broken by the readable parts. */
export function brokenRules({ hooks, steps, mode }: ReadableFlow): BrokenRule[] {
  const known = new Set<string>()
  const deliveries = new Set<string>()
  const names = stepNames({ steps })
  const broken = checkHooks(hooks)
  for (const [index, step] of steps.entries()) {
    const path: Path = ['steps', index]
    const add = (field: string, message: string, fix: string) =>
      broken.push({ path: [...path, field], message, fix })
    const remembered = remembers(step)
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
      if (step.repeats !== undefined && !deliveries.has(step.repeats))
        add(
          'repeats',
          `No earlier delivery is saved as "${step.repeats}".`,
          `Add \`"as": "${step.repeats}"\` to that delivery.`,
        )
      if (step.as !== undefined) deliveries.add(step.as)
    }
    if (step.kind === 'check' && typeof step.rule === 'object')
      broken.push(...checkPatterns(step.rule, [...path, 'rule']))
    if (step.kind === 'rotate' && !hooks.some(({ id }) => id === step.hook))
      add('hook', `Hook "${step.hook}" not found.`, 'Add it to `hooks`.')
    if (step.kind === 'answer' && !deliveries.has(step.to))
      add(
        'to',
        `No earlier delivery is saved as "${step.to}".`,
        `Add \`"as": "${step.to}"\` to that delivery.`,
      )
    if (remembered !== undefined) known.add(remembered)
  }
  return broken
}
