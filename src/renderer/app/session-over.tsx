/** The whole page, once this page may not connect any more. */
import { CopyButton } from '../ui/copy.tsx'
import { Mark } from './mark.tsx'

const COMMAND = 'npx countersign open'

export function SessionOver() {
  return (
    <main className="flex h-full items-start justify-center bg-ground px-6 pt-[18vh]">
      <div className="max-w-[460px]">
        <Mark />
        <h1 className="mt-4 text-display font-medium">This page’s session is over</h1>
        <p className="mt-1 text-muted">
          Countersign was started anew, or this address was opened elsewhere. Nothing is lost. Open a fresh address with:
        </p>
        <p className="mt-3 flex h-9 items-center gap-2 rounded-control border border-line bg-surface pr-1.5 pl-3">
          <code className="data flex-1">{COMMAND}</code>
          <CopyButton text={COMMAND} label="Copy the command" />
        </p>
      </div>
    </main>
  )
}
