/** The sandbox's own clock: it moves the times inside payloads, the wait for clearing, and the waits between attempts. */
import { z } from 'zod'

export const sandboxClockSchema = z.object({
  /** ISO 8601, UTC. */
  now: z.iso.datetime(),
  /** How many seconds of the sandbox pass in one of the wall clock. */
  speed: z.number(),
  paused: z.boolean(),
})
export type SandboxClockState = z.infer<typeof sandboxClockSchema>

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
