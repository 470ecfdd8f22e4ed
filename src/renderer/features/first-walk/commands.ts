/** What the palette offers of the first walk: to take it, to go on with it, or to leave it. */
import type { PaletteItem } from '../../state/palette.ts'
import type { AppState } from '../../state/store.ts'
import { walkOfferWords } from './walk-offer.tsx'

export function walkCommands(state: AppState): readonly PaletteItem[] {
  const walk = state.core.settings.firstWalk
  if (walk?.shown === true) return [{ value: 'leave-walk', label: 'Leave the first walk', run: () => void state.tour.leave() }]
  return [{ value: 'walk', label: walkOfferWords(walk), run: () => void state.tour.begin() }]
}
