/**
 * Sets a new seed for property tests at each run, and a fixed one in CI. A failing seed is printed
 * with its test and can be passed again: `{ seed }`.
 */
// Without `@fast-check/vitest`, which costs half a second of processor time per test file.
import fc from 'fast-check'
import { times } from './long-form.ts'

fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  numRuns: times(30, 100),
  ...(process.env['CI'] === undefined ? {} : { seed: 20_261_121 }),
})
