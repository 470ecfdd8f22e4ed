/**
 * What can be done with deliveries, in one table: the context menu, the palette, the detail's menus and the keys are made from it. Also
 * what can be done with one of their values.
 */
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { negated, termOf } from '../../shared/query/terms.ts'
import { shellArgument } from '../../shared/snippets/curl.ts'
import type { PaletteItem, RunKey } from './commands.ts'
import { type KeyAction, keysOf } from './key-map.ts'
import type { MenuValue } from './menu-slice.ts'
import { issuesOf, signatureStatus } from './row-issues.ts'
import type { AppState } from './store.ts'
import { eventWord } from '../ui/verdict.tsx'

/** An entry of a menu that isn't in the table, such as folding in the body tree. */
export interface MenuEntry {
  readonly name: string
  readonly icon?: 'filter' | 'exclude' | 'copy'
  readonly keys?: string
  readonly run: () => void
}

const GROUPS = ['delivery', 'copy', 'marks'] as const

interface DeliveryAction {
  readonly id: string
  readonly group: (typeof GROUPS)[number]
  readonly key: KeyAction | null
  label(rows: readonly DeliveryRow[], state: AppState): string
  /** Whether it applies to these deliveries, of which there is at least one. */
  applies(rows: readonly DeliveryRow[]): boolean
  run(state: AppState, rows: readonly [DeliveryRow, ...DeliveryRow[]]): unknown
}

const isOne = (rows: readonly DeliveryRow[]) => rows.length === 1
const isRequest = (rows: readonly DeliveryRow[]) =>
  rows.every(({ malformed }) => malformed === null)
const always = () => true

/** ` 3 deliveries`; nothing for one. */
const several = (rows: readonly DeliveryRow[]) =>
  rows.length === 1 ? '' : ` ${rows.length.toLocaleString('en')} deliveries`

/** In the order sent by the service. */
const oldestFirst = (rows: readonly DeliveryRow[]) =>
  rows.toSorted((one, other) => one.seq - other.seq)

/** The endpoint that a delivery failed at, as an option names it; null if none is known to have. */
function failedEndpoint({ handler, lastReplay }: DeliveryRow): string | null {
  if (handler?.outcome === 'failing')
    return handler.name === null ? handler.target : `@${handler.name}`
  return lastReplay?.outcome === 'failing' ? lastReplay.target : null
}

/** Finds the smallest body that still fails; without a known endpoint, at the current handler. */
function shrinkCommand(row: DeliveryRow): string {
  const to = failedEndpoint(row)
  return `countersign shrink ${row.id}${to === null ? '' : ` --to ${shellArgument(to)}`}`
}

