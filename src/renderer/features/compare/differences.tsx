/** The differences of the current tab, with their toolbar. */
import {
  ArrowDown,
  ArrowUp,
  Columns2,
  Download,
  EyeOff,
  ListFilter,
  Rows2,
  UnfoldVertical,
} from 'lucide-react'
import { useEffect, useMemo } from 'react'
import { isDifference } from '../../../shared/diff/rows.ts'
import type { CompareTab } from '../../ui-state/routes.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Difference } from '../../ui/code.tsx'
import { Segments } from '../../ui/segments.tsx'
import { DiffView } from './diff-view.tsx'
import { ChangeInspector } from './change-inspector.tsx'
import { comparedWords, type Comparison } from './use-comparison.ts'

export const tabNames: Readonly<Record<CompareTab, string>> = {
  structure: 'Structure',
  text: 'Text',
  headers: 'Headers',
  signature: 'Signature inputs',
}

const textViews = [
  { value: 'formatted', label: 'Formatted' },
  { value: 'as-sent', label: 'As sent' },
] as const

interface DifferencesProps {
  readonly comparison: Comparison
  readonly openFold: (names: readonly string[]) => void
  readonly tab: Exclude<CompareTab, 'signature'>
}

export function Differences({ comparison, openFold, tab }: DifferencesProps) {
  const { changeAt: at, changeCount: count, setChangeCount } = useApp((state) => state.compare)
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
      <DifferenceToolbar comparison={comparison} tab={tab} />
      <div className="min-h-0 flex-1">
        <DifferenceContent comparison={comparison} openFold={openFold} tab={tab} />
      </div>
      {present !== undefined && <ChangeInspector row={present} at={at} count={count} />}
    </>
  )
}

function DifferenceToolbar({ comparison, tab }: Omit<DifferencesProps, 'openFold'>) {
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  const {
    layout,
    formatted,
    changeAt: at,
    changeCount: count,
    stepChange,
    display,
  } = useApp((state) => state.compare)
  return (
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
      <ViewOptions tab={tab} />
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
  )
}

function ViewOptions({ tab }: Pick<DifferencesProps, 'tab'>) {
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  const { ignoreVolatile: ignore, isWhole, display } = useApp((state) => state.compare)
  return tab === 'text' ? (
    <IconButton
      label={isWhole ? 'Hide unchanged lines' : 'Show unchanged lines'}
      pressed={isWhole}
      icon={UnfoldVertical}
      onClick={() => display({ isWhole: !isWhole })}
    />
  ) : (
    <>
      <IconButton
        label={ignore ? 'Ignoring IDs, times and signatures' : 'Ignore IDs, times and signatures'}
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
  )
}

function DifferenceContent({ comparison, openFold, tab }: DifferencesProps) {
  const {
    layout,
    formatted,
    isWhole,
    changeAt: at,
    setChangeAt,
    setChangeCount,
  } = useApp((state) => state.compare)
  return comparison.state === 'rows' ? (
    comparison.rows.length === 0 ? (
      <p className="px-5 py-4 text-muted">
        {tab === 'headers' ? 'Neither side has headers.' : 'Identical, token by token.'}
      </p>
    ) : (
      <DiffView
        label={tabNames[tab]}
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
    <NoRows comparison={comparison} />
  )
}

const sideNames = { left: "A isn't", right: "B isn't", both: 'Neither side is' } as const

function NoRows({
  comparison,
}: {
  readonly comparison: Exclude<Comparison, { state: 'rows' | 'texts' }>
}) {
  if (comparison.state === 'pending') return null
  const reason =
    comparison.state === 'not-json'
      ? `${sideNames[comparison.side]} JSON, so structure can't be compared. Use the Text tab.`
      : comparison.state === 'binary'
        ? "Binary bodies can't be compared by structure or line. See Signature inputs for the first different byte."
        : comparison.state === 'long-text'
          ? 'Texts over 2 MB are compared by structure only. See Structure.'
          : comparison.state === 'no-headers'
            ? 'Pasted text has no headers. Choose two deliveries to compare headers.'
            : 'Comparing took longer than ten seconds and was stopped. See Signature inputs for the first different byte.'
  return <p className="max-w-[640px] px-5 py-4 text-muted">{reason}</p>
}
