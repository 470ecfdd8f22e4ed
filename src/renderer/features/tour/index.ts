/** What the shell and other features may use of the first walk. */
export { tourCommands, TourOffer } from './tour-offer.tsx'
export { Tour } from './tour.tsx'
export { leaveTour, tourHasFocus } from './tour-actions.ts'
