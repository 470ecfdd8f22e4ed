/** A hook with its secrets opened, as the core holds it in memory, and what may be shown of it. */
import type { KeyObject } from 'node:crypto'
import { answeringRuleSchema, type AnsweringRule } from '../../shared/model/answering-rule.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import type { Hook } from '../../shared/model/hook.ts'
import type { StoredHook } from '../store/hooks-repo.ts'
import { pathOfUrl } from './hook-path.ts'
import type { Headers } from './seal-headers.ts'

/** A secret, in the core only, ready to sign with. */
export interface OpenedSecret {
  readonly key: KeyObject
  readonly hint: string
}

export interface OpenedHook {
  readonly stored: StoredHook
  /** Present one first; those that this host cannot open are left out. */
  readonly secrets: readonly OpenedSecret[]
  /** Its custom headers; null if this host cannot open them. */
  readonly headers: Headers | null
}

export function answeringOf(stored: StoredHook): AnsweringRule {
  return answeringRuleSchema.parse(JSON.parse(stored.answering))
}

/** What may be shown of a hook: its secret by its last characters. Header values that cannot be opened are empty. */
export function toHook({ stored, secrets, headers }: OpenedHook, mode: Mode): Hook {
  return {
    id: stored.id,
    remoteId: stored.remoteId,
    kind: stored.kind,
    event: stored.event,
    url: stored.url,
    programId: stored.programId,
    offerId: stored.offerId,
    headers: headers === null ? Object.fromEntries(stored.headerNames.map((name) => [name, ''])) : { ...headers },
    environment: stored.environment,
    mode,
    path: pathOfUrl(stored.url),
    status: stored.status,
    createdAt: new Date(stored.createdAt).toISOString(),
    secretHint: secrets[0]?.hint ?? null,
    previousSecrets: Math.max(0, stored.secrets.length - 1),
    answering: answeringOf(stored),
    record: stored.record === null ? null : (JSON.parse(stored.record) as Hook['record']),
  }
}
