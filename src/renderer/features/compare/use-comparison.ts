/** The comparison's sides, and its rows for the current tab: bodies are compared by the worker, headers immediately. */
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import {
  type ComparedStructure,
  type NotJson,
  formattedPair,
  headerRows,
} from '../../../shared/diff/compare-bodies.ts'
import { foldIgnored } from '../../../shared/diff/folded.ts'
import {
  countRows,
  countSentence,
  cutCountSentence,
  differenceCount,
  nothingOpened,
  type DiffCounts,
  type DiffRow,
  type OpenedFolds,
  nothingVolatile,
} from '../../../shared/diff/rows.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import { isQuiet, sentenceOf } from '../../data/act.ts'
import { useData, useRead } from '../../data/use-read.ts'
import { useAppParts, useParts } from '../../state/use-app.ts'
import { compareInWorker } from './compare-in-worker.ts'
import { readDelivery, type Side, type SideChoice } from './sides.ts'

/** A side as far as it is loaded. Read once while it is shown: a stored request doesn't change. */
function useSide(choice: SideChoice | null) {
  const id = choice?.kind === 'delivery' ? choice.id : null
  const { client, queries } = useData()
  const { data, error, refetch } = useQuery(
    {
      queryKey: ['compare.side', id],
      enabled: id !== null,
      queryFn: ({ signal }) => readDelivery(client, id ?? '', signal),
      staleTime: Infinity,
      gcTime: 0,
    },
    queries,
  )
  const failed = data === undefined && !isQuiet(error) ? error : null
  return {
    side: choice?.kind === 'text' ? choice : (data ?? null),
    isGone: failed instanceof AppError && failed.code === 'NOT_FOUND',
    problem: failed === null ? null : sentenceOf(failed),
    readAgain: () => void refetch(),
  }
}

/** The two sides, and the ignored fields of the right side's hook, or else of the left side's. */
export function useSides() {
  const { choice, ignore } = useAppParts((state) => ({
    choice: state.compare.choice,
    ignore: state.compare.ignoreVolatile,
  }))
  const sides = { left: useSide(choice.left), right: useSide(choice.right) }
  const left = sides.left.side
  const right = sides.right.side
  const withHook = right?.kind === 'delivery' ? right : left
  const hookId = withHook?.kind === 'delivery' ? withHook.delivery.hookId : null
  const list = useRead('compare.volatile', left === null || right === null ? null : { hookId })
  return {
    ...sides,
    hookId,
    list,
    volatile: ignore ? (list.output?.fields ?? nothingVolatile) : nothingVolatile,
    problem: sides.left.problem ?? sides.right.problem ?? list.problem,
    readAgain() {
      for (const { problem, readAgain } of [sides.left, sides.right, list])
        if (problem !== null) readAgain()
    },
  }
}

export type ComparedSides = ReturnType<typeof useSides>

/** Longer texts are compared by structure only. */
const LONGEST_COMPARED = 2_000_000

export type Comparison =
  | {
      readonly state: 'rows'
      readonly rows: readonly DiffRow[]
      readonly counts: DiffCounts
      readonly isCut: boolean
      /** Whether there is any counted difference, including beyond truncated rows. */
      readonly differs: boolean
    }
  | { readonly state: 'texts'; readonly before: string; readonly after: string }
  | { readonly state: 'not-json'; readonly side: NotJson }
  | { readonly state: 'binary' | 'too-long' | 'long-text' | 'no-headers' | 'pending' }

/** The current tab's comparison, and a function that expands one of its folds. */
export function useComparison({
  left: { side: left },
  right: { side: right },
  volatile,
}: ComparedSides): {
  readonly comparison: Comparison
  readonly openFold: (names: readonly string[]) => void
} {
  const { tab, formatted } = useParts('compare', 'tab', 'formatted')
  const leftText = textOf(left)
  const rightText = textOf(right)

  /**
   * The inputs of the comparison. A result for other inputs is outdated, but opening another fold only shows more of the same
   * result.
   */
  const asked = useMemo(
    () => ({ leftText, rightText, left, right, tab, volatile }),
    [leftText, rightText, left, right, tab, volatile],
  )
  const [found, setFound] = useState<{
    readonly of: object
    readonly body: ComparedStructure | 'too-long'
  } | null>(null)
  const [folds, setFolds] = useState<{ readonly of: object; readonly opened: OpenedFolds }>({
    of: asked,
    opened: nothingOpened,
  })
  const opened = folds.of === asked ? folds.opened : nothingOpened
  const body = found?.of === asked ? found.body : null
  const openFold = useCallback(
    (names: readonly string[]) =>
      setFolds((before) => ({
        of: asked,
        opened: new Set([...(before.of === asked ? before.opened : nothingOpened), ...names]),
      })),
    [asked],
  )

  useEffect(() => {
    if (leftText === null || rightText === null || tab !== 'structure') return
    let wanted = true
    const answer = compareInWorker({
      what: 'structure',
      left: leftText,
      right: rightText,
      volatile,
      opened,
    })
    void answer.then((compared) => {
      if (wanted) setFound({ of: asked, body: compared })
    })
    return () => {
      wanted = false
    }
  }, [asked, leftText, rightText, tab, volatile, opened])

  const headers = useMemo((): Comparison => {
    if (left?.kind !== 'delivery' || right?.kind !== 'delivery') return { state: 'no-headers' }
    const rows = headerRows(left.delivery.headers, right.delivery.headers, volatile)
    const counts = countRows(rows)
    const differs = differenceCount(counts) > 0
    return {
      state: 'rows',
      rows: foldIgnored(rows, opened),
      counts,
      isCut: false,
      differs,
    }
  }, [left, right, volatile, opened])

  const comparison = useMemo((): Comparison => {
    if (tab === 'headers') return headers
    if (left === null || right === null) return { state: 'pending' }
    if (leftText === null || rightText === null) return { state: 'binary' }
    if (tab === 'text') {
      if (Math.max(leftText.length, rightText.length) > LONGEST_COMPARED)
        return { state: 'long-text' }
      const [before, after] = formatted ? formattedPair(leftText, rightText) : [leftText, rightText]
      return { state: 'texts', before, after }
    }
    if (body === null) return { state: 'pending' }
    if (body === 'too-long') return { state: 'too-long' }
    if (body.outcome === 'not-json') return { state: 'not-json', side: body.side }
    return { ...body, state: 'rows', rows: foldIgnored(body.rows, opened) }
  }, [tab, headers, left, right, leftText, rightText, formatted, body, opened])
  return { comparison, openFold }
}

function textOf(side: Side | null): string | null {
  return side?.text ?? null
}

type ComparedRows = Extract<Comparison, { state: 'rows' }>

/** Truncated rows say nothing about the rest, but whether anything differs was determined over all of them. */
export function comparedWords({
  counts,
  isCut,
  differs,
}: Pick<ComparedRows, 'counts' | 'isCut' | 'differs'>): string {
  if (!isCut || (!differs && counts.ignored === 0)) return countSentence(counts)
  const words = cutCountSentence(counts, differs)
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} (too many rows to show all)`
}
