/** Repeats and speed of the composer's requests. */
import { Popover } from '@base-ui/react/popover'
import { ChevronDown } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import type { Draft } from './draft.ts'
import type { ComposerState } from './use-composer.ts'

/** Returns the pace in words: `Send once`, `Send 3 times, 2 at once`. */
function paceWords({ repeat, concurrency, rate }: Draft): string {
  const words = [
    repeat.trim() === '1' ? 'Send once' : `Send ${repeat.trim()} times`,
    ...(concurrency.trim() === '1' ? [] : [`${concurrency.trim()} at once`]),
    ...(rate.trim() === '' ? [] : [`max ${rate.trim()} per second`]),
  ]
  return words.join(', ')
}

export function PaceMenu({
  composer: { draft, pace, change },
}: {
  readonly composer: ComposerState
}) {
  const field = (name: 'repeat' | 'concurrency' | 'rate') => ({
    inputMode: 'decimal' as const,
    value: draft[name],
    onChange: (value: string) => change({ [name]: value }),
  })
  return (
    <Popover.Root>
      <Popover.Trigger
        render={
          <Button
            kind="quiet"
            className={`min-w-0 shrink first:-ml-2.5 ${pace === null ? 'text-bad!' : ''}`}
          >
            <span className="truncate">{pace === null ? 'Send: not valid' : paceWords(draft)}</span>
            <ChevronDown size={13} className="shrink-0" />
          </Button>
        }
      />
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="start" className="z-50 outline-none">
          <Popover.Popup
            aria-label="Pace"
            className="flex w-64 flex-col gap-3 rounded-control border border-line bg-raised p-4 text-base shadow-overlay outline-none"
          >
            <TextField label="Repeat" {...field('repeat')} />
            <TextField label="Concurrency" hint="1 preserves order." {...field('concurrency')} />
            <TextField label="Max per second" placeholder="No limit" {...field('rate')} />
            {pace === null && (
              <p className="text-small text-bad" role="alert">
                Max 1,000 repeats, 64 concurrent, 100,000 per second
              </p>
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
