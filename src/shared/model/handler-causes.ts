/** Causes of a handler's failures, each with what it explains. */
import { z } from 'zod'
import { counted, deliveryCount, listed } from '../text/english.ts'

/** Cause of failures. Deliveries are IDs, newest first; cases and flows are names. */
const handlerCauseSchema = z.object({
  /** `response`, or the cause of a conclusion of the check. */
  cause: z.string(),
  title: z.string(),
  /** More about it; '' if the title says all. Text between backticks is quoted. */
  message: z.string(),
  fix: z.string(),
  /** Section of the spec. */
  section: z.string().nullable(),
  deliveries: z.array(z.string()),
  cases: z.array(z.string()),
  flows: z.array(z.string()),
})
export type HandlerCause = z.infer<typeof handlerCauseSchema>

/** Every failure is in one cause, or unexplained. */
export const handlerCausesSchema = z.object({
  causes: z.array(handlerCauseSchema),
  unexplained: handlerCauseSchema.pick({ deliveries: true, cases: true, flows: true }),
})
export type HandlerCauses = z.infer<typeof handlerCausesSchema>

type Explained = HandlerCauses['unexplained']

/** Writes `91 deliveries, 6 checks, 9 flows`; '' for none. */
export function causeCounts({ deliveries, cases, flows }: Explained): string {
  const counts = [
    deliveries.length > 0 && deliveryCount(deliveries.length),
    cases.length > 0 && counted(cases.length, 'check'),
    flows.length > 0 && counted(flows.length, 'flow'),
  ]
  return counts.filter((words) => words !== false).join(', ')
}

function shareWords(explained: number, total: number, noun: string, nouns = `${noun}s`): string {
  const all = total === 1 ? `the ${noun}` : `all ${total.toLocaleString('en')} ${nouns}`
  return explained === total
    ? all
    : `${explained.toLocaleString('en')} of ${counted(total, noun, nouns)}`
}

/** Writes `3 causes explain 14 of 15 failed checks and all 10 failed flows`. */
export function explainedWords({ causes, unexplained }: HandlerCauses): string {
  const share = (what: keyof Explained, ...nouns: readonly [noun: string, plural?: string]) => {
    const explained = causes.reduce((sum, cause) => sum + cause[what].length, 0)
    const total = explained + unexplained[what].length
    return total === 0 ? [] : [shareWords(explained, total, ...nouns)]
  }
  const parts = [...share('cases', 'failed check'), ...share('flows', 'failed flow')]
  const shares =
    parts.length > 0 ? parts : share('deliveries', 'failing delivery', 'failing deliveries')
  const count = counted(causes.length, 'cause')
  return `${count} ${causes.length === 1 ? 'explains' : 'explain'} ${listed(shares, 'and')}`
}

/** Writes a cause without its title: `15 checks. Why. Fix (spec 5.2).` */
export function causeText(cause: HandlerCause): string {
  const { message, fix, section } = cause
  const counts = causeCounts(cause)
  const whole = section === null ? fix : `${fix.replace(/\.$/, '')} (spec ${section}).`
  return [counts === '' ? '' : `${counts}.`, message, whole].filter(Boolean).join(' ')
}
