/** What the receiver answers to a hook's deliveries: 200 with an empty body, unless told otherwise so that retries can be provoked. */
import { z } from 'zod'

/** Longest delay that can be asked for, in milliseconds: well beyond the service's 20 s. */
const MAX_DELAY_MS = 300_000

/** Below 200 an answer is none yet, and above 599 HTTP has none. */
function answerStatus() {
  const error = 'An answer has a status from 200 to 599'
  return z.number({ error }).int({ error }).min(200, { error }).max(599, { error })
}

export const answeringRuleSchema = z.object({
  status: answerStatus().default(200),
  headers: z.record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/), z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/)).default({}),
  body: z.string().max(1_048_576).default(''),
  /** Waits this long before answering, in milliseconds. */
  delayMs: z
    .number()
    .int()
    .min(0)
    .max(MAX_DELAY_MS, { error: `An answer waits at most ${MAX_DELAY_MS / 1_000} s` })
    .default(0),
  /** Closes the connection without an answer. */
  drop: z.boolean().default(false),
  /** Answers the first attempts of each notification with `failStatus`, and the following as told above. */
  failFirst: z.number().int().min(0).max(100, { error: 'At most the first 100 attempts fail' }).default(0),
  failStatus: answerStatus().default(500),
})
export type AnsweringRule = z.infer<typeof answeringRuleSchema>

/** The plain answer: 200 at once. */
export const PLAIN_ANSWER: AnsweringRule = answeringRuleSchema.parse({})
