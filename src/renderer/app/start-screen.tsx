/** The desktop app's window while its core opens, and the reason if it can't. */
import { useApp, useAppParts } from '../state/use-app.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Mark } from './rail.tsx'

/** Appears after a moment: most starts take less, and a flash would only disturb. */
export function StartScreen() {
  return (
    <main className="flex h-full items-start justify-center bg-ground px-6 pt-[18vh] window-drag">
      <div className="flex w-full max-w-[460px] items-center gap-4 late">
        <Mark />
        <h1 role="status" className="text-display font-medium">
          Starting Countersign…
        </h1>
      </div>
    </main>
  )
}

/** What happened, what to do, and the ways out. */
export function FailedStartScreen() {
  const connection = useApp((state) => state.core.connection)
  const { canShow, show, quit } = useAppParts((state) => ({
    quit: state.settings.quit,
    canShow: state.settings.canShowInFolder,
    show: state.settings.showInFolder,
  }))
  if (connection.phase !== 'failed') return null
  const { reason, details } = connection
  return (
    <main className="flex h-full items-start justify-center overflow-auto bg-ground px-6 py-[14vh]">
      <div className="w-full max-w-[560px] min-w-0">
        <Mark />
        <h1 className="mt-4 text-display font-medium">Couldn't start Countersign</h1>
        <p role="alert" className="mt-1 wrap-anywhere text-muted">
          {reason}
        </p>
        <div className="mt-4 flex flex-wrap items-center gap-2">
          <Button kind="primary" onClick={() => void quit()}>
            Quit
          </Button>
          {canShow && <Button onClick={() => void show('data')}>Open data folder</Button>}
          <CopyButton text={details} label="Copy details" caption="Copy details" />
        </div>
      </div>
    </main>
  )
}
