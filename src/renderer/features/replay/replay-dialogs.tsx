import { useApp, useParts } from '../../ui-state/use-app.ts'
import { Dialog } from '../../ui/dialog.tsx'
import type { ReplaySource } from './replay-state.ts'
import { DeliveryWords } from './delivery-words.tsx'
import { ReplaysPanel } from './replays-panel.tsx'
import { Composer } from './replay-composer.tsx'
import { TargetForm } from './target-form.tsx'
import { ComparisonForm } from './comparison-form.tsx'

function titleOf(source: ReplaySource): string {
  if (source.kind === 'new') return 'New request'
  if (source.kind === 'query')
    return source.query === '' ? 'Replay all deliveries' : 'Replay matching deliveries'
  return source.rows.length === 1
    ? 'Replay with changes'
    : `Replay ${source.rows.length.toLocaleString('en')} deliveries`
}

/** Returns title and description of the target dialog, for one or several deliveries and hooks. */
export function targetDialogWords(source: ReplaySource): {
  readonly title: string
  readonly description: string
} {
  const isOne = source.kind === 'rows' && source.rows.length === 1
  const isOfOneHook =
    source.kind === 'rows' && new Set(source.rows.map(({ hookId }) => hookId)).size === 1
  return {
    title: `Choose where to send ${isOne ? 'it' : 'them'}`,
    description: `Later replays for ${isOfOneHook ? 'this hook' : 'these hooks'} go there directly.`,
  }
}

export function ReplayDialogs() {
  const { overlay, closeOverlay } = useParts('navigation', 'overlay', 'closeOverlay')
  const source = useApp((state) => state.replay.source)
  const only = source?.kind === 'rows' && source.rows.length === 1 ? source.rows[0] : undefined
  return (
    <>
      <Dialog
        open={overlay === 'replays'}
        onClose={closeOverlay}
        title="Replays"
        description="Deliveries sent again"
        large
      >
        <ReplaysPanel onLeave={closeOverlay} />
      </Dialog>
      <Dialog
        open={overlay === 'replay-target' && source !== null}
        onClose={closeOverlay}
        {...(source === null ? { title: '' } : targetDialogWords(source))}
      >
        {source !== null && <TargetForm source={source} onDone={closeOverlay} />}
      </Dialog>
      <Dialog
        open={overlay === 'compare-runs'}
        onClose={closeOverlay}
        title="Compare runs"
        description="Sends deliveries again and shows which responses changed."
      >
        <ComparisonForm onDone={closeOverlay} />
      </Dialog>
      <Dialog
        open={overlay === 'replay-composer' && source !== null}
        onClose={closeOverlay}
        title={source === null ? '' : titleOf(source)}
        {...(source?.kind === 'new'
          ? { large: true, description: 'Signed like the service, and stored as composed' }
          : only === undefined
            ? { wide: true }
            : { large: true, description: <DeliveryWords row={only} /> })}
      >
        {source !== null && <Composer source={source} onDone={closeOverlay} />}
      </Dialog>
    </>
  )
}
