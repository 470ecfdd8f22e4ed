/** The editor behind `Difference`, with both texts side by side or as one. */
import { json as jsonLanguage } from '@codemirror/lang-json'
import { getChunks, MergeView, unifiedMergeView, type Chunk } from '@codemirror/merge'
import { Text } from '@codemirror/state'
import { Decoration, EditorView } from '@codemirror/view'
import { useEffect, useLayoutEffect, useRef } from 'react'
import type { DifferenceProps } from './code.tsx'
import { visibleText } from './visible-text.ts'
import { setMarkEffect, baseExtensions, readOnlyExtensions } from './code-extensions.ts'
import { searchExtensions } from './code-search.ts'

export function Merge({
  label,
  before,
  after,
  json,
  split,
  isWhole = false,
  at,
  onCount,
}: DifferenceProps) {
  const parent = useRef<HTMLDivElement>(null)
  const shown = useRef<{ readonly view: EditorView; readonly chunks: readonly Chunk[] } | null>(
    null,
  )

  useLayoutEffect(() => {
    const container = parent.current
    if (container === null) return
    const extensions = (name: string) => [
      baseExtensions,
      readOnlyExtensions,
      searchExtensions,
      json ? jsonLanguage() : [],
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': name, tabindex: '0' }),
    ]
    const config = {
      ...(isWhole ? {} : { collapseUnchanged: {} }),
      diffConfig: { scanLimit: SCAN_LIMIT, timeout: LONGEST_MS },
    }
    let destroy
    if (split) {
      const merged = new MergeView({
        parent: container,
        a: { doc: before, extensions: extensions(`${label}: A`) },
        b: { doc: after, extensions: extensions(`${label}: B`) },
        ...config,
      })
      shown.current = { view: merged.b, chunks: merged.chunks }
      destroy = () => merged.destroy()
    } else {
      // Removed lines aren't part of the editor's text, so their invisible characters are shown
      // here.
      const view = new EditorView({
        parent: container,
        doc: visibleLines(after),
        extensions: [
          extensions(label),
          unifiedMergeView({
            original: Text.of(visibleLines(before).split('\n')),
            mergeControls: false,
            ...config,
          }),
        ],
      })
      shown.current = { view, chunks: getChunks(view.state)?.chunks ?? [] }
      destroy = () => view.destroy()
    }
    return destroy
  }, [label, before, after, json, split, isWhole])

  useEffect(() => {
    onCount?.(shown.current?.chunks.length ?? 0)
  }, [onCount, before, after, split, isWhole])

  useEffect(() => {
    const { view, chunks } = shown.current ?? { view: null, chunks: [] }
    const chunk = chunks[at]
    if (view === null || chunk === undefined) return
    const { from } = view.state.doc.lineAt(Math.min(chunk.fromB, view.state.doc.length))
    view.dispatch({
      effects: [
        setMarkEffect.of(Decoration.set(Decoration.line({ class: 'cm-current' }).range(from))),
        EditorView.scrollIntoView(from, { y: 'center' }),
      ],
    })
  }, [at, before, after, split, isWhole])
  return <div ref={parent} className="cm-difference h-full min-h-0 overflow-auto" />
}

/** Number of changed characters up to which differences are searched precisely. */
const SCAN_LIMIT = 10_000

/** Milliseconds for which differences are searched precisely. */
const LONGEST_MS = 1_000

function visibleLines(text: string): string {
  return text.split('\n').map(visibleText).join('\n')
}
