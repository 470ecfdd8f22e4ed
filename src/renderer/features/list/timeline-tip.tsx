/** The tip beside a bar of the timeline, and bars in words. */
import { sumOf } from '../../../shared/model/statistics.ts'
import { counted } from '../../../shared/text/english.ts'
import { timeText, type TimelineClass, type TimelineFrame } from './timeline-facts.ts'

/** Width in pixels. */
const TIP_WIDTH = 172

export function Swatch({ of: { paint, isHatched } }: { readonly of: TimelineClass }) {
  const background =
    isHatched === true
      ? `repeating-linear-gradient(45deg, ${paint} 0 2px, var(--ground) 2px 3.5px)`
      : paint
  return <span aria-hidden className="size-2 rounded-[2px]" style={{ background }} />
}

/** Returns a bar in words: `14:32 to 14:33: 3 deliveries, 2 valid, 1 invalid`. */
export function barText(
  frame: TimelineFrame,
  index: number,
  parts: readonly number[],
  classes: readonly TimelineClass[],
): string {
  const each = parts.flatMap((count, part) =>
    count === 0 ? [] : `${count.toLocaleString('en')} ${classes[part]?.word.toLowerCase() ?? ''}`,
  )
  return `${barTime(frame, index)}: ${[counted(sumOf(parts), 'delivery', 'deliveries'), ...each].join(', ')}`
}

export function barTime({ start, width, bins }: TimelineFrame, index: number): string {
  const at = start + index * width
  return `${timeText(at, width)} to ${index >= bins - 1 ? 'now' : timeText(at + width, width)}`
}

/** Returns the left edge of a tip: right of the bar if there is room, otherwise left of it. */
export function tipPlace(at: number, width: number): number {
  const right = at + 24
  return right + TIP_WIDTH <= width ? right : Math.max(0, at - TIP_WIDTH - 8)
}

export function Tip({
  time,
  parts,
  classes,
  left,
}: {
  readonly time: string
  readonly parts: readonly number[]
  readonly classes: readonly TimelineClass[]
  readonly left: number
}) {
  return (
    <div
      role="tooltip"
      style={{ left, width: TIP_WIDTH }}
      className="pointer-events-none absolute top-full z-20 rounded-control border border-edge bg-raised px-3 py-2 text-small shadow-overlay"
    >
      <p className="data mb-1 text-muted">{time.replace(' to ', ' – ')}</p>
      {classes.map((part, place) => (
        <p key={part.word} className="flex h-5 items-center gap-1.5">
          <Swatch of={part} />
          <span className="flex-1 text-muted">{part.word}</span>
          <span className="data">{(parts[place] ?? 0).toLocaleString('en')}</span>
        </p>
      ))}
    </div>
  )
}
