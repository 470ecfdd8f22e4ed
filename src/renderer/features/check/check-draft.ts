/** The form of a check: what it begins with, and what is asked for in the end. */
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { CheckSummary } from '../../../shared/model/check.ts'
import type { Hook } from '../../../shared/model/hook.ts'

export interface CheckDraft {
  readonly target: string
  /** Empty: the secret is typed in. */
  readonly hookId: string
  readonly secret: string
  readonly registeredUrl: string
  readonly rate: string
  readonly live: boolean
}

/** What the last check had, where there was one: but for a secret that was typed in, which is not kept. */
export function beginningOf(last: CheckSummary | null, hooks: readonly Hook[]): CheckDraft {
  const begun: CheckDraft = { target: '', hookId: hooks[0]?.id ?? '', secret: '', registeredUrl: '', rate: '10', live: false }
  if (last === null) return begun
  const hook = hooks.find(({ id }) => id === last.hookId)
  const isDefault = last.registeredUrl === (hook?.url ?? last.target)
  return {
    ...begun,
    target: last.target,
    hookId: hook?.id ?? '',
    registeredUrl: isDefault ? '' : last.registeredUrl,
    rate: String(last.rate),
  }
}

export function inputOf(draft: CheckDraft, hook: Hook | null, allowHosts: readonly string[]): InputOf<'check.start'> {
  const registeredUrl = draft.registeredUrl.trim()
  const rate = Number(draft.rate)
  return {
    target: draft.target.trim(),
    ...(hook === null ? { secret: draft.secret } : { hookId: hook.id }),
    registeredUrl: registeredUrl === '' ? null : registeredUrl,
    ...(draft.rate.trim() === '' ? {} : { rate }),
    allowHosts: [...allowHosts],
    live: draft.live,
  }
}
