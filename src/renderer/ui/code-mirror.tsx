/** The editor behind `Code` and `Difference`: CodeMirror with our colors, keys and words. Loaded separately. */
import {
  history,
  historyKeymap,
  isolateHistory,
  selectAll,
  standardKeymap,
} from '@codemirror/commands'
import { json as jsonLanguage } from '@codemirror/lang-json'
import {
  codeFolding,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  syntaxHighlighting,
} from '@codemirror/language'
import { getChunks, MergeView, unifiedMergeView, type Chunk } from '@codemirror/merge'
import {
  closeSearchPanel,
  getSearchQuery,
  openSearchPanel,
  search as searchPanel,
  searchKeymap,
  searchPanelOpen,
  setSearchQuery,
} from '@codemirror/search'
import {
  Annotation,
  Compartment,
  EditorState,
  RangeSet,
  StateEffect,
  StateField,
  Text,
  Transaction,
  type Extension,
} from '@codemirror/state'
import {
  Decoration,
  EditorView,
  gutter,
  GutterMarker,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  type DecorationSet,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useLayoutEffect, useRef } from 'react'
import type { CodeProblem, CodeProps, DifferenceProps } from './code.tsx'
import { codeTheme } from './code-theme.ts'
import { hiddenCharacter, hiddenPattern, visibleText } from './visible-text.ts'

shareStyles()

/**
 * Our content policy blocks <style> elements, which CodeMirror adds to a document. In a shadow root it uses a constructed style
 * sheet, which the policy allows, and remembers it in a property: the document gets the same one.
 */
function shareStyles(): void {
  const host = document.createElement('div')
  const root = host.attachShadow({ mode: 'open' })
  new EditorView({ parent: root }).destroy()
  for (const key of Object.getOwnPropertySymbols(root))
    Reflect.set(document, key, Reflect.get(root, key))
}

const highlighting = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.propertyName, color: 'var(--code-key)' },
    { tag: tags.string, color: 'var(--code-string)' },
    { tag: tags.number, color: 'var(--code-number)' },
    { tag: [tags.bool, tags.null], color: 'var(--code-word)' },
    { tag: [tags.separator, tags.brace, tags.squareBracket], color: 'var(--text-subtle)' },
  ]),
)

const setMarks = StateEffect.define<DecorationSet>()

/** Marks in the text: its problems, or the current one of its differences. */
const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, { changes, effects }) =>
    effects.find((effect) => effect.is(setMarks))?.value ?? marks.map(changes),
  provide: (field) => EditorView.decorations.from(field),
})

const problemMark = (message: string) =>
  Decoration.mark({ class: 'cm-problem', attributes: { title: message.replaceAll('`', '') } })

/** What every text has: lines end at line feeds only, so that the text is the same character for character. */
const base: Extension = [
  EditorState.lineSeparator.of('\n'),
  lineNumbers(),
  highlightSpecialChars({
    specialChars: hiddenPattern,
    render(code) {
      const { shown, name } = hiddenCharacter(code)
      const mark = document.createElement('span')
      mark.className = 'cm-hidden'
      mark.title = name
      mark.textContent = shown
      return mark
    },
  }),
  highlighting,
  marked,
  codeTheme,
]

const folding = [jsonLanguage(), codeFolding(), foldGutter({ openText: '⌄', closedText: '›' })]

/** More matches are counted as so many. */
const MOST_COUNTED = 1_000

/** Says in the search panel how many matches there are, and which is selected. */
function countMatches({ dom }: EditorView, state: EditorState): void {
  const panel = dom.querySelector('.cm-search')
  if (panel === null) return
  const said = panel.querySelector('.cm-count') ?? document.createElement('span')
  said.className = 'cm-count'
  said.setAttribute('role', 'status')
  if (said.parentElement === null) panel.querySelector('[name=next]')?.before(said)
  const query = getSearchQuery(state)
  const { main } = state.selection
  let count = 0
  let selected = 0
  if (query.valid)
    for (
      let cursor = query.getCursor(state), found = cursor.next();
      found.done !== true && ++count <= MOST_COUNTED;
      found = cursor.next()
    )
      if (found.value.from === main.from && found.value.to === main.to) selected = count
  const counted = count > MOST_COUNTED ? `${MOST_COUNTED.toLocaleString('en')}+` : String(count)
  said.textContent = !query.valid
    ? ''
    : count === 0
      ? 'No matches'
      : selected > 0
        ? `${selected} of ${counted}`
        : `${counted} ${count === 1 ? 'match' : 'matches'}`
}

const searching = [
  searchPanel({ top: true }),
  EditorState.phrases.of({
    Find: 'Search',
    next: 'Next',
    previous: 'Previous',
    'match case': 'Match case',
    regexp: 'Regexp',
    'by word': 'Whole word',
    replace: 'Replace',
    'replace all': 'Replace all',
    close: 'Close search',
  }),
  EditorView.updateListener.of(({ view, state, docChanged, selectionSet, transactions }) => {
    const isAsked = transactions.some(({ effects }) =>
      effects.some((one) => one.is(setSearchQuery)),
    )
    if (docChanged || selectionSet || isAsked) countMatches(view, state)
  }),
  keymap.of(searchKeymap.map((binding) => ({ ...binding, stopPropagation: true }))),
]

