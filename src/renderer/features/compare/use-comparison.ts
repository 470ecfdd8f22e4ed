/** The comparison's sides, and its rows for the current tab: bodies are compared by the worker, headers immediately. */
import { useCallback, useEffect, useMemo, useState } from 'react'
import { capitalized } from '../../../shared/text/counted.ts'
import { contentEncodings, utf8Text } from '../../../shared/body/encoding.ts'
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
import type { Delivery } from '../../../shared/model/delivery.ts'
import type { SignatureReport } from '../../../shared/model/signature.ts'
import { useWholeBody } from '../../core-data/use-body.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useAppParts } from '../../ui-state/use-app.ts'
import { calendarDay, clockTime } from '../../ui/moment.ts'
import { eventWord } from '../../ui/verdict.tsx'
import { sideChoice, type SideName } from './compare-slice.ts'
import type { Answers, CompareQuestion } from './compare-worker.ts'

export type Side =
  | {
      readonly kind: 'delivery'
      readonly delivery: Delivery
      readonly bytes: Uint8Array<ArrayBuffer>
      /** The decoded text (`content-encoding` removed); null if it isn't UTF-8. */
      readonly text: string | null
      /** Null if it couldn't be explained. */
      readonly signature: SignatureReport | null
    }
  | { readonly kind: 'text'; readonly text: string }

/** `transaction.auth, 21 Nov 2026 14:03:07.512`. */
export function sideTitle(side: Side): string {
  if (side.kind === 'text') return 'pasted text'
  const { delivery } = side
  return `${eventWord(delivery).text}, ${calendarDay(delivery.receivedAt)} ${clockTime(delivery.receivedAt)} (${delivery.id})`
}

function useSide(name: SideName) {
  const { named, text } = useAppParts((state) => ({
    named: state.navigation.at.compare[name],
    text: state.compare.texts[name],
  }))
  const choice = useMemo(() => sideChoice(named, text), [named, text])
  const id = choice?.kind === 'delivery' ? choice.id : null
  const input = id === null ? null : { id }
  const { output: delivery, ...read } = useRead('deliveries.get', input)
  const { output: report, problem: unexplained } = useRead('deliveries.signature', input)
  const isEncoded = delivery !== undefined && contentEncodings(delivery.headers).length > 0
  const body = useWholeBody('deliveries.body', id)
  const content = useWholeBody('bodies.decoded', isEncoded ? id : null)
  const { bytes } = body
  const decoded = isEncoded ? content.bytes : bytes
  const isExplained = report !== undefined || unexplained !== null
  const side = useMemo((): Side | null => {
    if (choice?.kind === 'text') return choice
    if (delivery === undefined || bytes === null || decoded === null || !isExplained) return null
    return {
      kind: 'delivery',
      delivery,
      bytes,
      // A partly decoded body may end inside a character.
      text: utf8Text(decoded, delivery.truncated || isEncoded),
      signature: report ?? null,
    }
  }, [choice, delivery, bytes, decoded, isExplained, isEncoded, report])
  return {
    choice,
    side,
    isGone: read.isGone,
    problem: read.problem ?? body.problem ?? content.problem,
    readAgain() {
      for (const { problem, readAgain } of [read, body, content]) if (problem !== null) readAgain()
    },
  }
}

/** The two sides, and the ignored fields of the right side's hook, or else of the left side's. */
export function useSides() {
  const ignore = useApp((state) => state.compare.ignoreVolatile)
  const sides = { left: useSide('left'), right: useSide('right') }
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
  const { tab, formatted } = useAppParts((state) => ({
    tab: state.navigation.at.compare.tab ?? 'structure',
    formatted: state.compare.formatted,
  }))
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
  return `${capitalized(words)} (too many rows to show all)`
}

// Comparing in the worker, with a limit of ten seconds. Larger bodies can still be compared byte by byte.

const LONGEST_MS = 10_000

let worker: Worker | null = null
let nextId = 1

/** Resolves with the answer, or `too-long`. */
export function compareInWorker<Q extends CompareQuestion>(
  question: Q,
): Promise<Answers[Q['what']] | 'too-long'> {
  worker ??= new Worker(new URL('./compare-worker.ts', import.meta.url), { type: 'module' })
  const used = worker
  const id = nextId++
  return new Promise((resolve) => {
    const settle = (answer: Answers[Q['what']] | 'too-long') => {
      clearTimeout(timer)
      used.removeEventListener('message', onMessage)
      resolve(answer)
    }
    const onMessage = (event: MessageEvent<{ id: number; answer: Answers[Q['what']] }>) => {
      if (event.data.id === id) settle(event.data.answer)
    }
    const timer = setTimeout(() => {
      used.terminate()
      if (worker === used) worker = null
      settle('too-long')
    }, LONGEST_MS)
    used.addEventListener('message', onMessage)
    used.postMessage({ id, question })
  })
}
