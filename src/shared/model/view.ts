/** Saved view: a search with a name. */
import { z } from 'zod'
import { inForm } from './field-words.ts'

export const VIEW_NAME_LENGTH = 80

export const viewSchema = z.object({
  id: z.string(),
  name: inForm(z.string().trim().min(1).max(VIEW_NAME_LENGTH), { label: 'Name' }),
  query: inForm(z.string().min(1).max(4_000), {
    label: 'Search',
    hint: 'Relative times such as after:2h are evaluated when you open the view',
  }),
})

export type View = z.infer<typeof viewSchema>

/** Views of every data folder, with names fixed for scripts (`--view`). */
export const BUILT_IN_VIEWS = [
  { id: 'all', name: 'All', query: '' },
  { id: 'invalid', name: 'Invalid', query: 'is:invalid is:verified' },
  { id: 'stale', name: 'Stale', query: 'is:valid is:verified -is:fresh' },
  { id: 'retried', name: 'Retried', query: 'is:retry' },
  { id: 'schema-errors', name: 'Schema errors', query: 'schema:issues' },
  { id: 'failing', name: 'Failing at your handler', query: 'response:failing' },
  { id: 'imported', name: 'Imported', query: 'is:imported' },
  { id: 'flow-runs', name: 'Flow runs', query: 'is:flow' },
  { id: 'composed', name: 'Composed', query: 'is:composed' },
  { id: 'last-hour', name: 'Last hour', query: 'within:1h' },
] as const satisfies readonly View[]
