/** The sandbox's clock. It determines the times in payloads, the wait for clearing, and the waits between attempts. */
import { z } from 'zod'
import { modeSchema } from './delivery.ts'

export const sandboxClockSchema = z.object({
  /** ISO 8601, UTC. */
  now: z.iso.datetime(),
  /** Sandbox seconds per real second. */
  speed: z.number(),
  paused: z.boolean(),
})
export type SandboxClockState = z.infer<typeof sandboxClockSchema>

/** A purchase that clears automatically when the clock reaches `at`, in sandbox time. */
export const pendingClearingSchema = z.object({ transactionId: z.string(), mode: modeSchema, at: z.iso.datetime() })
export type PendingClearing = z.infer<typeof pendingClearingSchema>

/** Changes to the clock. It never runs backwards, because payloads already contain earlier times. */
export const sandboxClockChangeSchema = z.discriminatedUnion('action', [
  z.object({ action: z.literal('set'), time: z.iso.datetime({ offset: true }) }),
  z.object({ action: z.literal('jump'), ms: z.number().positive() }),
  z.object({ action: z.literal('speed'), speed: z.number().positive() }),
  z.object({ action: z.literal('pause') }),
  z.object({ action: z.literal('resume') }),
  z.object({ action: z.literal('reset') }),
])
export type SandboxClockChange = z.infer<typeof sandboxClockChangeSchema>