export const deliveryActions = [
  {
    id: 'open',
    group: 'delivery',
    key: 'open',
    label: () => 'Open',
    applies: isOne,
    run: (state, [row]) => state.navigation.go('deliveries', { id: row.id }),
  },
  {
    id: 'replay',
    group: 'delivery',
    key: 'replay',
    label: (rows, { core: { handlers } }) => {
      const current = handlers.find((one) => one.current)
      return `Replay${several(rows)}${current === undefined ? '' : ` to @${current.name}`}`
    },
    applies: isRequest,
    run: (state, rows) => state.replay.again(oldestFirst(rows)),
  },
  {
    id: 'replay-compose',
    group: 'delivery',
    key: 'replay-compose',
    label: () => 'Replay with changes…',
    applies: isRequest,
    run: (state, rows) => state.replay.compose({ kind: 'rows', rows: oldestFirst(rows) }),
  },
  {
    id: 'compare-previous',
    group: 'delivery',
    key: 'compare-previous',
    label: () => 'Compare with previous',
    applies: (rows) => isOne(rows) && isRequest(rows),
    run: (state, [row]) => state.menu.comparePrevious(row),
  },
  {
    id: 'copy-id',
    group: 'copy',
    key: 'copy-id',
    label: (rows) => (isOne(rows) ? 'Copy ID' : 'Copy IDs'),
    applies: always,
    run: (state, rows) =>
      state.menu.copy(
        rows.map(({ id }) => id).join('\n'),
        rows.length === 1 ? 'Copied the ID' : 'Copied the IDs',
      ),
  },
  {
    id: 'copy-body',
    group: 'copy',
    key: 'copy-body',
    label: () => 'Copy body',
    applies: (rows) => isOne(rows) && rows.every(({ bodySize }) => bodySize > 0),
    run: (state, [row]) => state.menu.copyBody(row),
  },
  {
    id: 'copy-curl',
    group: 'copy',
    key: 'copy-curl',
    label: () => 'Copy as cURL (re-signed)',
    applies: (rows) => isOne(rows) && isRequest(rows),
    run: (state, [row]) => state.replay.copyCurl(row.id),
  },
  {
    id: 'copy-shrink',
    group: 'copy',
    key: null,
    label: () => 'Copy shrink command',
    applies: (rows) =>
      isOne(rows) &&
      isRequest(rows) &&
      rows.every(({ truncated, bodySize }) => !truncated && bodySize > 0),
    run: (state, [row]) => state.menu.copy(shrinkCommand(row), 'Copied the shrink command'),
  },
  {
    id: 'copy-markdown',
    group: 'copy',
    key: null,
    label: () => 'Copy as Markdown',
    applies: isOne,
    run: (state, [row]) => state.menu.copyMarkdown(row),
  },
  {
    id: 'export',
    group: 'copy',
    key: null,
    label: () => 'Export…',
    applies: always,
    run: (state, rows) => state.exporting.open({ query: '', seqs: rows.map(({ seq }) => seq) }),
  },
  {
    id: 'pin',
    group: 'marks',
    key: 'pin',
    label: (rows) => (rows.every(({ pinned }) => pinned) ? 'Unpin' : 'Pin'),
    applies: always,
    run: (state, rows) => state.marks.togglePin(rows),
  },
  {
    id: 'note',
    group: 'marks',
    key: 'note',
    label: (rows) => (rows.length === 1 && rows[0]?.note !== null ? 'Edit note…' : 'Add note…'),
    applies: always,
    run: (state, rows) => state.marks.editNote(rows),
  },
  {
    id: 'delete',
    group: 'marks',
    key: 'delete',
    label: (rows) => `Delete${several(rows)}`,
    applies: always,
    run: (state, rows) => state.marks.deleteChosen(rows),
  },
] as const satisfies readonly DeliveryAction[]

export type DeliveryActionId = (typeof deliveryActions)[number]['id']

export interface OfferedAction {
  readonly id: DeliveryActionId
  readonly key: KeyAction | null
  readonly label: string
  readonly keys: string | null
  readonly run: () => void
}

export function actionGroups(
  state: AppState,
  rows: readonly DeliveryRow[],
): readonly (readonly OfferedAction[])[] {
  return GROUPS.map((group) =>
    deliveryActions
      .filter((action) => action.group === group)
      .flatMap((action: DeliveryAction & { readonly id: DeliveryActionId }) => {
        const [first, ...more] = rows
        if (first === undefined || !action.applies(rows)) return []
        return {
          id: action.id,
          key: action.key,
          label: action.label(rows, state),
          keys: action.key === null ? null : keysOf(action.key),
          run: () => void action.run(state, [first, ...more]),
        }
      }),
  ).filter((group) => group.length > 0)
}

/** Those of the actions that apply and have these ids, in the order of the ids. */
export function offeredActions(
  state: AppState,
  rows: readonly DeliveryRow[],
  ids: readonly DeliveryActionId[],
): readonly OfferedAction[] {
  const offered = actionGroups(state, rows).flat()
  return ids.flatMap((id) => offered.find((action) => action.id === id) ?? [])
}

/** What can be done with a value: filter by it, exclude it, copy it. */
export function valueEntries(state: AppState, { text, term }: MenuValue): readonly MenuEntry[] {
  return [
    ...(term === null
      ? []
      : [
          {
            name: 'Filter by this',
            icon: 'filter' as const,
            run: () => state.menu.filterBy(term),
          },
          {
            name: 'Exclude this',
            icon: 'exclude' as const,
            run: () => state.menu.filterBy(negated(term)),
          },
        ]),
    ...(text === ''
      ? []
      : [
          {
            name: 'Copy value',
            icon: 'copy' as const,
            run: () => void state.menu.copy(text, 'Copied the value'),
          },
        ]),
  ]
}

/** The palette's commands for the selected deliveries. The values of one are offered once something is typed. */
export function deliveryPalette(state: AppState, typed: string): readonly PaletteItem[] {
  const rows = state.marks.chosen()
  const [row] = rows
  const actions = actionGroups(state, rows)
    .flat()
    .map(({ id, label, keys, run }) => ({
      value: `delivery-${id}`,
      label,
      run,
      ...(keys === null ? {} : { keys }),
    }))
  const values = row === undefined || rows.length > 1 || typed.trim() === '' ? [] : rowValues(row)
  return [
    ...actions,
    ...values.flatMap((value) =>
      valueEntries(state, value).map(({ name, icon, run }) => ({
        value: `${icon}-${value.name}`,
        label: `${icon === 'copy' ? 'Copy this' : name} ${NOUNS[value.name] ?? value.name.toLowerCase()}`,
        note: value.text,
        run,
      })),
    ),
  ]
}

