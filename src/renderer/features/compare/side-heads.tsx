/** The headings of the sides. */
import { ArrowLeftRight, ClipboardPaste, Pencil } from 'lucide-react'
import { useAppParts } from '../../ui-state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import { byteSize, calendarDay, clockTime } from '../../ui/moment.ts'
import { VerdictBadge } from '../../ui/verdict.tsx'
import type { SideName } from './compare-slice.ts'
import { SideEvent, SideMark } from './side-pieces.tsx'
import { sideFacts, type ComparedSides } from './use-sides.ts'

export interface SidesProps {
  readonly sides: ComparedSides
}

export function SideHeads({ sides }: SidesProps) {
  const { swap, isTable } = useAppParts(({ compare, navigation: { at } }) => ({
    swap: compare.swapSides,
    isTable:
      compare.layout === 'split' &&
      ['structure', 'headers'].includes(at.compare.tab ?? 'structure'),
  }))
  // B begins where its column does below, if it then has room.
  const width = isTable ? 'min-[1100px]:w-[calc(50%+min(15%,160px)-31px)]' : ''
  return (
    <div className="flex shrink-0 items-stretch border-b border-line bg-surface max-[700px]:flex-col">
      <div className={`flex w-[calc(50%-40px)] shrink-0 max-[700px]:w-auto ${width}`}>
        <SideHead name="left" {...sides.left} />
      </div>
      <div className="flex w-10 shrink-0 items-center justify-center border-x border-line max-[700px]:w-auto max-[700px]:border-0">
        <IconButton label="Swap sides" shortcut="swap-sides" icon={ArrowLeftRight} onClick={swap} />
      </div>
      <SideHead name="right" {...sides.right} />
    </div>
  )
}

function SideHead({
  name,
  choice,
  side,
  isGone,
  problem,
}: { readonly name: SideName } & ComparedSides[SideName]) {
  const { chooseSide, go } = useAppParts((state) => ({
    chooseSide: state.compare.chooseSide,
    go: state.navigation.go,
  }))
  const letter = name === 'left' ? 'A' : 'B'
  const word = choice === null ? 'Choose…' : 'Change…'
  return (
    <div className="flex min-w-0 flex-1 items-center gap-2.5 py-2 pr-3 pl-4">
      <SideMark name={letter} />
      <div className="min-w-0 flex-1">
        {side?.kind === 'delivery' ? (
          <button
            type="button"
            title="Open delivery"
            className="block w-full rounded-small text-left hover:bg-raised"
            onClick={() => go('deliveries', { id: side.delivery.id })}
          >
            <span className="flex min-w-0 items-center gap-2">
              <span className="shrink-0">
                <VerdictBadge of={side.delivery} />
              </span>
              <SideEvent of={side.delivery} />
            </span>
            <span className="flex gap-2 text-small text-subtle">
              <span className="shrink-0">
                {calendarDay(side.delivery.receivedAt)}{' '}
                <span className="data text-muted">{clockTime(side.delivery.receivedAt)}</span>
              </span>
              <span className="truncate">
                {[
                  ...sideFacts(side).slice(1),
                  byteSize(side.bytes.length),
                  shortIdOf(side.delivery.id),
                ].join(' · ')}
              </span>
            </span>
          </button>
        ) : side?.kind === 'text' ? (
          <span className="flex items-center gap-2">
            <ClipboardPaste size={14} className="text-muted" />
            Pasted text
            <span className="text-small text-subtle">{byteSize(side.text.length)}</span>
          </span>
        ) : choice === null ? (
          <span className="text-muted">Nothing selected</span>
        ) : problem !== null ? (
          <span className="text-muted">{isGone ? 'No longer exists' : "Couldn't load"}</span>
        ) : (
          <span className="late skeleton block h-3 w-48" />
        )}
      </div>
      <Button kind="quiet" icon={Pencil} title={word} onClick={() => chooseSide(name)}>
        <span className="max-[1000px]:sr-only">{word}</span>
        <span className="sr-only">{letter}</span>
      </Button>
    </div>
  )
}
