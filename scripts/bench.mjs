/**
 * `npm run bench [--only NAME] [--json FILE]`: runs and prints the measurements of
 * `docs/contributing/performance.md`.
 */
import { parseArgs } from 'node:util'
import { runMeasurements } from './lib/measurement.ts'

const { values } = parseArgs({ options: { only: { type: 'string' }, json: { type: 'string' } } })
process.exit(await runMeasurements('test/bench/*.bench.ts', values))
