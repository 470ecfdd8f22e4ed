/** Every step of the schema, in order. */
import type { Migration } from './migration.ts'
import { migration as deliveries } from './0010-deliveries.ts'
import { migration as hooks } from './0020-hooks.ts'
import { migration as keeping } from './0050-keeping.ts'
import { migration as sends } from './0060-sends.ts'
import { migration as editedSends } from './0061-edited-sends.ts'
import { migration as forward } from './0070-forward.ts'
import { migration as checkRuns } from './0075-check-runs.ts'
import { migration as flowRuns } from './0080-flow-runs.ts'
import { migration as settledSends } from './0100-settled-sends.ts'
import { migration as reached } from './0120-reached.ts'
import { migration as countedJobs } from './0130-counted-jobs.ts'
import { migration as sealedHeaders } from './0140-sealed-headers.ts'
import { migration as origin } from './0150-origin.ts'
import { migration as trailers } from './0170-trailers.ts'

export const migrations: readonly Migration[] = [
  deliveries,
  hooks,
  keeping,
  sends,
  editedSends,
  forward,
  checkRuns,
  flowRuns,
  settledSends,
  reached,
  countedJobs,
  sealedHeaders,
  origin,
  trailers,
]
