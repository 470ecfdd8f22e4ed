/** The sends of the open delivery, and the selected send's response. */
import type { VolatileFields } from '../../../shared/diff/rows.ts'
import type { Send, SendAnswer } from '../../../shared/model/send.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { isQuiet, sentenceOf } from '../../data/act.ts'

/** For one delivery; `value` is null if they couldn't be loaded. */
export interface SendsOfDelivery {
  readonly id: string
  /** Newest first. */
  readonly value: readonly Send[] | null
  readonly problem: string | null
}

export interface SendsSlice {
  readonly sends: SendsOfDelivery | null
  /** Responses by the id of their send. Responses of finished sends never change. */
  readonly answers: ReadonlyMap<string, SendAnswer>
  /** The fields that a comparison of a delivery's replays ignores; null before they are loaded. */
  readonly volatile: { readonly deliveryId: string; readonly fields: VolatileFields } | null
  readSends(id: string): Promise<void>
  readVolatile(deliveryId: string): Promise<void>
  readAnswer(sendId: string): Promise<void>
}

/** Maximum number shown. */
export const SENDS_SHOWN = 200
const ANSWERS_KEPT = 20

export function createSendsSlice({ client, act, set, get }: FeatureTools<SendsSlice>): SendsSlice {
  let reading: string | null = null
  let again = false

  return {
    sends: null,
    answers: new Map(),
    volatile: null,
    async readVolatile(deliveryId) {
      await act("Couldn't load the ignored fields", async () => {
        const { hookId } = await client.call('deliveries.get', { id: deliveryId })
        const { fields } = await client.call('compare.volatile', { hookId })
        set({ volatile: { deliveryId, fields } })
      })
    },
    async readSends(id) {
      // Called very often during a replay: loads one response at a time, and always the last one.
      if (reading === id) {
        again = true
        return
      }
      reading = id
      try {
        do {
          again = false
          const { sends } = await client.call('replay.ofDelivery', { id, limit: SENDS_SHOWN })
          if (reading === id) set({ sends: { id, value: sends, problem: null } })
        } while (again && reading === id)
      } catch (error) {
        if (reading === id && !isQuiet(error))
          set({ sends: { id, value: null, problem: sentenceOf(error) } })
      } finally {
        if (reading === id) reading = null
      }
    },
    async readAnswer(sendId) {
      if (get().answers.has(sendId)) return
      await act("Couldn't load the response", async () => {
        const answer = await client.call('replay.send', { id: sendId })
        set(({ answers }) => ({
          answers: new Map([...[...answers].slice(1 - ANSWERS_KEPT), [sendId, answer]]),
        }))
      })
    },
  }
}
