/** A side's mark and event, and texts with differences in its color. */
import type { DiffPiece } from '../../../shared/diff/rows.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { EventLabel } from '../../ui/tinted-event.tsx'
import { eventWord } from '../../ui/verdict.tsx'

const marks = { left: 'bg-side-a/25', right: 'bg-side-b/25' } as const

/** Draws a text in pieces, with differences marked in the color of their side. */
export function Pieces({
  pieces,
  side,
}: {
  readonly pieces: readonly DiffPiece[]
  readonly side: 'left' | 'right' | null
}) {
  return pieces.map(({ text, isChanged }, index) => (
    <span key={index} className={isChanged && side !== null ? `rounded-small ${marks[side]}` : ''}>
      <ExactText text={text} />
    </span>
  ))
}

export function SideMark({ name }: { readonly name: 'A' | 'B' }) {
  const colors = name === 'A' ? 'bg-side-a-wash text-side-a' : 'bg-side-b-wash text-side-b'
  return (
    <span
      className={`inline-flex size-5 shrink-0 items-center justify-center rounded-small font-mono text-tiny font-medium ${colors}`}
    >
      {name}
    </span>
  )
}

export function SideEvent({ of }: { readonly of: Parameters<typeof eventWord>[0] }) {
  const { text, color } = eventWord(of)
  return <EventLabel event={text} className={color} />
}
