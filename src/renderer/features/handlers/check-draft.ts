/** The form of a check: its first values, the input it becomes, and what it asks consent for. */
import type { InputOf } from '../../../shared/contract/contract.ts'
import { counted, listed } from '../../../shared/text/counted.ts'
import { FIRST_CASE, type CheckCase, type CheckRun } from '../../../shared/model/check.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import { handlerAt, handlerRef } from '../../ui/endpoint-offers.ts'
import type { FieldFinding } from '../../ui/finding-text.tsx'
import type { FormQuestion } from '../../ui/use-consents.ts'
import { caseGroups, entriesOf } from './check-cases.ts'

/** Undefined if the secret was typed or the hook no longer exists. */
export function signingEnvironment(
  hookId: string | null,
  {
    hooks,
    environments,
  }: { readonly hooks: readonly Hook[]; readonly environments: readonly Environment[] },
): Environment | undefined {
  const hook = hooks.find(({ id }) => id === hookId)
  return environments.find(({ name }) => name === hook?.environment)
}

/** `what` is the subject of a sentence: `39 cases`. */
export function wordsOfConsent(question: FormQuestion, what: string, target: string) {
  if (question.about === 'host')
    return {
      action: `Send to ${question.host}`,
      what: `Sends ${question.requests === null ? 'requests' : `up to ${counted(question.requests, 'request')}`} there, valid and forged. The handler will process valid ones: make sure its owner knows.`,
    }
  return {
    action: `Check with a ${listed(question.environments, 'and')} secret (live)`,
    what: `${what} will be sent to ${target}, signed with a live hook's secret. Your handler will process valid ones.`,
  }
}

export interface CheckDraft {
  /** A URL, or `@NAME`. */
  readonly target: string
  /** Empty if the secret is typed. */
  readonly hookId: string
  readonly secret: string
  readonly registeredUrl: string
  readonly rate: string
  /** Whether to send the live-mode payload of program.status to a test hook. */
  readonly programStatus: boolean
  /** Names of the selected cases. */
  readonly chosen: ReadonlySet<string>
}

/**
 * The values of the last check, except a typed secret, which isn't stored. Otherwise the current handler, and a hook of a test
 * environment; live hooks must be selected.
 */
export function beginningOf(
  last: CheckRun | null,
  handlers: readonly SavedHandler[],
  hooks: readonly Hook[],
  environments: readonly Environment[],
  cases: readonly CheckCase[],
): CheckDraft {
  const current = handlers.find((one) => one.current)
  const begun: CheckDraft = {
    target: current === undefined ? '' : handlerRef(current),
    hookId:
      hooks.find((hook) => signingEnvironment(hook.id, { hooks, environments })?.mode === 'test')
        ?.id ?? '',
    secret: '',
    registeredUrl: '',
    rate: '10',
    programStatus: false,
    chosen: new Set(cases.map(({ name }) => name)),
  }
  if (last === null) return begun
  const hook = hooks.find(({ id }) => id === last.hookId)
  const saved = handlerAt(last.target, handlers)
  const isDefault = last.registeredUrl === (hook?.url ?? last.target)
  return {
    ...begun,
    target: saved === null ? last.target : handlerRef(saved),
    hookId: hook?.id ?? '',
    registeredUrl: isDefault ? '' : last.registeredUrl,
    rate: String(last.rate),
    chosen: new Set(entriesOf(last).map(({ one }) => one.name)),
  }
}

/** Missing or invalid fields, each with a message. `hasSecret`: the endpoint is a saved handler that brings one. */
export function missingOf(
  { hookId, secret, rate }: CheckDraft,
  hasSecret: boolean,
): readonly FieldFinding[] {
  return [
    ...(!hasSecret && hookId === '' && secret === ''
      ? [{ field: 'secret', message: "Enter your handler's secret." }]
      : []),
    ...(rate.trim() === '' || Number(rate) > 0
      ? []
      : [{ field: 'rate', message: 'Enter a number above 0.' }]),
  ]
}

/** Names of complete groups, then of the remaining cases; empty if all are selected. */
export function onlyOf(chosen: ReadonlySet<string>, cases: readonly CheckCase[]): string[] {
  if (cases.every(({ name }) => chosen.has(name))) return []
  const picked = caseGroups(cases.map((one) => ({ one, result: null }))).flatMap(
    ([group, entries]) => {
      const names = entries.map(({ one }) => one.name).filter((name) => chosen.has(name))
      return names.length === entries.length ? [group] : names
    },
  )
  return picked.length === 0 ? [FIRST_CASE] : picked
}

/** `handler`: the saved one that the endpoint names. What it brings is left out: the core adds it. */
export function checkInput(
  draft: CheckDraft,
  handler: SavedHandler | null,
  hook: Hook | null,
  cases: readonly CheckCase[],
) {
  const registeredUrl = handler === null ? draft.registeredUrl.trim() : ''
  const rate = Number(draft.rate)
  return {
    target: draft.target.trim(),
    ...(handler?.hasSecret === true
      ? {}
      : hook === null
        ? { secret: draft.secret }
        : { hookId: hook.id }),
    registeredUrl: registeredUrl === '' ? null : registeredUrl,
    ...(draft.rate.trim() === '' ? {} : { rate }),
    only: onlyOf(draft.chosen, cases),
    programStatus: draft.programStatus,
  } satisfies Partial<InputOf<'check.start'>>
}
