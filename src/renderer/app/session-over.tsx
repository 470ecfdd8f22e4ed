/** The whole page, once this page may not connect any more. */
import { shellWord } from '../../shared/snippets/shell-word.ts'
import { useApp } from '../state/use-app.ts'
import { CopyButton } from '../ui/copy.tsx'
import { Mark } from './mark.tsx'

export function SessionOver() {
  // A page that never connected doesn't know which folder its Countersign uses.
  const dataFolder = useApp((state) => state.core.status?.dataFolder)
  const command = dataFolder === undefined ? 'npx countersign open' : `npx countersign open --data ${shellWord(dataFolder)}`
  return (
    <main className="flex h-full items-start justify-center bg-ground px-6 pt-[18vh]">
      <div className="max-w-[460px] min-w-0">
        <Mark />
        <h1 className="mt-4 text-display font-medium">This page’s session is over</h1>
        <p className="mt-1 text-muted">
          Countersign was restarted, or its address was opened elsewhere. Nothing is lost. Open a new address with:
        </p>
        <p className="mt-3 flex min-h-9 items-center gap-2 rounded-control border border-line bg-surface py-1.5 pr-1.5 pl-3">
          <code className="data min-w-0 flex-1 wrap-anywhere">{command}</code>
          <CopyButton text={command} label="Copy the command" />
        </p>
        {dataFolder === undefined && (
          <p className="mt-2 text-small text-subtle">If you started Countersign with --data, add the same option.</p>
        )}
      </div>
    </main>
  )
}