/** Names of columns that aren't nouns. */
const NOUNS: Readonly<Record<string, string>> = {
  Responded: 'response',
  'My handler': 'handler response',
}

/** A key acts on the selection, else on the current row, else on the open delivery. */
function runKey(action: DeliveryAction): RunKey {
  return (store) => {
    const state = store.getState()
    const act = (rows: readonly DeliveryRow[]) => {
      const [first, ...more] = rows
      if (first !== undefined && action.applies(rows))
        void action.run(store.getState(), [first, ...more])
    }
    const rows = state.marks.chosen()
    // Copying begins with the first row, as the arrow keys do; nothing else acts on a row that isn't selected.
    if (rows.length === 0 && action.group === 'copy') {
      void state.list.moveSelection(0).then((row) => {
        if (row !== null) act([row])
      })
    } else act(rows)
    return true
  }
}

type KeyedAction = Extract<(typeof deliveryActions)[number], { readonly key: string }>['key']

/** The keys of the actions; `open` has its own, which follows the row that the keys are on. */
export const deliveryKeys = Object.fromEntries(
  deliveryActions.flatMap((action) =>
    action.key === null ? [] : [[action.key, runKey(action)] as const],
  ),
) as Readonly<Record<KeyedAction, RunKey>>

/** What a row has values of, in the order of the palette. */
const CELLS = [
  'signature',
  'time',
  'event',
  'amount',
  'merchant',
  'path',
  'issues',
  'source',
  'responded',
  'handler',
  'size',
] as const

/** The value behind a cell of a row, with a term that finds the row; null for an empty cell. */
export function rowValue(row: DeliveryRow, cell: (typeof CELLS)[number]): MenuValue | null {
  switch (cell) {
    case 'signature': {
      const { word, term } = signatureStatus(row)
      return { name: 'Signature', text: word, term }
    }
    case 'time':
      return {
        name: 'Time',
        text: row.receivedAt,
        term: termOf('received', row.receivedAt.slice(0, 16) + 'Z'),
      }
    case 'event':
      if (row.malformed !== null) return null
      return {
        name: 'Event',
        text: eventWord(row).text,
        term: row.event === null ? '-has:event' : termOf('event', row.event),
      }
    case 'amount':
      return row.amount === null
        ? null
        : {
            name: 'Amount',
            text: [row.amount, row.currency ?? ''].join(' ').trim(),
            term: termOf('amount', row.amount),
          }
    case 'merchant':
      return row.merchant === null
        ? null
        : { name: 'Merchant', text: row.merchant, term: termOf('body', row.merchant) }
    case 'path':
      return row.path === null
        ? null
        : { name: 'Path', text: row.path, term: termOf('path', row.path) }
    case 'issues': {
      const [issue] = issuesOf(row)
      if (issue !== undefined) return { name: 'Issue', text: issue.words, term: issue.term }
      return row.note === null ? null : { name: 'Note', text: row.note, term: 'has:note' }
    }
    case 'source':
      return row.flowRun !== null
        ? { name: 'Flow', text: row.flowRun.flow, term: termOf('flow', row.flowRun.flow) }
        : row.origin === 'imported'
          ? { name: 'Source', text: 'Imported', term: 'is:imported' }
          : null
    case 'responded':
      return row.answer.status === null
        ? null
        : {
            name: 'Responded',
            text: String(row.answer.status),
            term: termOf('status', String(row.answer.status)),
          }
    case 'handler':
      return row.handler?.status === undefined || row.handler.status === null
        ? { name: 'My handler', text: '', term: row.handler === null ? 'response:none' : null }
        : {
            name: 'My handler',
            text: String(row.handler.status),
            term: termOf('response', String(row.handler.status)),
          }
    case 'size':
      return {
        name: 'Size',
        text: String(row.bodySize),
        term: termOf('size', String(row.bodySize)),
      }
  }
}

function rowValues(row: DeliveryRow): readonly MenuValue[] {
  return CELLS.flatMap((cell) => rowValue(row, cell) ?? [])
}
