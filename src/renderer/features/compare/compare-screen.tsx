/** Compares two deliveries, attempts or pasted texts: structure, text, headers, and signature inputs. */
import {
  ArrowDown,
  ArrowUp,
  Columns2,
  Download,
  EyeOff,
  ListFilter,
  Rows2,
  ArrowLeftRight,
  UnfoldVertical,
  ClipboardPaste,
  Equal,
  EqualNot,
} from 'lucide-react'
import { useEffect, useMemo, type ReactNode } from 'react'
import { isDifference, type DiffPiece } from '../../../shared/diff/rows.ts'
import { diffWords, firstDifference } from '../../../shared/diff/words.ts'
import { compareTabs, type CompareTab } from '../../ui-state/routes.ts'
import { useApp, useAppParts, useParts } from '../../ui-state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Difference } from '../../ui/code.tsx'
import { ActionKeys } from '../../ui/keys.tsx'
import { Message, type MessageProps } from '../../ui/message.tsx'
import { byteCount, byteSize, calendarDay, clockTime, exactTime } from '../../ui/moment.ts'
import { Segments } from '../../ui/segments.tsx'
import { TabViews } from '../../ui/tab-views.tsx'
import { eventWord, VerdictBadge } from '../../ui/verdict.tsx'
import type { SideName } from './compare-slice.ts'
import { CompareDialogs } from './dialogs.tsx'
import { ChangeInspector, DiffView, Pieces, SideMark } from './diff-view.tsx'
import {
  comparedWords,
  useComparison,
  useSides,
  type ComparedSides,
  type Comparison,
  type Side,
} from './use-comparison.ts'

const names: Readonly<Record<CompareTab, string>> = {
  structure: 'Structure',
  text: 'Text',
  headers: 'Headers',
  signature: 'Signature inputs',
}

interface SidesProps {
  readonly sides: ComparedSides
}

export function CompareScreen() {
  const sides = useSides()
  const isPair = sides.left.choice !== null && sides.right.choice !== null
  return (
    <section
      aria-label="Comparison"
      data-pane="compare"
      className="flex h-full min-w-0 flex-col bg-surface"
    >
      <div className="window-drag flex h-11 shrink-0 items-center gap-3 border-b border-line pr-3 pl-4">
        <h1 className="text-title font-medium">Compare</h1>
      </div>
      <SideHeads sides={sides} />
      {sides.problem !== null ? (
        <Failed sides={sides} />
      ) : !isPair ? (
        <Empty sides={sides} />
      ) : sides.list.output === undefined ? (
        <Skeleton />
      ) : (
        <Compared sides={sides} />
      )}
      <CompareDialogs sides={sides} />
    </section>
  )
}

function Empty({ sides: { left, right } }: SidesProps) {
  const { chooseSide } = useParts('compare', 'chooseSide')
  const missing = left.choice === null ? 'left' : 'right'
  return (
    <Instead
      title={
        left.choice === null && right.choice === null
          ? 'See what changed between two deliveries'
          : 'Choose the other side'
      }
      action={
        <Button kind="primary" onClick={() => chooseSide(missing)}>
          Choose {missing === 'left' ? 'A' : 'B'}…
        </Button>
      }
    >
      In the deliveries list, press <ActionKeys action="compare" spoken /> on two deliveries in
      turn, or select two with <ActionKeys action="pick" spoken />. You can also paste text, such as
      a payload from a log.
    </Instead>
  )
}

/** Why the comparison failed. If a delivery was deleted, choosing another comes first. */
function Failed({ sides: { left, right, problem, readAgain } }: SidesProps) {
  const { chooseSide } = useParts('compare', 'chooseSide')
  const gone = left.isGone ? 'left' : right.isGone ? 'right' : null
  const letter = gone === 'left' ? 'A' : 'B'
  return (
    <Instead
      role="alert"
      title={gone === null ? "Couldn't compare" : `Delivery ${letter} no longer exists`}
      action={
        <>
          {gone !== null && (
            <Button kind="primary" onClick={() => chooseSide(gone)}>
              Choose {letter}…
            </Button>
          )}
          <Button kind={gone === null ? 'primary' : 'plain'} onClick={readAgain}>
            Try again
          </Button>
        </>
      }
    >
      {gone === null
        ? problem
        : 'It was deleted manually or by retention limits. Choose another, or undo the deletion and try again.'}
    </Instead>
  )
}

