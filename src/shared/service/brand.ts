/** A brand, the payload of `brand.consent` (section 2.2 of the interface). */
import type { z } from 'zod'
import { address, flag, resource, text, timestamp, uuid } from './field.ts'

export const brandSchema = resource('2.2', {
  id: uuid(),
  accountId: uuid(),
  consent: flag(),
  created: timestamp(),
  updated: timestamp(),
  live: flag(),
  name: text(),
  logoURL: address(),
})
export type Brand = z.infer<typeof brandSchema>
