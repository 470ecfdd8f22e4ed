/** What other features, and the shell, may use of the comparison. */
export { compareKeys } from './key-actions.ts'
export { CompareScreen } from './compare-screen.tsx'
