/** Pages in place of the app: while its core opens, after it failed to open, and signed out. */
import type { ReactNode } from 'react'
import { useApp, useAppParts } from '../ui-state/use-app.ts'
import { CopyButton } from '../ui/copy.tsx'
import { Button } from '../ui/button.tsx'
import { Mark } from './rail.tsx'
import { shellWord } from '../../shared/snippets/shell-word.ts'

/** Shows that the core is starting, after a delay that most starts don't reach. */
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

function StartPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <main className="flex h-full items-start justify-center overflow-auto bg-ground px-6 py-[14vh]">
      <div className="w-full max-w-[560px] min-w-0">
        <Mark />
        <h1 className="mt-4 text-display font-medium">{title}</h1>
        {children}
      </div>
    </main>
  )
}

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
    <StartPage title="Couldn't start Countersign">
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
    </StartPage>
  )
}

export function SessionOver() {
  // Undefined if this page never connected.
  const dataFolder = useApp((state) => state.core.status?.dataFolder)
  const command =
    dataFolder === undefined
      ? 'npx countersign open'
      : `npx countersign open --data ${shellWord(dataFolder)}`
  return (
    <StartPage title="Signed out">
      <p className="mt-1 text-muted">
        This browser was signed out, or no longer has its key. Open Countersign again with:
      </p>
      <p className="mt-3 flex min-h-9 items-center gap-2 rounded-control border border-line bg-surface py-1.5 pr-1.5 pl-3">
        <code className="data min-w-0 flex-1 wrap-anywhere">{command}</code>
        <CopyButton text={command} label="Copy command" />
      </p>
      {dataFolder === undefined && (
        <p className="mt-2 text-small text-subtle">
          If you started Countersign with --data, add the same option.
        </p>
      )}
    </StartPage>
  )
}
