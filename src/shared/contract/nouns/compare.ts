/** Commands about comparing deliveries. The comparison itself is made where it is shown. */
import { z } from 'zod'
import { volatileFieldsSchema } from '../../diff/volatile.ts'
import { comparisonOfferSchema, volatileListSchema } from '../../model/comparison.ts'
import { deliveryRowSchema } from '../../model/delivery.ts'
import { command } from './command.ts'

/** Null: what belongs to no hook. */
const hookId = z.string().min(1).nullable()

export const compareCommands = {
  /** What a delivery is worth comparing with, the likeliest first. */
  'compare.offers': command(z.object({ deliveryId: z.string().min(1) }), z.object({ offers: z.array(comparisonOfferSchema) })),
  /** The nearest delivery of the same hook and event, before or after. */
  'compare.neighbour': command(
    z.object({ deliveryId: z.string().min(1), by: z.literal([1, -1]) }),
    z.object({ row: deliveryRowSchema.nullable() }),
  ),
  /** The fields that differ by their nature, as they are ignored for a hook. */
  'compare.volatile': command(z.object({ hookId }), volatileListSchema),
  /** Sets a hook's own list; null takes it back to the usual one. */
  'compare.setVolatile': command(z.object({ hookId, fields: volatileFieldsSchema.nullable() }), volatileListSchema),
} as const
