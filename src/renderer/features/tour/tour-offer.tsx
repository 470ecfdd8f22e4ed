/** Offers to take, continue or retake the quick tour. */
import { Footprints } from 'lucide-react'
import type { FirstWalk } from '../../../shared/model/first-walk.ts'
import type { PaletteItem } from '../../state/commands.ts'
import type { AppState } from '../../state/store.ts'
import { useAppParts } from '../../state/use-app.ts'
import { Button, type ButtonProps } from '../../ui/button.tsx'
import { stationNumber } from './stations.ts'

/** `short`: for narrow places. */
function tourOfferWords(walk: FirstWalk | null, short = false): string {
  if (walk === null) return short ? 'Quick tour' : 'Take the quick tour · 2 minutes'
  if (walk.finished) return 'Retake the quick tour'
  return short ? 'Continue tour' : `Continue the quick tour · ${stationNumber(walk.station)} of 6`
}

/** Renders nothing while the tour's panel is shown. */
export function TourOffer({ kind, short = false }: Pick<ButtonProps, 'kind'> & { readonly short?: boolean }) {
  const { walk, beginTour, connected } = useAppParts((state) => ({
    walk: state.core.settings.firstWalk,
    beginTour: state.tour.begin,
    connected: state.core.connection.phase === 'open',
  }))
  if (walk?.shown === true) return null
  return (
    <Button
      {...(kind === undefined ? {} : { kind })}
      icon={<Footprints size={14} aria-hidden />}
      disabled={!connected}
      onClick={() => void beginTour()}
    >
      {tourOfferWords(walk, short)}
    </Button>
  )
}

/** Palette commands: take, continue or leave the quick tour. */
export function tourCommands(state: AppState): readonly PaletteItem[] {
  const walk = state.core.settings.firstWalk
  if (walk?.shown === true) return [{ value: 'leave-walk', label: 'Leave the quick tour', run: () => void state.tour.leave() }]
  return [{ value: 'walk', label: tourOfferWords(walk), run: () => void state.tour.begin() }]
}
