/**
 * Commands about saved handlers. Wherever a command takes an endpoint, `@NAME` or `handler:NAME` is one: the core fills in its URL,
 * registered URL, secret and CA certificate, unless the command gives its own.
 */
import { z } from 'zod'
import {
  handlerAddSchema,
  handlerPageSchema,
  handlerProbeSchema,
  handlerSchema,
  handlerUpdateSchema,
} from '../../model/handler.ts'
import { allowHosts, command, nothing } from './command.ts'

const handler = z.object({ handler: handlerSchema })
/** An ID or a name. */
const id = z.string().min(1)

export const handlerCommands = {
  /** In order of creation. */
  'handlers.list': command(nothing, z.object({ handlers: z.array(handlerSchema) })),
  'handlers.add': command(handlerAddSchema, handler),
  'handlers.update': command(handlerUpdateSchema.extend({ id }), handler),
  /** Deletes a handler with its secret. `removal` restores it while this process runs. */
  'handlers.remove': command(z.object({ id }), z.object({ removal: z.string() })),
  /** Undoes a deletion. If the name was used again meanwhile, the handler gets another. */
  'handlers.restore': command(z.object({ removal: z.string() }), handler),
  /** Makes a handler the current one, to which replays without a target go; null for none. */
  'handlers.use': command(
    z.object({ id: id.nullable() }),
    z.object({ handlers: z.array(handlerSchema) }),
  ),
  /** What a handler did in the last minutes, from the sends to it. */
  'handlers.page': command(
    z.object({ id, minutes: z.number().int().min(1).max(1_440).default(60) }),
    handlerPageSchema,
  ),
  /**
   * Connects to a handler and sends nothing. A remote handler's host must be in `allowHosts`, else it fails with
   * `TARGET_NOT_ALLOWED`.
   */
  'handlers.probe': command(z.object({ id, allowHosts }), handlerProbeSchema),
} as const
