/** The sandbox's own clock: it moves the times inside payloads, the wait for clearing, and the waits between attempts. */
import { z } from 'zod'
import { modeSchema } from './delivery.ts'

export const sandboxClockSchema = z.object({
  /** ISO 8601, UTC. */
  now: z.iso.datetime(),
  /** How many seconds of the sandbox pass in one of the wall clock. */
  speed: z.number(),
  paused: z.boolean(),
})
export type SandboxClockState = z.infer<typeof sandboxClockSchema>

/** A purchase that is cleared by itself once the clock gets there; `at` by the sandbox's clock. */
export const pendingClearingSchema = z.object({ transactionId: z.string(), mode: modeSchema, at: z.iso.datetime() })
export type PendingClearing = z.infer<typeof pendingClearingSchema>

/** What can be done to it. It never goes back: what has happened in a payload stays in its past. */
export const sandboxClockChangeSchema = z.discriminatedUnion('action', [
  z.object({ action: z.literal('set'), time: z.iso.datetime({ offset: true }) }),
  z.object({ action: z.literal('jump'), ms: z.number().positive() }),
  z.object({ action: z.literal('speed'), speed: z.number().positive() }),
  z.object({ action: z.literal('pause') }),
  z.object({ action: z.literal('resume') }),
  z.object({ action: z.literal('reset') }),
])
export type SandboxClockChange = z.infer<typeof sandboxClockChangeSchema>
