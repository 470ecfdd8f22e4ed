/** A program, the payload of `program.status` (section 2.3 of the interface). */
import type { z } from 'zod'
import { flag, integer, resource, shownText, text, timestamp, uuid } from './field.ts'

export const programSchema = resource('2.3', {
  id: uuid(),
  accountId: uuid(),
  active: flag(),
  activeDate: timestamp(),
  created: timestamp(),
  updated: timestamp(),
  live: flag(),
  name: text(),
  syncStats: resource('2.3', {
    created: timestamp(),
    locations: integer(),
    estimatedEndDate: timestamp(),
    status: shownText('syncing'),
  }),
})
export type Program = z.infer<typeof programSchema>
