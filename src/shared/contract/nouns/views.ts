/** Commands about saved views: searches with a name. */
import { z } from 'zod'
import { viewSchema } from '../../model/view.ts'
import { command, nothing } from './command.ts'

export const viewCommands = {
  /** In the order in which they were made. */
  'views.list': command(nothing, z.object({ views: z.array(viewSchema) })),
  /** Makes a view; with `id` it changes that one. A name belongs to one view; a query that cannot be read is not kept. */
  'views.save': command(viewSchema.extend({ id: viewSchema.shape.id.optional() }), viewSchema),
  'views.remove': command(viewSchema.pick({ id: true }), nothing),
} as const
