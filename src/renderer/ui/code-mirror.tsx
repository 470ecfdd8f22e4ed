/** The editor behind `Code`: CodeMirror with our colors, keys and words. Loaded separately. */
import { isolateHistory } from '@codemirror/commands'
import { closeSearchPanel, openSearchPanel, searchPanelOpen } from '@codemirror/search'
import { Annotation, Compartment, Transaction, type Extension, type Text } from '@codemirror/state'
import { Decoration, EditorView } from '@codemirror/view'
import { useEffect, useLayoutEffect, useRef } from 'react'
import type { CodeProblem, CodeProps } from './code.tsx'
import { changeMarks, setChangesEffect } from './code-changes.ts'
import {
  setMarkEffect,
  problemMark,
  baseExtensions,
  foldExtensions,
  readOnlyExtensions,
  editExtensions,
  markGutter,
} from './code-extensions.ts'
import { searchExtensions } from './code-search.ts'
import { changesTo } from './text-changes.ts'

export { Merge } from './code-merge.tsx'

type EditorProps = CodeProps & {
  readonly problems: readonly CodeProblem[]
  /** ID of the element that lists the problems. */
  readonly about: string
}

/** Returns the extensions that may change while the editor is shown. */
function optionsOf({
  label,
  json,
  wrap = true,
  marks,
  onText,
  problems,
  about,
}: EditorProps): Extension {
  const isEditable = onText !== undefined
  return [
    marks === undefined || marks.size === 0 ? [] : markGutter(marks),
    json ? foldExtensions : [],
    wrap ? EditorView.lineWrapping : [],
    isEditable ? editExtensions : readOnlyExtensions,
    EditorView.contentAttributes.of({
      'aria-label': label,
      tabindex: '0',
      ...(isEditable
        ? { 'aria-describedby': about, 'aria-invalid': String(problems.length > 0) }
        : {}),
    }),
  ]
}

/**
 * Removes colors until the next frame: the browser would copy the color of replaced text into a
 * style attribute, which our content policy blocks and reports.
 */
function hideColors(_event: InputEvent, { dom: { parentElement } }: EditorView): void {
  parentElement?.classList.add('cm-plain')
  requestAnimationFrame(() => parentElement?.classList.remove('cm-plain'))
}

const options = new Compartment()
/** Annotation of a text set from outside, which isn't reported back. */
const fromOutside = Annotation.define<true>()

/** Returns the marks of problems with a position. */
function problemMarks(doc: Text, problems: readonly CodeProblem[]) {
  return problems.flatMap(({ at, message }) => {
    if (at === null || doc.length === 0) return []
    // At the end of a line or of the text, the last character is marked.
    const isEnd = at >= doc.length || doc.sliceString(at, at + 1) === '\n'
    const from = isEnd ? Math.min(at, doc.length) - 1 : at
    if (from < 0) return []
    const [character = ''] = doc.sliceString(from, from + 2)
    return problemMark(message).range(from, from + character.length)
  })
}

function showMarks(view: EditorView, { problems, changes = [] }: EditorProps): void {
  const { doc } = view.state
  const problemRanges = problemMarks(doc, problems)
  view.dispatch({
    effects: [
      setMarkEffect.of(Decoration.set(problemRanges, true)),
      setChangesEffect.of(changeMarks(doc, changes)),
    ],
  })
}

/** Selects a character and scrolls it to the middle of the view. */
function selectCharacter(view: EditorView, position: number): void {
  const at = Math.min(position, view.state.doc.length)
  const head = Math.min(at + 1, view.state.doc.length)
  view.dispatch({
    selection: { anchor: at, head },
    effects: EditorView.scrollIntoView(at, { y: 'center' }),
  })
}

export function Editor(props: EditorProps) {
  const { text, label, json, wrap, marks, about, problems, reveal, search } = props
  const parent = useRef<HTMLDivElement>(null)
  const editor = useRef<EditorView | null>(null)
  const latest = useRef(props)
  latest.current = props

  useLayoutEffect(() => {
    const view = new EditorView({
      ...(parent.current === null ? {} : { parent: parent.current }),
      doc: latest.current.text,
      extensions: [
        baseExtensions,
        options.of(optionsOf(latest.current)),
        searchExtensions,
        EditorView.updateListener.of(({ docChanged, state, startState, transactions }) => {
          const { onText, onSearch } = latest.current
          if (
            docChanged &&
            !transactions.some((transaction) => transaction.annotation(fromOutside) === true)
          )
            onText?.(state.doc.toString())
          const open = searchPanelOpen(state)
          if (open !== searchPanelOpen(startState)) onSearch?.(open)
        }),
        EditorView.domEventHandlers({
          blur: () => latest.current.onLeave?.(),
          beforeinput: hideColors,
        }),
      ],
    })
    editor.current = view
    return () => view.destroy()
  }, [])

  useLayoutEffect(() => {
    const view = editor.current
    const shown = view?.state.doc.toString()
    if (view === null || shown === undefined || shown === text) return
    const isEditable = latest.current.onText !== undefined
    view.dispatch({
      changes: isEditable ? changesTo(shown, text) : { from: 0, to: shown.length, insert: text },
      annotations: [
        fromOutside.of(true),
        Transaction.addToHistory.of(latest.current.undoable === true),
        isolateHistory.of('full'),
      ],
      ...(isEditable ? {} : { selection: { anchor: 0 }, effects: EditorView.scrollIntoView(0) }),
    })
  }, [text])

  const isEditable = props.onText !== undefined
  const isInvalid = problems.length > 0
  useLayoutEffect(() => {
    editor.current?.dispatch({ effects: options.reconfigure(optionsOf(latest.current)) })
  }, [label, json, wrap, marks, about, isEditable, isInvalid])

  const places = JSON.stringify([problems, props.changes])
  useEffect(() => {
    if (editor.current !== null) showMarks(editor.current, latest.current)
  }, [places, text])

  useEffect(() => {
    const view = editor.current
    if (view === null || reveal === null || reveal === undefined) return
    selectCharacter(view, reveal.at)
    if (latest.current.onText !== undefined) view.focus()
  }, [reveal])

  useEffect(() => {
    const view = editor.current
    if (view === null || search === undefined || search === searchPanelOpen(view.state)) return
    if (search) openSearchPanel(view)
    else closeSearchPanel(view)
  }, [search])
  return <div ref={parent} className="h-full max-h-[inherit] min-h-0" />
}
