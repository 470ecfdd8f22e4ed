/** `npm run soak`: the long form of the promises that `npm test` checks briefly. `--only NAME`, `--json FILE`. */
import { parseArgs } from 'node:util'
import { runMeasurements } from './lib/measurement.ts'

const { values } = parseArgs({ options: { only: { type: 'string' }, json: { type: 'string' } } })
process.exit(await runMeasurements('test/soak/*.soak.ts', values))
