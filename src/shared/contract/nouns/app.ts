/** Commands about the application itself. */
import { z } from 'zod'
import { appStatusSchema, doctorCheckSchema } from '../../model/status.ts'
import { command, nothing } from './command.ts'

export const appCommands = {
  'app.status': command(nothing, appStatusSchema),
  /** A fresh one-time address of the app in the browser; only the loopback host has one. */
  'app.open': command(nothing, z.object({ url: z.string() })),
  'doctor.run': command(nothing, z.object({ checks: z.array(doctorCheckSchema) })),
} as const
