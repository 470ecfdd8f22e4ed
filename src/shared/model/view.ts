/** A saved search with a name, stored in the data folder. */
import { z } from 'zod'

export const VIEW_NAME_LENGTH = 80

export const viewSchema = z.object({
  id: z.string(),
  name: z.string().trim().min(1).max(VIEW_NAME_LENGTH),
  /** As written; relative times such as `2h` stay relative. */
  query: z.string().min(1).max(4_000),
})
export type View = z.infer<typeof viewSchema>
