/** What the shell and other features may use of the first walk. */
export { walkCommands, WalkOffer } from './walk-offer.tsx'
export { FirstWalk } from './first-walk.tsx'
export { leaveWalk, walkHasFocus } from './walk-actions.ts'
