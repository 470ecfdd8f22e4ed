/** What was sent of the delivery that is looked at, and the one of these sends whose answer is looked at. */
import type { Send, SendAnswer } from '../../../shared/model/send.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { isQuiet, sentenceOf } from '../../state/slice-context.ts'

/** Of one delivery; `value` null where they could not be read. */
export interface SendsOfDelivery {
  readonly id: string
  /** Newest first. */
  readonly value: readonly Send[] | null
  readonly problem: string | null
}

export interface SendsSlice {
  readonly sends: SendsOfDelivery | null
  /** Answers by the id of their send: those of ended sends stay as they are. */
  readonly answers: ReadonlyMap<string, SendAnswer>
  readSends(id: string): Promise<void>
  readAnswer(sendId: string): Promise<void>
}

/** So many are shown. */
export const SENDS_SHOWN = 200
const ANSWERS_KEPT = 20

export function createSendsSlice({ client, act, set, get }: FeatureTools<SendsSlice>): SendsSlice {
  let reading: string | null = null
  let again = false

  return {
    sends: null,
    answers: new Map(),
    async readSends(id) {
      // Told ten times a second while a replay goes: one answer at a time, and none missed at the end.
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
        if (reading === id && !isQuiet(error)) set({ sends: { id, value: null, problem: sentenceOf(error) } })
      } finally {
        if (reading === id) reading = null
      }
    },
    async readAnswer(sendId) {
      if (get().answers.has(sendId)) return
      await act('Couldn’t load the response', async () => {
        const answer = await client.call('replay.send', { id: sendId })
        set(({ answers }) => ({ answers: new Map([...[...answers].slice(1 - ANSWERS_KEPT), [sendId, answer]]) }))
      })
    },
  }
}
