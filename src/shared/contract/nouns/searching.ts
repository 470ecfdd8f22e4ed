/** What the search bar asks beside the list itself. */
import { z } from 'zod'
import { storedValuesSchema } from '../../query/complete.ts'
import { command, nothing } from './command.ts'

export const searchingCommands = {
  /** What is stored of which a search can speak, for completing it while it is typed. */
  'deliveries.suggest': command(nothing, storedValuesSchema),
  /** Which of these deliveries a query finds. */
  'deliveries.matching': command(
    z.object({ query: z.string().max(4_000), seqs: z.array(z.number().int()).max(1_000) }),
    z.object({ seqs: z.array(z.number().int()) }),
  ),
} as const
