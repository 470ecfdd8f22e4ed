/** The tour's exports for the shell and other features. */
export { tourCommands, TourOffer } from './tour-offer.tsx'
export { Tour } from './tour.tsx'
export { leaveTour, tourHasFocus } from './tour-actions.ts'
