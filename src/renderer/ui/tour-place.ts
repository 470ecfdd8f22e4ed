/**
 * Places on the screen that the quick tour points at. Each feature marks its own, so that the tour needs no knowledge of other
 * features' markup.
 */

export type TourPlace =
  | 'list'
  | `delivery-${number}`
  | 'verdict'
  | 'diagnosis'
  | 'lifecycle'
  | 'sandbox-clock'
  | 'hooks-heading'
  | 'selected-hook'

export const TOUR_MARK = 'data-tour'

/** The attribute that marks an element as a place of the tour; no attribute for null. */
export function tourPlace(place: TourPlace | null): { readonly [TOUR_MARK]?: TourPlace } {
  return place === null ? {} : { [TOUR_MARK]: place }
}
