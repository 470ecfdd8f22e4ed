/** What the shell and other features may use of the first walk. */
export { walkCommands } from './commands.ts'
export { FirstWalk } from './first-walk.tsx'
export { leaveWalk, walkHasFocus } from './walk-actions.ts'
export { WalkOffer } from './walk-offer.tsx'
