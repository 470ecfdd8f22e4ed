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
  ClipboardPaste,
} from 'lucide-react'
import { useEffect, useMemo, useState, type FormEvent } from 'react'
import { isDifference } from '../../../shared/diff/rows.ts'
import { useData } from '../../data/use-read.ts'
import { useCall, useOutcome } from '../../ui/use-outcome.ts'
import { useApp, useAppParts, useParts } from '../../state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Difference } from '../../ui/code.tsx'
import { ActionKeys } from '../../ui/keys.tsx'
import { Message, type MessageProps } from '../../ui/message.tsx'
import { Segments } from '../../ui/segments.tsx'
import { TabViews } from '../../ui/tab-views.tsx'
import { ChangeInspector, SideMark } from './change-inspector.tsx'
import { ChooseDialog } from './choose-dialog.tsx'
import { compareTabs, type CompareTab } from '../../state/routes.ts'
import { DiffView } from './diff-view.tsx'
import { CompareExportDialog } from './export-dialog.tsx'
import { SignatureInputs } from './signature-inputs.tsx'
import {
  comparedWords,
  useComparison,
  useSides,
  type ComparedSides,
  type Comparison,
} from './use-comparison.ts'
import type { VolatileList } from '../../../shared/model/comparison.ts'
import { OverlayDialog } from '../../ui/overlay-dialog.tsx'
import { TextAreaField } from '../../ui/field.tsx'
import { byteSize, calendarDay, clockTime } from '../../ui/moment.ts'
import { eventWord, VerdictBadge } from '../../ui/verdict.tsx'
import type { SideName } from './sides.ts'

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
  const { choice } = useParts('compare', 'choice')
  const sides = useSides()
  const isPair = choice.left !== null && choice.right !== null
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
        <Empty />
      ) : sides.list.output === undefined ? (
        <Skeleton />
      ) : (
        <Compared sides={sides} />
      )}
      <ChooseDialog />
      <IgnoredDialog sides={sides} />
      <CompareExportDialog {...sides} />
    </section>
  )
}

function Empty() {
  const { choice, chooseSide } = useParts('compare', 'choice', 'chooseSide')
  const missing = choice.left === null ? 'left' : 'right'
  return (
    <Instead
      title={
        choice.left === null && choice.right === null
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
  const { tab, setTab } = useParts('compare', 'tab', 'setTab')
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
        <Differences comparison={comparison} openFold={openFold} name={names[tab]} />
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
  name,
}: {
  readonly comparison: Comparison
  readonly openFold: (names: readonly string[]) => void
  readonly name: string
}) {
  const { tab, layout, ignore, formatted, at, setAt, ...act } = useAppParts((state) => ({
    tab: state.compare.tab,
    layout: state.compare.layout,
    ignore: state.compare.ignoreVolatile,
    formatted: state.compare.formatted,
    at: state.compare.changeAt,
    setAt: state.compare.setChangeAt,
    count: state.compare.changeCount,
    setChangeCount: state.compare.setChangeCount,
    step: state.compare.stepChange,
    setFormatted: state.compare.setFormatted,
    setIgnore: state.compare.setIgnoreVolatile,
    setLayout: state.compare.setLayout,
    openOverlay: state.navigation.openOverlay,
  }))
  const changes = useMemo(
    () => (comparison.state === 'rows' ? comparison.rows.filter(isDifference) : null),
    [comparison],
  )
  const present = changes?.[at]
  const { count, setChangeCount } = act
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
            onChange={(value) => act.setFormatted(value === 'formatted')}
          />
        )}
        <span role="status" className="min-w-0 flex-1 truncate font-medium">
          {comparison.state === 'rows' && comparedWords(comparison)}
          {comparison.state === 'texts' && textWords(comparison, count, at)}
        </span>
        <IconButton
          label="Previous difference"
          shortcut="previous-change"
          disabled={count === 0}
          icon={<ArrowUp size={15} aria-hidden />}
          onClick={() => act.step(-1)}
        />
        <IconButton
          label="Next difference"
          shortcut="next-change"
          disabled={count === 0}
          icon={<ArrowDown size={15} aria-hidden />}
          onClick={() => act.step(1)}
        />
        {tab !== 'text' && (
          <>
            <IconButton
              label={
                ignore ? 'Ignoring IDs, times and signatures' : 'Ignore IDs, times and signatures'
              }
              shortcut="ignore-volatile"
              pressed={ignore}
              icon={<EyeOff size={15} aria-hidden />}
              onClick={() => act.setIgnore(!ignore)}
            />
            <IconButton
              label="Edit ignored fields"
              icon={<ListFilter size={15} aria-hidden />}
              onClick={() => act.openOverlay('compare-ignored')}
            />
          </>
        )}
        <IconButton
          label={layout === 'split' ? 'Stacked' : 'Side by side'}
          shortcut="compare-layout"
          icon={
            layout === 'split' ? (
              <Rows2 size={15} aria-hidden />
            ) : (
              <Columns2 size={15} aria-hidden />
            )
          }
          onClick={() => act.setLayout(layout === 'split' ? 'unified' : 'split')}
        />
        <Button
          kind="quiet"
          icon={<Download size={14} aria-hidden />}
          onClick={() => act.openOverlay('compare-export')}
        >
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
              label={name}
              rows={comparison.rows}
              layout={layout}
              at={at}
              onSelect={setAt}
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

