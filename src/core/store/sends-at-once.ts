/**
 * So many sends are changed in one transaction where there may be a million: it takes a few milliseconds, and what comes in is stored
 * in between.
 */
export const SENDS_AT_ONCE = 2_000
