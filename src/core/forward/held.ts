/** Deliveries waiting for a person's response, but no longer than the service waits: then the hook's rule responds. */
import { AppError } from '../../shared/contract/errors.ts'
import type { HandAnswer, HeldDelivery } from '../../shared/model/forward.ts'
import { isOfConnection } from '../../shared/http.ts'
import type { SearchedDelivery } from '../../shared/query/fields.ts'
import type { Clock } from '../base/deps.ts'
import type { Decision } from '../receiver/ruling.ts'
import { ANSWER_WITHIN_MS } from './claims.ts'

export interface Held {
  /** Oldest first. */
  list(): HeldDelivery[]
  /** Resolves with the response; null if too many are held already for anyone to respond to. */
  hold(
    target: { readonly id: string; readonly name: string },
    delivery: SearchedDelivery,
    rule: Decision,
  ): Promise<Decision> | null
  /** Rejects with `NOT_FOUND` if it is no longer held. */
  answer(deliveryId: string, answer: HandAnswer): void
  /** Lets the rule respond to this target's held deliveries, or to all without an ID. */
  release(deliveryId: string): void
  releaseAll(targetId: string | null): void
}

const MOST_HELD = 100

export function createHeld({
  clock,
  onChanged,
}: {
  readonly clock: Clock
  onChanged(): void
}): Held {
  const held = new Map<
    string,
    { readonly shown: HeldDelivery; readonly rule: Decision; answer(decision: Decision): void }
  >()

  const mustBeHeld = (deliveryId: string) => {
    const found = held.get(deliveryId)
    if (found !== undefined) return found
    throw new AppError(
      'NOT_FOUND',
      "This delivery is no longer waiting: you or its hook's response rule already responded.",
    )
  }

  return {
    list: () => [...held.values()].map(({ shown }) => shown),
    hold(target, delivery, rule) {
      if (held.size >= MOST_HELD) return null
      const { id, method, path, event, environment, mode } = delivery
      const now = clock.now()
      return new Promise((resolve) => {
        const over = new AbortController()
        const answer = (decision: Decision) => {
          if (!held.delete(id)) return
          over.abort()
          resolve(decision)
          onChanged()
        }
        held.set(id, {
          shown: {
            deliveryId: id,
            targetId: target.id,
            targetName: target.name,
            method,
            path,
            event,
            environment,
            mode,
            receivedAt: delivery.receivedAt,
            until: new Date(now + ANSWER_WITHIN_MS).toISOString(),
            ruleStatus: rule.drop ? null : rule.status,
          },
          rule,
          answer,
        })
        void clock.sleep(ANSWER_WITHIN_MS, over.signal).then(() => {
          // The delivery has waited long enough. Only deliveries that use the rule get the rule's delay too.
          answer({ ...rule, delayMs: 0 })
        })
        onChanged()
      })
    },
    answer(deliveryId, { status, headers, body }) {
      const own = headers.filter(([name]) => !isOfConnection(name))
      mustBeHeld(deliveryId).answer({ status, headers: own, body, delayMs: 0, drop: false })
    },
    release(deliveryId) {
      const { rule, answer } = mustBeHeld(deliveryId)
      answer({ ...rule, delayMs: 0 })
    },
    releaseAll(targetId) {
      for (const { shown, rule, answer } of [...held.values()])
        if (targetId === null || shown.targetId === targetId) answer({ ...rule, delayMs: 0 })
    },
  }
}