/** Which difference is shown. */
function textWords(
  { before, after }: { before: string; after: string },
  count: number,
  at: number,
) {
  if (before === after) return 'No differences'
  return count === 0 ? '' : `Difference ${at + 1} of ${count.toLocaleString('en')}`
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

// The editable list of ignored fields for deliveries of a hook, stored by the core.

function IgnoredDialog({
  sides: {
    hookId,
    list: { output: list },
  },
}: SidesProps) {
  return (
    <OverlayDialog
      overlay="compare-ignored"
      ready={list !== undefined}
      title="Ignored fields"
      description="Fields that usually differ between deliveries. Saved for this hook."
      wide
    >
      {(close) => list !== undefined && <ListForm hookId={hookId} list={list} onDone={close} />}
    </OverlayDialog>
  )
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function ListForm({
  hookId,
  list,
  onDone,
}: {
  readonly hookId: string | null
  readonly list: VolatileList
  readonly onDone: () => void
}) {
  const { patch } = useData()
  const call = useCall()
  const { problem, run } = useOutcome()
  const [body, setBody] = useState(list.fields.body.join('\n'))
  const [headers, setHeaders] = useState(list.fields.headers.join('\n'))
  const keep = async (fields: VolatileList['fields'] | null) => {
    const kept = await run(() => call('compare.setVolatile', { hookId, fields }))
    if (kept === null) return
    patch('compare.volatile', { hookId }, () => kept)
    onDone()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void keep({ body: linesOf(body), headers: linesOf(headers) })
  }
  return (
    <form className="flex flex-col gap-3.5" onSubmit={submit}>
      <div className="grid grid-cols-2 gap-4 max-[700px]:grid-cols-1">
        <TextAreaField
          label="Body fields"
          rows={14}
          value={body}
          onChange={setBody}
          hint="One path per line. * matches any characters in a name, ** any depth: **.id matches every id."
        />
        <TextAreaField
          label="Headers"
          rows={14}
          value={headers}
          onChange={setHeaders}
          hint="One name per line. * matches any characters."
        />
      </div>
      {problem !== null && (
        <p role="alert" className="text-bad">
          {problem.message}
        </p>
      )}
      <div className="flex items-center justify-end gap-2">
        {list.isOwn && (
          <Button kind="quiet" onClick={() => void keep(null)}>
            Restore defaults
          </Button>
        )}
        <span className="flex-1" />
        <Button onClick={onDone}>Cancel</Button>
        <Button kind="primary" type="submit">
          Save for this hook
        </Button>
      </div>
    </form>
  )
}

// The heading of each side, with a button to select something else.

function SideHeads({ sides }: SidesProps) {
  const swap = useApp((state) => state.compare.swapSides)
  return (
    <div className="flex shrink-0 items-stretch border-b border-line bg-surface max-[700px]:flex-col">
      <SideHead name="left" {...sides.left} />
      <div className="flex w-10 shrink-0 items-center justify-center border-x border-line max-[700px]:w-auto max-[700px]:border-0">
        <IconButton
          label="Swap sides"
          shortcut="swap-sides"
          icon={<ArrowLeftRight size={15} aria-hidden />}
          onClick={swap}
        />
      </div>
      <SideHead name="right" {...sides.right} />
    </div>
  )
}

function SideHead({
  name,
  side,
  isGone,
  problem,
}: { readonly name: SideName } & ComparedSides[SideName]) {
  const { choice, chooseSide, go, goToDelivery } = useAppParts((state) => ({
    choice: state.compare.choice[name],
    chooseSide: state.compare.chooseSide,
    go: state.navigation.go,
    goToDelivery: state.detail.goTo,
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
            onClick={() => {
              go('deliveries')
              void goToDelivery(side.delivery.id)
            }}
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
            <ClipboardPaste size={14} aria-hidden className="text-muted" />
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
