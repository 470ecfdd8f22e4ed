/**
 * Tests that repeat something have a short form, which `npm test` runs, and a long one, which `npm run soak` runs. Both are the same
 * test with other counts, and both can fail. `scripts/soak.mjs` runs each test file that imports this one.
 */
export const isLongForm = process.env['COUNTERSIGN_SOAK'] !== undefined

/** How often to repeat: `short` in `npm test`, `long` in `npm run soak`. */
export const times = (short: number, long: number): number => (isLongForm ? long : short)

/**
 * Every time limit of the tests. It ends those that hang: no other limit, because no test may depend on the computer's speed.
 */
export const TEST_TIMEOUT_MS = times(180_000, 50 * 60_000)
