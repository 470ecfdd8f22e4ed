/** Commands about what is kept: marks, deletion, retention and room. */
import { z } from 'zod'
import { compactionSchema, retentionSchema, storageSchema } from '../../model/keeping.ts'
import { marksChangeSchema } from '../../model/marks.ts'
import { command, nothing, deliveryRefs } from './command.ts'

export const keepingCommands = {
  /** Changes the marks of deliveries; what is not named stays. One id that is not there: nothing is changed. */
  'marks.set': command(z.object({ ids: deliveryRefs, marks: marksChangeSchema }), z.object({ count: z.number().int() })),
  /**
   * Deletes the deliveries of some ids, or all that a query finds (the empty one: all). They are gone from every list at once;
   * for ten seconds it can be undone, unless it is `final`. Pinned ones are spared unless `pinned` says otherwise. With
   * `preview` nothing is deleted: it only counts.
   */
  'deliveries.delete': command(
    z.object({
      ids: deliveryRefs.optional(),
      query: z.string().max(4_000).optional(),
      pinned: z.boolean().default(false),
      preview: z.boolean().default(false),
      final: z.boolean().default(false),
    }),
    z.object({
      /** What names it to `deliveries.restore`; null where nothing can be undone. */
      deletion: z.string().nullable(),
      /** Milliseconds in which it can be undone. */
      undoMs: z.number().int(),
      count: z.number().int(),
      /** Pinned ones that were spared. */
      spared: z.number().int(),
      /** Possible matches of `event:`, which a list shows and a deletion leaves. */
      possible: z.number().int(),
    }),
  ),
  /** Undoes a deletion, while that can be done. Gives how many deliveries are there again. */
  'deliveries.restore': command(z.object({ deletion: z.string() }), z.object({ count: z.number().int() })),
  /** How many deliveries these limits would remove now. `least`: they are at least so many. */
  'retention.preview': command(retentionSchema, z.object({ count: z.number().int(), least: z.boolean() })),
  'storage.get': command(nothing, z.object({ storage: storageSchema, compaction: compactionSchema.nullable() })),
  /** Gives the free room of the database file back to the disk. Answers when it is done, or was cancelled. */
  'storage.compact': command(nothing, compactionSchema),
  'storage.cancelCompaction': command(nothing, nothing),
} as const
