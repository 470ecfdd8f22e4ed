/** Extensions of CodeMirror that give the editor our colors, keys and marks. */
import { history, historyKeymap, selectAll, standardKeymap } from '@codemirror/commands'
import { json as jsonLanguage } from '@codemirror/lang-json'
import {
  codeFolding,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  syntaxHighlighting,
} from '@codemirror/language'
import { EditorState, RangeSet, StateEffect, StateField, type Extension } from '@codemirror/state'
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
import { changeField } from './code-changes.ts'
import { codeTheme } from './code-theme.ts'
import { hiddenCharacter, hiddenPattern } from './visible-text.ts'

shareStyles()

/**
 * Gives the document the style sheet of a shadow root, because our content policy blocks the
 * <style> elements that CodeMirror otherwise adds.
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

export const setMarkEffect = StateEffect.define<DecorationSet>()

/** Marks in the text: its problems, or the current one of its differences. */
const markField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, { changes, effects }) =>
    effects.find((effect) => effect.is(setMarkEffect))?.value ?? marks.map(changes),
  provide: (field) => EditorView.decorations.from(field),
})

export const problemMark = (message: string) =>
  Decoration.mark({ class: 'cm-problem', attributes: { title: message.replaceAll('`', '') } })

/** Extensions of every text; lines end at line feeds only, so that the text stays exact. */
export const baseExtensions: Extension = [
  EditorState.lineSeparator.of('\n'),
  lineNumbers(),
  highlightSpecialChars({
    specialChars: hiddenPattern,
    render(code) {
      const { shown, name } = hiddenCharacter(code)
      const mark = document.createElement('span')
      mark.className = shown === '\\r' ? 'cm-hidden cm-return' : 'cm-hidden'
      mark.title = name
      mark.textContent = shown
      return mark
    },
  }),
  highlighting,
  markField,
  changeField,
  codeTheme,
]

export const foldExtensions = [
  jsonLanguage(),
  codeFolding(),
  foldGutter({ openText: '⌄', closedText: '›' }),
]

/** Extensions of read-only text, with few keys, so that the screen's single-letter keys work. */
export const readOnlyExtensions: Extension = [
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  keymap.of([{ key: 'Mod-a', run: selectAll }]),
]

/** Extensions of editable text; Mod+Enter belongs to the screen, and Tab leaves the editor. */
export const editExtensions: Extension = [
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

/** Creates a gutter with ✓ or ✗ beside checked values; `marks` tells by position if one passed. */
export function markGutter(marks: ReadonlyMap<number, boolean>): Extension {
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
