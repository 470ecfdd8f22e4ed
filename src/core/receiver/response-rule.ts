/** A hook's response rule. The first attempts of each notification can fail on purpose. */
import type { AnsweringRule } from '../../shared/model/hook.ts'
import type { RegisteredHook } from '../hooks/registry.ts'
import { type ResponseDecision, PLAIN_DECISION } from './responses.ts'

/** Maximum number of notifications to count; the oldest are forgotten. */
const MAX_COUNTED = 10_000

export function createResponseRules() {
  /** Decisions by rule, one object each, so that its response is stored once. */
  const decisions = new WeakMap<AnsweringRule, ResponseDecision>()
  const failureCounts = new Map<number, number>()

  /** Whether this attempt is one of the first that should fail; counts it. */
  function shouldFail(failFirst: number, notification: number | null): boolean {
    if (failFirst === 0 || notification === null) return false
    const before = failureCounts.get(notification) ?? 0
    if (before >= failFirst) return false
    failureCounts.delete(notification)
    failureCounts.set(notification, before + 1)
    if (failureCounts.size > MAX_COUNTED)
      failureCounts.delete(failureCounts.keys().next().value ?? notification)
    return true
  }

  function decisionOf(rule: AnsweringRule): ResponseDecision {
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
    decide(hook: RegisteredHook | null, notification: number | null): ResponseDecision {
      if (hook === null) return PLAIN_DECISION
      const { failFirst, failStatus, delayMs } = hook.answering
      if (shouldFail(failFirst, notification))
        return { ...PLAIN_DECISION, status: failStatus, delayMs }
      return decisionOf(hook.answering)
    },
  }
}
