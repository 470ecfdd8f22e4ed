/** Commands about stored data: marks, deletion, retention and disk space. */
import { z } from 'zod'
import { retentionSchema, storageSchema, marksChangeSchema } from '../../model/retention.ts'
import { option } from '../../model/field-words.ts'
import { command, nothing, deliveryRefs } from './command.ts'

export const keepingCommands = {
  /** Changes the given marks of deliveries. If one ID doesn't exist, nothing changes. */
  'marks.set': command(
    z.object({ ids: deliveryRefs, marks: marksChangeSchema }),
    z.object({ count: z.number().int() }),
  ),
  /**
   * Deletes deliveries by ID, or all that match a query (empty: all). They disappear from every list immediately and can be
   * restored for ten seconds, unless `final` is set. Pinned deliveries are kept unless `pinned` says otherwise. `preview` only
   * counts.
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
      /** Identifies the deletion for `deliveries.restore`; null if it can't be undone. */
      deletion: z.string().nullable(),
      /** Milliseconds during which the deletion can be undone. */
      undoMs: z.number().int(),
      count: z.number().int(),
      /** Pinned deliveries that were kept. */
      spared: z.number().int(),
      /** Possible matches of `event:`, which a list shows and a deletion keeps. */
      possible: z.number().int(),
    }),
  ),
  /** Undoes a deletion while possible. Returns the number of restored deliveries. */
  'deliveries.restore': command(
    z.object({ deletion: z.string() }),
    z.object({ count: z.number().int() }),
  ),
  /** How many deliveries these limits would remove now. `least`: at least that many. */
  'retention.preview': command(
    retentionSchema,
    z.object({ count: z.number().int(), least: z.boolean() }),
  ),
  'storage.get': command(nothing, z.object({ storage: storageSchema })),
} as const
