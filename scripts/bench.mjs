/** `npm run bench`: runs the measurements of `docs/performance.md` and prints its tables. `--only NAME`, `--json FILE`. */
import { parseArgs } from 'node:util'
import { runMeasurements } from './lib/measurement.ts'

const { values } = parseArgs({ options: { only: { type: 'string' }, json: { type: 'string' } } })
process.exit(await runMeasurements('test/bench/*.bench.ts', values))
