/** The tour's exports for the shell and other features. */
export { Tour, tourCommands, TourOffer } from './tour.tsx'
export { leaveTour, tourHasFocus } from './tour-actions.ts'
