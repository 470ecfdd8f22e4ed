/**
 * Whether the long form of tests runs, as in `npm run soak`, which runs the importers of this file.
 */
export const isLongForm = process.env['COUNTERSIGN_SOAK'] !== undefined

/** Returns the number of repetitions: `short` in `npm test`, `long` in `npm run soak`. */
export const times = (short: number, long: number): number => (isLongForm ? long : short)

/** Time limit that ends tests that hang; no test may depend on the computer's speed. */
export const TEST_TIMEOUT_MS = times(180_000, 50 * 60_000)
