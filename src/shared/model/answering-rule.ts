/** How the receiver responds to a hook's deliveries. The default is 200 with an empty body; other rules provoke retries. */
import { z } from 'zod'

/** Longest delay, in milliseconds. Well above the service's 20-second timeout. */
const MAX_DELAY_MS = 300_000

/** 1xx responses are not final, and HTTP has no status above 599. */
function answerStatus() {
  const error = 'Status must be from 200 to 599'
  return z.number({ error }).int({ error }).min(200, { error }).max(599, { error })
}

export const answeringRuleSchema = z.object({
  status: answerStatus().default(200),
  headers: z.record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/), z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/)).default({}),
  body: z.string().max(1_048_576).default(''),
  /** Delay before responding, in milliseconds. */
  delayMs: z
    .number()
    .int()
    .min(0)
    .max(MAX_DELAY_MS, { error: `Delay can be at most ${MAX_DELAY_MS / 1_000} s` })
    .default(0),
  /** Closes the connection without a response. */
  drop: z.boolean().default(false),
  /** Responds to the first attempts of each notification with `failStatus`, and to later ones as configured above. */
  failFirst: z.number().int().min(0).max(100, { error: 'Up to 100 attempts can fail' }).default(0),
  failStatus: answerStatus().default(500),
})
export type AnsweringRule = z.infer<typeof answeringRuleSchema>

/** The default: 200 immediately. */
export const PLAIN_ANSWER: AnsweringRule = answeringRuleSchema.parse({})
