/** The progress of a shrink, in its dialog or in the status bar. */
import { LoaderCircle } from 'lucide-react'
import { useState } from 'react'
import { counted } from '../../../shared/text/counted.ts'
import type { ShrinkRun } from '../../../shared/model/shrink.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { Button, FootButton } from '../../ui/button.tsx'
import { useFirstFocus } from '../../ui/dialog.tsx'
import { Middle } from '../../ui/middle.tsx'
import { byteSize } from '../../ui/moment.ts'
import { ProgressBar } from '../../ui/progress-bar.tsx'

const words: Readonly<Record<ShrinkRun['phase'], string>> = {
  confirming: 'Confirming that it fails the same way every time…',
  removing: 'Removing parts of the body…',
  simplifying: 'Simplifying values…',
  checking: 'Confirming that the smallest body fails…',
  ended: 'Done',
}

/** The failure to reproduce, in words. */
export function shrinkFailureWords({ failure }: Pick<ShrinkRun, 'failure'>): string {
  if (failure === null) return ''
  return failure.kind === null
    ? `returns ${failure.status ?? 'no response'}`
    : `doesn't respond (${failure.kind})`
}

export function ShrinkProgress({
  run,
  onHide,
}: {
  readonly run: ShrinkRun
  readonly onHide: () => void
}) {
  const cancelShrink = useApp((state) => state.shrink.cancel)
  const first = useFirstFocus<HTMLButtonElement>()
  const [cancelling, setCancelling] = useState(false)
  const { phase, sends, maxSends, size, originalSize, target } = run
  return (
    <div className="flex flex-col gap-3.5">
      <p role="status" className="flex items-center gap-2 font-medium">
        <LoaderCircle
          size={14}
          aria-hidden
          className="animate-spin text-muted motion-reduce:animate-none"
        />
        {words[phase]}
      </p>
      <ProgressBar label="Remaining body" value={size} max={originalSize} />
      <dl className="grid grid-cols-[96px_minmax(0,1fr)] gap-y-1 text-small">
        <dt className="text-subtle">Body</dt>
        <dd className="data">
          {byteSize(size)} <span className="text-subtle">of {byteSize(originalSize)}</span>
        </dd>
        <dt className="text-subtle">Requests</dt>
        <dd className="data">
          {sends} <span className="text-subtle">of max {maxSends}</span>
        </dd>
        <dt className="text-subtle">Handler</dt>
        <dd className="flex min-w-0 flex-wrap gap-x-2">
          <Middle text={target} tail={12} className="data" />
          <span className="text-muted">{shrinkFailureWords(run)}</span>
        </dd>
      </dl>
      <div className="mt-1 flex justify-end gap-2">
        <Button
          className="mr-auto h-8"
          disabled={cancelling}
          onClick={() => {
            setCancelling(true)
            void cancelShrink()
          }}
        >
          {cancelling ? 'Stopping…' : 'Stop'}
        </Button>
        <Button className="h-8" onClick={onHide} ref={first}>
          Hide
        </Button>
      </div>
    </div>
  )
}

/** Status bar entry while the dialog is hidden: opens the dialog or stops the search. */
export function ShrinkFoot() {
  const { run, cancel: cancelShrink } = useParts('shrink', 'run', 'cancel')
  const { overlay, openOverlay } = useParts('navigation', 'overlay', 'openOverlay')
  if (run === null || run.outcome !== null || overlay === 'shrink') return null
  return (
    <span className="flex items-center gap-1">
      <FootButton
        onClick={() => {
          openOverlay('shrink')
        }}
      >
        <LoaderCircle
          size={11}
          aria-hidden
          className="animate-spin text-accent motion-reduce:animate-none"
        />
        Smallest body: {counted(run.sends, 'request')}
      </FootButton>
      <FootButton onClick={() => void cancelShrink()}>Stop</FootButton>
    </span>
  )
}
