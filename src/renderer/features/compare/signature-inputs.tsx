/** The signature inputs of each side (spec 5.2). */
import { Equal, EqualNot } from 'lucide-react'
import type { ReactNode } from 'react'
import type { DiffPiece } from '../../../shared/diff/rows.ts'
import { diffWords, firstDifference } from '../../../shared/diff/text-words.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { byteCount, exactTime } from '../../ui/moment.ts'
import { VerdictBadge } from '../../ui/verdict.tsx'
import type { SideName } from './compare-slice.ts'
import { Pieces, SideMark } from './side-pieces.tsx'
import type { Side } from './use-sides.ts'

type Delivered = Extract<Side, { kind: 'delivery' }>

interface InputRow {
  readonly name: string
  readonly className: string
  readonly of: (side: Delivered) => string | null
  readonly missing: string
  readonly note?: (value: string) => string | null
  /** Whether values are compared as a whole instead of by character. */
  readonly isWhole?: true
}

const INPUT_ROWS: readonly InputRow[] = [
  {
    name: 'URL',
    className: 'border-l-part-url text-part-url',
    of: ({ signature }) => signature?.url ?? null,
    missing: 'unknown: no matching hook',
  },
  {
    name: 'Timestamp',
    className: 'border-l-part-time text-part-time',
    of: ({ signature }) => signature?.timestamp ?? null,
    missing: 'no timestamp header',
    note(value) {
      const time = Number(value)
      if (!/^\d{1,15}$/.test(value) || Number.isNaN(new Date(time).getTime())) return null
      return exactTime(new Date(time).toISOString())
    },
  },
  {
    name: 'Signature',
    className: 'border-l-edge text-muted',
    of: ({ signature }) => signature?.received ?? null,
    missing: 'no signature header',
    isWhole: true,
  },
]

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
  const secret: InputRow = {
    name: 'Secret',
    className: 'border-l-edge text-muted',
    of({ signature }) {
      const hook = hooks.find(({ id }) => id === signature?.hookId)
      if (signature === null || hook === undefined) return null
      return `${hook.event} · ${hook.environment} · secret ${signature.secretHint ?? 'unknown'}`
    },
    missing: 'no matching hook',
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
        <InputPart
          name="Body"
          className="border-l-part-body text-part-body"
          isSame={difference === null}
          left={<BodyValue side={left} />}
          right={<BodyValue side={right} />}
        >
          {difference !== null && (
            <p className="col-span-2 text-small text-muted">
              First difference at byte {(difference + 1).toLocaleString('en')}. A single byte
              changes the signature.
            </p>
          )}
        </InputPart>
        {[...INPUT_ROWS.slice(0, 2), secret, ...INPUT_ROWS.slice(2)].map((row) => (
          <InputText key={row.name} row={row} values={[row.of(left), row.of(right)]} />
        ))}
        <InputPart
          name="Verdict"
          className="border-l-edge text-muted"
          isSame={left.delivery.verdict === right.delivery.verdict}
          left={<VerdictBadge of={left.delivery} />}
          right={<VerdictBadge of={right.delivery} />}
        />
      </div>
    </div>
  )
}

function InputPart({
  name,
  className,
  isSame,
  left,
  right,
  children,
}: {
  readonly name: string
  readonly className: string
  readonly isSame: boolean
  readonly left: ReactNode
  readonly right: ReactNode
  readonly children?: ReactNode
}) {
  const Icon = isSame ? Equal : EqualNot
  return (
    <div
      className={`grid grid-cols-[104px_minmax(0,1fr)_minmax(0,1fr)] gap-x-4 border-l-2 px-3 py-2 not-last:border-b not-last:border-b-line max-[700px]:grid-cols-1 ${className}`}
    >
      <span>
        <span className="block text-small font-medium">{name}</span>
        <span
          className={`flex items-center gap-1 text-tiny ${isSame ? 'text-subtle' : 'text-text'}`}
        >
          <Icon size={11} />
          {isSame ? 'identical' : 'differs'}
        </span>
      </span>
      <div className="col-span-2 grid min-w-0 grid-cols-2 gap-x-4 gap-y-1 text-text max-[700px]:grid-cols-1">
        {(['A', 'B'] as const).map((mark) => (
          <span key={mark} className="flex min-w-0 gap-2">
            <SideMark name={mark} />
            <span className="min-w-0 wrap-anywhere">{mark === 'A' ? left : right}</span>
          </span>
        ))}
        {children}
      </div>
    </div>
  )
}

function BodyValue({ side: { bytes, delivery } }: { readonly side: Delivered }) {
  return (
    <>
      {byteCount(bytes.length)}
      <span className="data block truncate text-subtle" title={delivery.bodySha256}>
        {delivery.bodySha256.slice(0, 16)}…
      </span>
    </>
  )
}

function InputText({
  row: { name, className, missing, note, isWhole },
  values: [left, right],
}: {
  readonly row: InputRow
  readonly values: readonly [string | null, string | null]
}) {
  const plain = (text: string | null): readonly DiffPiece[] => [
    { text: text ?? '', isChanged: false },
  ]
  const { left: leftPieces, right: rightPieces } =
    isWhole === true
      ? { left: plain(left), right: plain(right) }
      : diffWords(left ?? '', right ?? '')
  const shown = (value: string | null, side: SideName, pieces: readonly DiffPiece[]) => {
    if (value === null) return <span className="text-subtle">{missing}</span>
    const valueNote = note?.(value) ?? null
    return (
      <span className="data leading-5">
        <Pieces pieces={pieces} side={side} />
        {valueNote !== null && <span className="block break-normal text-subtle">{valueNote}</span>}
      </span>
    )
  }
  return (
    <InputPart
      name={name}
      className={className}
      isSame={left === right}
      left={shown(left, 'left', leftPieces)}
      right={shown(right, 'right', rightPieces)}
    />
  )
}
