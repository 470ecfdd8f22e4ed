export { leaveTour, Tour, tourCommands, tourHasFocus, TourOffer } from './tour.tsx'
