/** Commands about stored data: marks, deletion, retention and disk space. */
import { z } from 'zod'
import { retentionSchema, storageSchema } from '../../model/retention.ts'
import { marksChangeSchema } from '../../model/marks.ts'
import { option } from '../../model/field-words.ts'
import { command, nothing, deliveryRefs } from './command.ts'

export const storageCommands = {
  /** Changes nothing if an ID doesn't exist. */
  'marks.set': command(
    z.object({ ids: deliveryRefs, marks: marksChangeSchema }),
    z.object({ count: z.number().int() }),
  ),
  /**
   * Deletes deliveries by ID, or all that match a query (empty: all). Unless `final`, they can be
   * restored for ten seconds.
   */
  'deliveries.delete': command(
    z.object({
      ids: deliveryRefs.optional(),
      query: z.string().max(4_000).optional(),
      pinned: option(z.boolean().default(false), 'delete pinned deliveries too'),
      preview: z.boolean().default(false),
      final: z.boolean().default(false),
    }),
    z.object({
      deletion: z.string().nullable(),
      undoMs: z.number().int(),
      count: z.number().int(),
      spared: z.number().int(),
      /** Possible matches of `event:`, which aren't deleted. */
      possible: z.number().int(),
    }),
  ),
  'deliveries.restore': command(
    z.object({ deletion: z.string() }),
    z.object({ count: z.number().int() }),
  ),
  /** Counts deliveries that these limits would remove; if `least`, there may be more. */
  'retention.preview': command(
    retentionSchema,
    z.object({ count: z.number().int(), least: z.boolean() }),
  ),
  'storage.get': command(nothing, z.object({ storage: storageSchema })),
} as const
