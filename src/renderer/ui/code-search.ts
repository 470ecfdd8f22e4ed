import {
  getSearchQuery,
  search as searchPanel,
  searchKeymap,
  setSearchQuery,
} from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'

const MOST_COUNTED = 1_000

/** Shows in the search panel how many matches there are, and which is selected. */
function countMatches({ dom }: EditorView, state: EditorState): void {
  const panel = dom.querySelector('.cm-search')
  if (panel === null) return
  const status = panel.querySelector('.cm-count') ?? document.createElement('span')
  status.className = 'cm-count'
  status.setAttribute('role', 'status')
  if (status.parentElement === null) panel.querySelector('[name=next]')?.before(status)
  const query = getSearchQuery(state)
  const { main } = state.selection
  let count = 0
  let selected = 0
  if (query.valid)
    for (
      let cursor = query.getCursor(state), match = cursor.next();
      match.done !== true && ++count <= MOST_COUNTED;
      match = cursor.next()
    )
      if (match.value.from === main.from && match.value.to === main.to) selected = count
  const countText = count > MOST_COUNTED ? `${MOST_COUNTED.toLocaleString('en')}+` : String(count)
  status.textContent = !query.valid
    ? ''
    : count === 0
      ? 'No matches'
      : selected > 0
        ? `${selected} of ${countText}`
        : `${countText} ${count === 1 ? 'match' : 'matches'}`
}

export const searchExtensions = [
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
    const isQueryChanged = transactions.some(({ effects }) =>
      effects.some((effect) => effect.is(setSearchQuery)),
    )
    if (docChanged || selectionSet || isQueryChanged) countMatches(view, state)
  }),
  keymap.of(searchKeymap.map((binding) => ({ ...binding, stopPropagation: true }))),
]
