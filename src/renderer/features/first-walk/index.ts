/** What the shell and other features may use of the first walk. */
export { FirstWalk } from './first-walk.tsx'
export { leaveWalk, walkHasFocus } from './walk-actions.ts'
export { WalkOffer, walkOfferWords } from './walk-offer.tsx'
