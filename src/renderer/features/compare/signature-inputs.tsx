/** The signature inputs of each side (spec 5.2): body, URL, timestamp, and the hook whose secret was used. */
import { Equal, EqualNot } from 'lucide-react'
import type { ReactNode } from 'react'
import { firstDifference, diffWords } from '../../../shared/diff/words.ts'
import type { DiffPiece } from '../../../shared/diff/rows.ts'
import { useApp } from '../../state/use-app.ts'
import { byteCount, exactTime } from '../../ui/moment.ts'
import { VerdictBadge } from '../../ui/verdict.tsx'
import { SideMark } from './change-inspector.tsx'
import { Pieces } from './diff-line.tsx'
import type { Side } from './sides.ts'

type Delivered = Extract<Side, { kind: 'delivery' }>

export function SignatureInputs({
  left,
  right,
}: {
  readonly left: Side | null
  readonly right: Side | null
}) {
  const hooks = useApp((state) => state.core.hooks)
  if (left?.kind !== 'delivery' || right?.kind !== 'delivery')
    return (
      <p className="px-5 py-4 text-muted">
        Pasted text has no signature. Choose two deliveries to compare signature inputs.
      </p>
    )
  const hookOf = ({ signature }: Delivered) => {
    const hook = hooks.find(({ id }) => id === signature?.hookId)
    if (signature === null || hook === undefined) return null
    return `${hook.event} · ${hook.environment} · secret ${signature.secretHint ?? 'unknown'}`
  }
  const difference = firstDifference(left.bytes, right.bytes)
  return (
    <div
      className="h-full overflow-auto px-5 py-4"
      tabIndex={0}
      role="group"
      aria-label="Signature inputs"
    >
      <div className="overflow-hidden rounded-control border border-line">
        <Part
          name="Body"
          look="border-l-part-body text-part-body"
          isSame={difference === null}
          left={null}
          right={null}
        >
          <BodyValue side={left} mark="A" />
          <BodyValue side={right} mark="B" />
          {difference !== null && (
            <p className="col-span-2 text-small text-muted">
              First difference at byte {(difference + 1).toLocaleString('en')}. A single byte
              changes the signature.
            </p>
          )}
        </Part>
        <Text
          name="URL"
          look="border-l-part-url text-part-url"
          left={left.signature?.url ?? null}
          right={right.signature?.url ?? null}
          missing="unknown: no matching hook"
        />
        <Text
          name="Timestamp"
          look="border-l-part-time text-part-time"
          left={left.signature?.timestamp ?? null}
          right={right.signature?.timestamp ?? null}
          missing="no timestamp header"
          note={timeOf}
        />
        <Text
          name="Secret"
          look="border-l-edge text-muted"
          left={hookOf(left)}
          right={hookOf(right)}
          missing="no matching hook"
        />
        <Text
          name="Signature"
          look="border-l-edge text-muted"
          left={left.signature?.received ?? null}
          right={right.signature?.received ?? null}
          missing="no signature header"
          isWhole
        />
        <Part
          name="Verdict"
          look="border-l-edge text-muted"
          isSame={left.delivery.verdict === right.delivery.verdict}
          left={null}
          right={null}
        >
          <span className="flex items-center gap-2">
            <SideMark name="A" />
            <VerdictBadge of={left.delivery} />
          </span>
          <span className="flex items-center gap-2">
            <SideMark name="B" />
            <VerdictBadge of={right.delivery} />
          </span>
        </Part>
      </div>
    </div>
  )
}

function timeOf(value: string): string | null {
  const time = Number(value)
  if (!/^\d{1,15}$/.test(value) || Number.isNaN(new Date(time).getTime())) return null
  return exactTime(new Date(time).toISOString())
}

interface PartProps {
  readonly name: string
  readonly look: string
  readonly isSame: boolean
  readonly left: string | null
  readonly right: string | null
  readonly children: ReactNode
}

function Part({ name, look, isSame, children }: PartProps) {
  const Icon = isSame ? Equal : EqualNot
  return (
    <div
      className={`grid grid-cols-[104px_minmax(0,1fr)_minmax(0,1fr)] gap-x-4 border-l-2 px-3 py-2 not-last:border-b not-last:border-b-line max-[700px]:grid-cols-1 ${look}`}
    >
      <span>
        <span className="block text-small font-medium">{name}</span>
        <span
          className={`flex items-center gap-1 text-tiny ${isSame ? 'text-subtle' : 'text-text'}`}
        >
          <Icon size={11} aria-hidden />
          {isSame ? 'identical' : 'differs'}
        </span>
      </span>
      <div className="col-span-2 grid min-w-0 grid-cols-2 gap-x-4 gap-y-1 text-text max-[700px]:grid-cols-1">
        {children}
      </div>
    </div>
  )
}

function BodyValue({
  side: { bytes, delivery },
  mark,
}: {
  readonly side: Delivered
  readonly mark: 'A' | 'B'
}) {
  return (
    <span className="flex min-w-0 gap-2">
      <SideMark name={mark} />
      <span className="min-w-0">
        {byteCount(bytes.length)}
        <span className="data block truncate text-subtle" title={delivery.bodySha256}>
          {delivery.bodySha256.slice(0, 16)}…
        </span>
      </span>
    </span>
  )
}

function Text({
  name,
  look,
  left,
  right,
  missing,
  note,
  isWhole,
}: {
  readonly name: string
  readonly look: string
  readonly left: string | null
  readonly right: string | null
  readonly missing: string
  readonly note?: (value: string) => string | null
  /** The values are compared as a whole: single characters mean nothing here. */
  readonly isWhole?: true
}) {
  const [leftPieces, rightPieces] =
    isWhole === true ? [plain(left), plain(right)] : diffWords(left ?? '', right ?? '')
  return (
    <Part name={name} look={look} isSame={left === right} left={left} right={right}>
      <TextValue mark="A" value={left} pieces={leftPieces} missing={missing} note={note} />
      <TextValue mark="B" value={right} pieces={rightPieces} missing={missing} note={note} />
    </Part>
  )
}

function plain(text: string | null): readonly DiffPiece[] {
  return [{ text: text ?? '', isChanged: false }]
}

function TextValue({
  mark,
  value,
  pieces,
  missing,
  note,
}: {
  readonly mark: 'A' | 'B'
  readonly value: string | null
  readonly pieces: readonly DiffPiece[]
  readonly missing: string
  readonly note: ((value: string) => string | null) | undefined
}) {
  const said = value === null ? null : (note?.(value) ?? null)
  return (
    <span className="flex min-w-0 gap-2">
      <SideMark name={mark} />
      <span className="data min-w-0 leading-5 wrap-anywhere">
        {value === null ? (
          <span className="font-sans break-normal text-subtle">{missing}</span>
        ) : (
          <Pieces pieces={pieces} side={mark === 'A' ? 'left' : 'right'} />
        )}
        {said !== null && <span className="block break-normal text-subtle">{said}</span>}
      </span>
    </span>
  )
}
