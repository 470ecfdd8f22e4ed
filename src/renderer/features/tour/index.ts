/** The tour's exports for the shell and other features. */
export { leaveTour, Tour, tourCommands, tourHasFocus, TourOffer } from './tour.tsx'
