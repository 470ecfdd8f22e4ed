/** What other features, and the shell, may use of the comparison. */
export { CompareScreen } from './compare-screen.tsx'
