/**
 * Property tests draw from a new seed each time, so that many runs look at much. In CI they draw from the same one: the outcome of
 * a run is then of its commit alone. A seed that fails is named with its test, and can be given back: `{ seed }`.
 */
// Not by way of `@fast-check/vitest`, which takes half a second of the processor in each test file; the seed is the same one's.
import fc from 'fast-check'

if (process.env['CI'] !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_121 })
