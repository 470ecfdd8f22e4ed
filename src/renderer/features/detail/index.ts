/** What the shell may use of the delivery that is looked at. */
export { Detail } from './detail.tsx'
export { detailKeys } from './key-actions.ts'