/** Text only for reading takes the focus, but no keys but these, so that single-letter keys of the screen work. */
const reading: Extension = [
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  keymap.of([{ key: 'Mod-a', run: selectAll }]),
]

/** Mod+Enter belongs to the screen, and Tab leaves the editor. */
const editing: Extension = [
  history(),
  keymap.of([...standardKeymap, ...historyKeymap, ...foldKeymap]),
]

class Mark extends GutterMarker {
  readonly passed: boolean
  constructor(passed: boolean) {
    super()
    this.passed = passed
  }
  override eq(other: Mark) {
    return other.passed === this.passed
  }
  override toDOM() {
    const mark = document.createElement('span')
    mark.className = this.passed ? 'cm-passed' : 'cm-failed'
    mark.textContent = this.passed ? '✓' : '✗'
    return mark
  }
}

function markGutter(marks: ReadonlyMap<number, boolean>): Extension {
  return gutter({
    class: 'cm-marks',
    markers: ({ state: { doc } }) =>
      RangeSet.of(
        [...marks]
          .filter(([at]) => at <= doc.length)
          .map(([at, passed]) => new Mark(passed).range(doc.lineAt(at).from)),
        true,
      ),
  })
}

type EditorProps = CodeProps & {
  readonly problems: readonly CodeProblem[]
  /** Id of the element that has the problems. */
  readonly about: string
}

/** What may change while the editor is shown. */
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
    json ? folding : [],
    wrap ? EditorView.lineWrapping : [],
    isEditable ? editing : reading,
    EditorView.contentAttributes.of({
      'aria-label': label,
      tabindex: '0',
      ...(isEditable
        ? { 'aria-describedby': about, 'aria-invalid': String(problems.length > 0) }
        : {}),
    }),
  ]
}

/** The smallest change at `at` that turns one text into another. */
function changeTo(from: string, to: string, at = 0) {
  let start = 0
  while (start < from.length && from[start] === to[start]) start++
  let end = 0
  while (
    end < Math.min(from.length, to.length) - start &&
    from[from.length - 1 - end] === to[to.length - 1 - end]
  )
    end++
  return {
    from: at + start,
    to: at + from.length - end,
    insert: to.slice(start, to.length - end),
  }
}

/** The same line by line, if the number of lines is the same: the caret stays in its line. */
function changesTo(from: string, to: string) {
  const [before, after] = [from.split('\n'), to.split('\n')]
  if (before.length !== after.length) return [changeTo(from, to)]
  let at = 0
  return before.map((line, index) => {
    const change = changeTo(line, after[index] ?? '', at)
    at += line.length + 1
    return change
  })
}

/**
 * Text typed over a selection keeps the selection's color: the browser writes a style attribute, which our content policy blocks with
 * a message in the console. Without colors, it keeps nothing. They are back before the next frame.
 */
function hideColors(_event: InputEvent, { dom: { parentElement } }: EditorView): void {
  parentElement?.classList.add('cm-plain')
  requestAnimationFrame(() => parentElement?.classList.remove('cm-plain'))
}

const options = new Compartment()
/** A text set from outside, which isn't reported back. */
const fromOutside = Annotation.define<true>()

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
        base,
        options.of(optionsOf(latest.current)),
        searching,
        EditorView.updateListener.of(({ docChanged, state, startState, transactions }) => {
          const { onText, onSearch } = latest.current
          if (docChanged && !transactions.some((one) => one.annotation(fromOutside) === true))
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

  const places = JSON.stringify(problems)
  useEffect(() => {
    const view = editor.current
    if (view === null) return
    const { doc } = view.state
    const found = latest.current.problems.flatMap(({ at, message }) => {
      if (at === null || doc.length === 0) return []
      // At the end of a line or of the text, the last character is marked.
      const isEnd = at >= doc.length || doc.sliceString(at, at + 1) === '\n'
      const from = isEnd ? Math.min(at, doc.length) - 1 : at
      if (from < 0) return []
      const [character = ''] = doc.sliceString(from, from + 2)
      return problemMark(message).range(from, from + character.length)
    })
    view.dispatch({ effects: setMarks.of(Decoration.set(found, true)) })
  }, [places])

  useEffect(() => {
    const view = editor.current
    if (view === null || reveal === null || reveal === undefined) return
    const at = Math.min(reveal.at, view.state.doc.length)
    const head = Math.min(at + 1, view.state.doc.length)
    view.dispatch({
      selection: { anchor: at, head },
      effects: EditorView.scrollIntoView(at, { y: 'center' }),
    })
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
      base,
      reading,
      searching,
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
      // Removed lines aren't part of this editor's text, so their invisible characters must be visible already.
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
        setMarks.of(Decoration.set(Decoration.line({ class: 'cm-current' }).range(from))),
        EditorView.scrollIntoView(from, { y: 'center' }),
      ],
    })
  }, [at, before, after, split, isWhole])
  return <div ref={parent} className="cm-difference h-full min-h-0 overflow-auto" />
}

/** Differences are searched for precisely up to so many changed characters, and for so long. */
const SCAN_LIMIT = 10_000
const LONGEST_MS = 1_000

function visibleLines(text: string): string {
  return text.split('\n').map(visibleText).join('\n')
}
