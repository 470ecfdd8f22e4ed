/** Every step of the schema, in order. */
import type { Migration } from '../migrate.ts'
import { deliveryMigrations } from './deliveries.ts'
import { hookMigrations } from './hooks.ts'
import { runMigrations } from './runs.ts'
import { sendMigrations } from './sends.ts'

export const migrations: readonly Migration[] = [
  ...deliveryMigrations,
  ...hookMigrations,
  ...sendMigrations,
  ...runMigrations,
].toSorted((a, b) => a.version - b.version)
