/**
 * Property tests use a new seed each time, so that many runs cover more cases. In CI the seed is fixed, so that the result depends
 * only on the commit. A failing seed is printed with its test and can be passed again: `{ seed }`. They run thirty times, and as
 * often as fast-check does in `npm run soak`.
 */
// Doesn't use `@fast-check/vitest`, which costs half a second of processor time per test file. The seed is the same.
import fc from 'fast-check'
import { times } from './long-form.ts'

fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  numRuns: times(30, 100),
  ...(process.env['CI'] === undefined ? {} : { seed: 20_261_121 }),
})
