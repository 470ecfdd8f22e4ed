/** The composer's frame: request at the left, options at the right, problem and footer below. */
import type { ReactNode } from 'react'
import { ProblemView } from '../../ui/problem-view.tsx'
import { ComposerFooter } from './composer-footer.tsx'
import type { Captured } from './draft.ts'
import type { ComposerState } from './use-composer.ts'

export function ComposerFrame({
  composer,
  captured,
  request,
  options,
  onDone,
}: {
  readonly composer: ComposerState
  readonly captured: Captured | null
  readonly request: ReactNode
  readonly options: ReactNode
  readonly onDone: () => void
}) {
  const { problem, sendByKey } = composer
  return (
    <div className="@container flex min-h-0 flex-1 flex-col" onKeyDown={sendByKey}>
      <div className="flex min-h-0 flex-1 @max-[600px]:flex-col @max-[600px]:overflow-auto">
        <div className="@container flex min-h-0 min-w-0 flex-1 flex-col @max-[600px]:h-[calc(100%-32px)] @max-[600px]:min-h-64 @max-[600px]:flex-none">
          {request}
        </div>
        <section
          aria-label="Options"
          tabIndex={0}
          className="@container w-[38%] min-w-75 shrink-0 overflow-auto border-l border-line bg-ground @max-[600px]:w-auto @max-[600px]:min-w-0 @max-[600px]:overflow-visible @max-[600px]:border-t @max-[600px]:border-l-0"
        >
          {options}
        </section>
      </div>
      {problem !== null && (
        <div className="shrink-0 border-t border-line px-5 py-2">
          <ProblemView problem={problem} covered={['targetCa', 'name']} />
        </div>
      )}
      <ComposerFooter captured={captured} composer={composer} onDone={onDone} />
    </div>
  )
}