/** Replaces the comparison, where other screens show their empty states. */
function Instead({ role, ...message }: MessageProps & { readonly role?: 'alert' }) {
  return (
    <div role={role} className="late min-h-0 flex-1 overflow-auto bg-ground px-8 pt-12">
      <Message {...message} />
    </div>
  )
}

function Skeleton() {
  return (
    <div role="status" aria-label="Loading comparison" className="late flex flex-col gap-3 p-5">
      {Array.from({ length: 8 }, (_, index) => (
        <span key={index} className="flex gap-4">
          <span className="skeleton h-3 w-32" />
          <span className="skeleton h-3 flex-1" />
          <span className="skeleton h-3 flex-1" />
        </span>
      ))}
    </div>
  )
}

function Compared({ sides }: SidesProps) {
  const { tab, setTab } = useAppParts((state) => ({
    tab: state.navigation.at.compare.tab ?? 'structure',
    setTab: state.compare.setTab,
  }))
  const { comparison, openFold } = useComparison(sides)
  return (
    <TabViews
      label="Comparison views"
      tabs={compareTabs}
      names={names}
      value={tab}
      onChange={setTab}
      panel="flex flex-col"
    >
      {tab === 'signature' ? (
        <SignatureInputs left={sides.left.side} right={sides.right.side} />
      ) : (
        <Differences comparison={comparison} openFold={openFold} tab={tab} />
      )}
    </TabViews>
  )
}

const textViews = [
  { value: 'formatted', label: 'Formatted' },
  { value: 'as-sent', label: 'As sent' },
] as const

function Differences({
  comparison,
  openFold,
  tab,
}: {
  readonly comparison: Comparison
  readonly openFold: (names: readonly string[]) => void
  readonly tab: Exclude<CompareTab, 'signature'>
}) {
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  const {
    layout,
    ignoreVolatile: ignore,
    formatted,
    isWhole,
    changeAt: at,
    changeCount: count,
    setChangeAt,
    setChangeCount,
    stepChange,
    display,
  } = useApp((state) => state.compare)
  const changes = useMemo(
    () => (comparison.state === 'rows' ? comparison.rows.filter(isDifference) : null),
    [comparison],
  )
  const present = changes?.[at]
  useEffect(() => {
    // The editor counts the differences of texts.
    if (comparison.state !== 'texts') setChangeCount(changes?.length ?? 0)
  }, [setChangeCount, changes, comparison.state])
  return (
    <>
      <div className="flex h-10 shrink-0 items-center gap-1.5 border-b border-line pr-3 pl-4">
        {tab === 'text' && (
          <Segments
            label="Text view"
            options={textViews}
            value={formatted ? 'formatted' : 'as-sent'}
            onChange={(value) => display({ formatted: value === 'formatted' })}
          />
        )}
        <span role="status" className="min-w-0 flex-1 truncate font-medium">
          {comparison.state === 'rows' && comparedWords(comparison)}
          {comparison.state === 'texts' &&
            (comparison.before === comparison.after
              ? 'No differences'
              : count > 0 && `Difference ${at + 1} of ${count.toLocaleString('en')}`)}
        </span>
        <IconButton
          label="Previous difference"
          shortcut="previous-change"
          disabled={count === 0}
          icon={ArrowUp}
          onClick={() => stepChange(-1)}
        />
        <IconButton
          label="Next difference"
          shortcut="next-change"
          disabled={count === 0}
          icon={ArrowDown}
          onClick={() => stepChange(1)}
        />
        {tab === 'text' ? (
          <IconButton
            label={isWhole ? 'Hide unchanged lines' : 'Show unchanged lines'}
            pressed={isWhole}
            icon={UnfoldVertical}
            onClick={() => display({ isWhole: !isWhole })}
          />
        ) : (
          <>
            <IconButton
              label={
                ignore ? 'Ignoring IDs, times and signatures' : 'Ignore IDs, times and signatures'
              }
              shortcut="ignore-volatile"
              pressed={ignore}
              icon={EyeOff}
              onClick={() => display({ ignoreVolatile: !ignore })}
            />
            <IconButton
              label="Edit ignored fields"
              icon={ListFilter}
              onClick={() => openOverlay('compare-ignored')}
            />
          </>
        )}
        <IconButton
          label={layout === 'split' ? 'Stacked' : 'Side by side'}
          shortcut="compare-layout"
          icon={layout === 'split' ? Rows2 : Columns2}
          onClick={() => display({ layout: layout === 'split' ? 'unified' : 'split' })}
        />
        <Button kind="quiet" icon={Download} onClick={() => openOverlay('compare-export')}>
          Export
        </Button>
      </div>
      <div className="min-h-0 flex-1">
        {comparison.state === 'rows' ? (
          comparison.rows.length === 0 ? (
            <p className="px-5 py-4 text-muted">
              {tab === 'headers' ? 'Neither side has headers.' : 'Identical, token by token.'}
            </p>
          ) : (
            <DiffView
              label={names[tab]}
              rows={comparison.rows}
              layout={layout}
              at={at}
              onSelect={setChangeAt}
              onOpen={openFold}
            />
          )
        ) : comparison.state === 'texts' ? (
          <Difference
            label="Text"
            before={comparison.before}
            after={comparison.after}
            json={formatted}
            split={layout === 'split'}
            isWhole={isWhole}
            at={at}
            onCount={setChangeCount}
          />
        ) : (
          <Nothing comparison={comparison} />
        )}
      </div>
      {present !== undefined && <ChangeInspector row={present} at={at} count={count} />}
    </>
  )
}

