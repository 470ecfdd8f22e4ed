/** Commands about saved handlers, which other commands name as `@NAME` or `handler:NAME`. */
import { z } from 'zod'
import {
  handlerAddSchema,
  handlerPageSchema,
  handlerProbeSchema,
  handlerSchema,
  handlerUpdateSchema,
} from '../../model/handler.ts'
import { handlerCausesSchema } from '../../model/handler-causes.ts'
import { allowHosts, command, nothing } from './command.ts'

const handler = z.object({ handler: handlerSchema })
const id = z.string().min(1)

export const handlerCommands = {
  'handlers.list': command(nothing, z.object({ handlers: z.array(handlerSchema) })),
  'handlers.add': command(handlerAddSchema, handler),
  'handlers.update': command(handlerUpdateSchema.extend({ id }), handler),
  /** Deletes a handler; `removal` restores it while this process runs. */
  'handlers.remove': command(z.object({ id }), z.object({ removal: z.string() })),
  /** Undoes a deletion, with another name if it was used again. */
  'handlers.restore': command(z.object({ removal: z.string() }), handler),
  'handlers.use': command(
    z.object({ id: id.nullable() }),
    z.object({ handlers: z.array(handlerSchema) }),
  ),
  'handlers.page': command(
    z.object({ id, minutes: z.number().int().min(1).max(1_440).default(60) }),
    handlerPageSchema,
  ),
  /** Explains a handler's failures: those of its last check, its flows and its deliveries. */
  'handlers.causes': command(z.object({ id }), handlerCausesSchema),
  /**
   * Connects and sends nothing. Fails with `TARGET_NOT_ALLOWED` for a remote host without consent.
   */
  'handlers.probe': command(z.object({ id, allowHosts }), handlerProbeSchema),
} as const
