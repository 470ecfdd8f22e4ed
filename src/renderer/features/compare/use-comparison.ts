/** The rows of the comparison for the tab that is shown: bodies by the worker, headers at once. */
import { useEffect, useMemo, useState } from 'react'
import type { ComparedStructure, ComparedText, NotJson } from '../../../shared/diff/compare-bodies.ts'
import { foldIgnored } from '../../../shared/diff/folded.ts'
import { headerRows } from '../../../shared/diff/header-rows.ts'
import { countRows, type DiffCounts, type DiffRow } from '../../../shared/diff/rows.ts'
import { nothingVolatile } from '../../../shared/diff/volatile.ts'
import { useAppParts } from '../../state/use-app.ts'
import { compareInWorker } from './compare-in-worker.ts'
import type { Side } from './sides.ts'

export type Comparison =
  | {
      readonly state: 'rows'
      readonly rows: readonly DiffRow[]
      readonly counts: DiffCounts
      readonly isCut: boolean
      readonly isFormatted: boolean
    }
  | { readonly state: 'not-json'; readonly side: NotJson }
  | { readonly state: 'binary' | 'too-long' | 'no-headers' | 'pending' }

/** The comparison of the tab that is shown. */
export function useComparison(): Comparison {
  const { left, right, tab, formatted, ignore, list } = useAppParts((state) => ({
    left: state.compareSides.left,
    right: state.compareSides.right,
    tab: state.compareTab,
    formatted: state.compareFormatted,
    ignore: state.ignoreVolatile,
    list: state.volatileList,
  }))
  const volatile = ignore && list !== null ? list.fields : nothingVolatile
  const [body, setBody] = useState<ComparedStructure | ComparedText | 'too-long' | null>(null)
  const leftText = textOf(left)
  const rightText = textOf(right)

  useEffect(() => {
    if (leftText === null || rightText === null || (tab !== 'structure' && tab !== 'text')) return
    let wanted = true
    const sides = { left: leftText, right: rightText }
    const asked =
      tab === 'structure'
        ? compareInWorker({ what: 'structure', ...sides, volatile })
        : compareInWorker({ what: 'text', ...sides, format: formatted })
    void asked.then((compared) => {
      if (wanted) setBody(compared)
    })
    return () => {
      wanted = false
      setBody(null)
    }
  }, [leftText, rightText, tab, formatted, volatile])

  const headers = useMemo((): Comparison => {
    if (left?.kind !== 'delivery' || right?.kind !== 'delivery') return { state: 'no-headers' }
    const rows = headerRows(left.delivery.headers, right.delivery.headers, volatile)
    return { state: 'rows', rows: foldIgnored(rows), counts: countRows(rows), isCut: false, isFormatted: false }
  }, [left, right, volatile])

  return useMemo((): Comparison => {
    if (tab === 'headers') return headers
    if (left === null || right === null) return { state: 'pending' }
    if (leftText === null || rightText === null) return { state: 'binary' }
    if (body === null) return { state: 'pending' }
    if (body === 'too-long') return { state: 'too-long' }
    if ('outcome' in body) {
      if (body.outcome === 'not-json') return { state: 'not-json', side: body.side }
      return { state: 'rows', rows: foldIgnored(body.rows), counts: body.counts, isCut: body.isCut, isFormatted: false }
    }
    return { state: 'rows', rows: body.rows, counts: body.counts, isCut: body.isCut, isFormatted: body.isFormatted }
  }, [tab, headers, left, right, leftText, rightText, body])
}

function textOf(side: Side | null): string | null {
  return side?.text ?? null
}
