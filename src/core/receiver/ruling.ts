/** Applies a hook's response rule to one delivery. The first attempts of each notification can fail on purpose. */
import { PLAIN_ANSWER, type AnsweringRule } from '../../shared/model/hook.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { RegisteredHook } from '../hooks/registry.ts'
import type { SearchedDelivery } from '../../shared/query/fields.ts'

export interface Decision {
  readonly status: number
  readonly headers: RawHeaders
  readonly body: string | Uint8Array
  readonly delayMs: number
  readonly drop: boolean
}

/** The response that replaces the rule's; null to keep the rule's. */
export type Answerer = (delivery: SearchedDelivery) => Promise<Decision> | null

/** How many notifications are counted; the oldest are forgotten, and start again if they return. */
const MOST_COUNTED = 10_000

/** An immediate, empty 200. */
export const PLAIN_DECISION: Decision = { ...PLAIN_ANSWER, headers: [] }

export function createRuling() {
  /** One object per rule: its response is stored once. */
  const decisions = new WeakMap<AnsweringRule, Decision>()
  const failed = new Map<number, number>()

  /** Whether this attempt is one of the first that should fail; if so, it is counted. */
  function isToFail(failFirst: number, notification: number | null): boolean {
    if (failFirst === 0 || notification === null) return false
    const before = failed.get(notification) ?? 0
    if (before >= failFirst) return false
    failed.delete(notification)
    failed.set(notification, before + 1)
    if (failed.size > MOST_COUNTED) failed.delete(failed.keys().next().value ?? notification)
    return true
  }

  function decisionOf(rule: AnsweringRule): Decision {
    const { status, headers, body, delayMs, drop } = rule
    const decision = decisions.get(rule) ?? {
      status,
      headers: Object.entries(headers),
      body,
      delayMs,
      drop,
    }
    decisions.set(rule, decision)
    return decision
  }

  return {
    /** Decides for one delivery of a hook (null: no hook); `notification` is the key that its attempts share. */
    decide(hook: RegisteredHook | null, notification: number | null): Decision {
      if (hook === null) return PLAIN_DECISION
      const { failFirst, failStatus, delayMs } = hook.answering
      if (isToFail(failFirst, notification))
        return { ...PLAIN_DECISION, status: failStatus, delayMs }
      return decisionOf(hook.answering)
    },
  }
}
