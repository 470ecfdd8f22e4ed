/** Commands about what became of a purchase or a location, and about the attempts of a notification. */
import { z } from 'zod'
import { attemptSchema, lifecycleSchema } from '../../model/lifecycle.ts'
import { command } from './command.ts'

export const lifecycleCommands = {
  /** The lifecycle that a delivery belongs to, rebuilt from the deliveries that are stored. */
  'lifecycle.get': command(z.object({ deliveryId: z.string().min(1) }), lifecycleSchema),
  /** The deliveries of the same notification, oldest first, held against what the interface says of attempts. */
  'lifecycle.attempts': command(z.object({ deliveryId: z.string().min(1) }), z.object({ attempts: z.array(attemptSchema) })),
} as const
