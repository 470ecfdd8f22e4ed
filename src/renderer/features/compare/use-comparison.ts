/** The comparison for the current tab: bodies are compared by the worker, headers at once. */
import { useCallback, useEffect, useMemo, useState } from 'react'
import { capitalized } from '../../../shared/text/english.ts'
import {
  type ComparedStructure,
  type NotJson,
  formattedPair,
} from '../../../shared/diff/compare-bodies.ts'
import { headerRows } from '../../../shared/diff/header-rows.ts'
import { foldRows } from '../../../shared/diff/fold-rows.ts'
import {
  countRows,
  countSentence,
  cutCountSentence,
  differenceCount,
  nothingOpened,
  type DiffCounts,
  type DiffRow,
  type OpenedFolds,
} from '../../../shared/diff/rows.ts'
import type { VolatileFields } from '../../../shared/diff/volatile-fields.ts'
import { useAppParts } from '../../ui-state/use-app.ts'
import { compareInWorker } from './compare-in-worker.ts'
import type { Side, ComparedSides } from './use-sides.ts'

/** Most characters of a text that is compared by line; longer ones only by structure. */
const MAX_LINE_COMPARED = 2_000_000

export type Comparison =
  | {
      readonly state: 'rows'
      readonly rows: readonly DiffRow[]
      readonly counts: DiffCounts
      readonly isCut: boolean
      /** Whether anything differs, even beyond truncated rows. */
      readonly differs: boolean
    }
  | { readonly state: 'texts'; readonly before: string; readonly after: string }
  | { readonly state: 'not-json'; readonly side: NotJson }
  | { readonly state: 'binary' | 'too-long' | 'long-text' | 'no-headers' | 'pending' }

/** Returns the current tab's comparison, and a function that expands one of its folds. */
export function useComparison({
  left: { side: left },
  right: { side: right },
  volatile,
}: ComparedSides): {
  readonly comparison: Comparison
  readonly openFold: (names: readonly string[]) => void
} {
  const { tab, formatted } = useAppParts((state) => ({
    tab: state.navigation.at.compare.tab ?? 'structure',
    formatted: state.compare.formatted,
  }))
  const leftText = textOf(left)
  const rightText = textOf(right)

  // A result for other inputs is outdated; the open folds aren't inputs, so the last result stays.
  const inputs = useMemo(
    () => ({ leftText, rightText, left, right, tab, volatile }),
    [leftText, rightText, left, right, tab, volatile],
  )
  const [result, setResult] = useState<{
    readonly inputs: object
    readonly body: ComparedStructure | 'too-long'
  } | null>(null)
  const [folds, setFolds] = useState<{ readonly inputs: object; readonly opened: OpenedFolds }>({
    inputs,
    opened: nothingOpened,
  })
  const opened = folds.inputs === inputs ? folds.opened : nothingOpened
  const body = result?.inputs === inputs ? result.body : null
  const openFold = useCallback(
    (names: readonly string[]) =>
      setFolds((before) => ({
        inputs,
        opened: new Set([...(before.inputs === inputs ? before.opened : nothingOpened), ...names]),
      })),
    [inputs],
  )

  useEffect(() => {
    if (leftText === null || rightText === null || tab !== 'structure') return
    let isCurrent = true
    const answer = compareInWorker({
      what: 'structure',
      left: leftText,
      right: rightText,
      volatile,
      opened,
    })
    void answer.then((compared) => {
      if (isCurrent) setResult({ inputs, body: compared })
    })
    return () => {
      isCurrent = false
    }
  }, [inputs, leftText, rightText, tab, volatile, opened])

  const headers = useMemo(
    () => compareHeaders(left, right, volatile, opened),
    [left, right, volatile, opened],
  )

  const comparison = useMemo((): Comparison => {
    if (tab === 'headers') return headers
    if (left === null || right === null) return { state: 'pending' }
    if (leftText === null || rightText === null) return { state: 'binary' }
    if (tab === 'text') {
      if (Math.max(leftText.length, rightText.length) > MAX_LINE_COMPARED)
        return { state: 'long-text' }
      const texts = { left: leftText, right: rightText }
      const { left: before, right: after } = formatted ? formattedPair(texts) : texts
      return { state: 'texts', before, after }
    }
    if (body === null) return { state: 'pending' }
    if (body === 'too-long') return { state: 'too-long' }
    if (body.outcome === 'not-json') return { state: 'not-json', side: body.side }
    return { ...body, state: 'rows', rows: foldRows(body.rows, opened) }
  }, [tab, headers, left, right, leftText, rightText, formatted, body, opened])
  return { comparison, openFold }
}

function compareHeaders(
  left: Side | null,
  right: Side | null,
  volatile: VolatileFields,
  opened: OpenedFolds,
): Comparison {
  if (left?.kind !== 'delivery' || right?.kind !== 'delivery') return { state: 'no-headers' }
  const rows = headerRows(left.delivery.headers, right.delivery.headers, volatile)
  const counts = countRows(rows)
  const differs = differenceCount(counts) > 0
  return {
    state: 'rows',
    rows: foldRows(rows, opened),
    counts,
    isCut: false,
    differs,
  }
}

function textOf(side: Side | null): string | null {
  return side?.text ?? null
}

type ComparedRows = Extract<Comparison, { state: 'rows' }>

/** Returns the counts of a comparison in words; those of truncated rows are incomplete. */
export function comparedWords({
  counts,
  isCut,
  differs,
}: Pick<ComparedRows, 'counts' | 'isCut' | 'differs'>): string {
  if (!isCut || (!differs && counts.ignored === 0)) return countSentence(counts)
  const words = cutCountSentence(counts, differs)
  return `${capitalized(words)} (too many rows to show all)`
}