const sideNames = { left: "A isn't", right: "B isn't", both: 'Neither side is' } as const

function Nothing({
  comparison,
}: {
  readonly comparison: Exclude<Comparison, { state: 'rows' | 'texts' }>
}) {
  if (comparison.state === 'pending') return null
  const said =
    comparison.state === 'not-json'
      ? `${sideNames[comparison.side]} JSON, so structure can't be compared. Use the Text tab.`
      : comparison.state === 'binary'
        ? "Binary bodies can't be compared by structure or line. See Signature inputs for the first different byte."
        : comparison.state === 'long-text'
          ? 'Texts over 2 MB are compared by structure only. See Structure.'
          : comparison.state === 'no-headers'
            ? 'Pasted text has no headers. Choose two deliveries to compare headers.'
            : 'Comparing took longer than ten seconds and was stopped. See Signature inputs for the first different byte.'
  return <p className="max-w-[640px] px-5 py-4 text-muted">{said}</p>
}

// The heading of each side, with a button to select something else.

function SideHeads({ sides }: SidesProps) {
  const swap = useApp((state) => state.compare.swapSides)
  return (
    <div className="flex shrink-0 items-stretch border-b border-line bg-surface max-[700px]:flex-col">
      <SideHead name="left" {...sides.left} />
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
              <VerdictBadge of={side.delivery} />
              <span className="data truncate">{eventWord(side.delivery).text}</span>
            </span>
            <span className="flex gap-2 truncate text-small text-subtle">
              <span className="whitespace-nowrap">
                {calendarDay(side.delivery.receivedAt)}{' '}
                <span className="data text-muted">{clockTime(side.delivery.receivedAt)}</span>
              </span>
              <span className="truncate">{byteSize(side.bytes.length)}</span>
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
      <Button kind="quiet" onClick={() => chooseSide(name)}>
        {choice === null ? 'Choose…' : 'Change…'}
        <span className="sr-only">{letter}</span>
      </Button>
    </div>
  )
}

// The signature inputs of each side (spec 5.2): body, URL, timestamp, and the hook whose secret was used.

type Delivered = Extract<Side, { kind: 'delivery' }>

interface InputRow {
  readonly name: string
  readonly className: string
  readonly of: (side: Delivered) => string | null
  readonly missing: string
  readonly note?: (value: string) => string | null
  /** The values are compared as a whole: single characters mean nothing here. */
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

function SignatureInputs({
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
  const [leftPieces, rightPieces] =
    isWhole === true ? [plain(left), plain(right)] : diffWords(left ?? '', right ?? '')
  const shown = (value: string | null, side: SideName, pieces: readonly DiffPiece[]) => {
    if (value === null) return <span className="text-subtle">{missing}</span>
    const said = note?.(value) ?? null
    return (
      <span className="data leading-5">
        <Pieces pieces={pieces} side={side} />
        {said !== null && <span className="block break-normal text-subtle">{said}</span>}
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
